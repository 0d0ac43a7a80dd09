"""The one time zone of the window, chosen once and passed to everything that tells a time."""

import os
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property


def local_zone() -> tzinfo:
    """Return this machine's time zone, which tells its name as a text."""
    return _MachineZone()


class _MachineZone(tzinfo):
    """The zone of the C library, which is loaded anyway; to load ``zoneinfo`` would hold up the first page."""

    def fromutc(self, moment: datetime) -> datetime:
        local = datetime.fromtimestamp(moment.replace(tzinfo=UTC).timestamp())  # noqa: DTZ006  the zone comes next
        return local.replace(tzinfo=self)

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def __str__(self) -> str:
        """Return the zone's name, ``Europe/Berlin`` say, as the system has it."""
        return self._name

    @cached_property
    def _name(self) -> str:
        if "TZ" not in os.environ:
            _, _, name = _where("/etc/localtime").partition("/zoneinfo/")
            if name:
                return name
        # Qt knows all the other places; to load its zones holds up the first page.
        from PySide6.QtCore import QTimeZone  # noqa: PLC0415

        return QTimeZone.systemTimeZoneId().toStdString()

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()


def _where(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115  a path that is only looked at as text
    except OSError:
        return ""
