"""Tooltips of plain text."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolTip, QWidget

LONGEST = 2_000
"""The most characters that a tooltip shows."""


def tip(text: str) -> str:
    """Return ``text`` so that a tooltip shows it as it is; empty stays empty, which shows none.

    A tooltip guesses whether it was given markup, and markup loads pictures; inside this one element nothing is left to
    guess.
    """
    if not text:
        return ""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    # By hand: the module html loads a table of all entities there are.
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<p style="white-space:pre-wrap">{escaped}</p>'


def show_tip(at: QPoint, text: str, owner: QWidget) -> None:
    """Show ``text`` at the global position ``at``, or hide the tooltip where there is none."""
    QToolTip.showText(at, tip(text), owner)
