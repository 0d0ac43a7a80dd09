"""Whether anything may move: the fade of a changed cell, the line of something busy."""

from PySide6.QtWidgets import QApplication


def wants_motion() -> bool:
    """Say whether the desktop lets things move; where it does not, nothing fades and nothing runs along."""
    from PySide6.QtWidgets import QStyle  # noqa: PLC0415  loaded when something is to move, and not for the first page

    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0
