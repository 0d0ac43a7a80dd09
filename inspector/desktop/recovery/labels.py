"""How a label changes in place: what reads the same is left alone, so that a plan made anew costs no layout."""

from PySide6.QtWidgets import QLabel


def set_tone(label: QLabel, tone: str) -> None:
    """Give a label another tone; the style sheet looks at it again only when it is another one."""
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)


def set_text(label: QLabel, text: str) -> None:
    """Give a label another text; one that is the same costs no layout."""
    if label.text() != text:
        label.setText(text)
