"""The one time zone of the window, chosen once and passed to everything that tells a time."""

from datetime import UTC, datetime, timedelta, tzinfo


def local_zone() -> tzinfo:
    """Return this machine's time zone, or UTC where its name means nothing here."""
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

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()
