import pytest
from PySide6.QtGui import QTextDocument

from inspector.desktop.widgets.tips import LONGEST, tip


@pytest.mark.parametrize("text", ["plain", "<b>x</b>", "a<br>b", "&lt;", "</p><img src='file:///x'>", "  two\n lines"])
def test_what_a_tooltip_shows_is_the_text(text: str) -> None:
    document = QTextDocument()
    document.setHtml(tip(text))

    assert document.toPlainText() == text
    assert "<img" not in tip(text)


def test_nothing_shows_no_tooltip() -> None:
    assert tip("") == ""


def test_a_huge_text_is_cut() -> None:
    assert len(tip("x" * 10**7)) < LONGEST + 100
    assert tip("x" * 10**7).endswith("x…</p>")
    assert "…" not in tip("x" * LONGEST)
