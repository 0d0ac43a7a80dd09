"""What a message is about."""

from enum import StrEnum


class MessageKind(StrEnum):
    """What a message is about; it decides the ground and the icon of its bar."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    PAUSED = "paused"
