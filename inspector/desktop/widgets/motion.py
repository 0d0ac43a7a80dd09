"""Whether anything may move: the fade of a changed cell, the line of something busy."""

from PySide6.QtWidgets import QApplication, QStyle


def wants_motion() -> bool:
    """Say whether the desktop lets things move; where it does not, nothing fades and nothing runs along."""
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0
