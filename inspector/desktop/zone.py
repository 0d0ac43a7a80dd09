"""The one time zone of the window, chosen once and passed to everything that tells a time."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from PySide6.QtCore import QTimeZone


def local_zone() -> tzinfo:
    """Return this machine's time zone, or UTC where its name means nothing here."""
    name = QTimeZone.systemTimeZoneId().toStdString()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
