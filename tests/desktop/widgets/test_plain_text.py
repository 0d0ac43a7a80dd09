"""No widget takes text of data for markup, and none loads what a markup would name."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QTabBar, QToolButton, QWidget

import inspector.desktop.widgets
from inspector.desktop.widgets.chip import Chip
from inspector.desktop.widgets.elided import ElidedLabel
from inspector.desktop.widgets.empty import EmptySentence
from inspector.desktop.widgets.fact_text import FactText
from inspector.desktop.widgets.json_view import JsonView
from inspector.desktop.widgets.key_values import KeyValue, KeyValues
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.desktop.widgets.strips import CaptionStrip, plain_label
from inspector.desktop.widgets.tabs import UnderlineTabs
from inspector.desktop.widgets.tips import tip
from inspector.desktop.widgets.tools import FlatTool, HeaderButton, LinkButton, ModeBadge
from tests.desktop.widgets.pages import Pages

SOURCES = sorted(Path(inspector.desktop.widgets.__file__).parent.glob("*.py"))
CANARY = '<img src="file:///canary.png" width=9000 height=9000><b>x</b>'


def key_values() -> QWidget:
    values = KeyValues()
    values.show_columns([[KeyValue(CANARY, CANARY), KeyValue(CANARY, CANARY, fixed=True)]])
    return values


def tabs() -> QWidget:
    made = UnderlineTabs()
    made.add_tab(CANARY, CANARY)
    return made


def json_view() -> QWidget:
    view = JsonView()
    view.show_text(CANARY, length=10**6)
    return view


def badge() -> QWidget:
    made = ModeBadge()
    made.set_mode("copy", CANARY)
    return made


WITH_TEXT: dict[str, Callable[[], QWidget]] = {
    "key values": key_values,
    "tabs": tabs,
    "JSON": json_view,
    "badge": badge,
    "chip": lambda: Chip(CANARY),
    "elided": lambda: ElidedLabel(CANARY),
    "empty": lambda: EmptySentence(CANARY, CANARY),
    "fact": lambda: FactText(CANARY, CANARY),
    "message": lambda: MessageBar("warn", CANARY, CANARY, verbs=(CANARY,), links=(CANARY,)),
    "caption": lambda: CaptionStrip(CANARY, CANARY),
    "label": lambda: plain_label(CANARY),
    "button": lambda: HeaderButton(CANARY),
    "tool": lambda: FlatTool(CANARY),
    "link": lambda: LinkButton(CANARY),
}


@pytest.mark.threat(id="T11")
@pytest.mark.threat(id="T12")
@pytest.mark.parametrize("name", WITH_TEXT)
def test_no_label_guesses_and_no_picture_makes_room(pages: Pages, name: str) -> None:
    widget = pages.show(WITH_TEXT[name]())
    everything = [widget, *widget.findChildren(QWidget)]

    labels = [part for part in everything if isinstance(part, QLabel)]
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    assert all(part.sizeHint().width() < 9_000 and part.sizeHint().height() < 2_000 for part in everything)
    assert all(part.toolTip() in ("", tip(CANARY)) for part in everything)


def test_the_canary_would_be_noticed(pages: Pages) -> None:
    label = pages.show(QLabel("<b>x</b>"))

    assert label.textFormat() is Qt.TextFormat.AutoText


def test_buttons_and_tabs_draw_their_words_themselves() -> None:
    # Qt's own draw markup as text as well; they are named here so that another kind of widget is looked at first.
    drawn = {QLabel, QPushButton, QToolButton, QTabBar}
    bases = {
        base
        for widget in (Chip, ElidedLabel, HeaderButton, LinkButton, UnderlineTabs, ModeBadge)
        for base in widget.__mro__
        if base in drawn
    }

    assert bases == drawn


FORBIDDEN = re.compile(
    r"\b(setHtml|insertHtml|appendHtml|toHtml|RichText|AutoText|MarkdownText|setMarkdown|QTextBrowser|QTextEdit|"
    r"QWebEngine\w*|QMovie|QImageReader|loadResource|setOpenExternalLinks)\b"
)


@pytest.mark.threat(id="T12")
@pytest.mark.threat(id="T14")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_source_speaks_of_markup_or_loads_pictures(source: Path) -> None:
    assert not FORBIDDEN.findall(source.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_label_of_qt_s_is_told_to_show_plain_text(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    tree = ast.parse(text)
    made = sum(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QLabel"
        for node in ast.walk(tree)
    )
    derived = sum(
        isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "QLabel" for base in node.bases)
        for node in ast.walk(tree)
    )

    assert text.count("setTextFormat(Qt.TextFormat.PlainText)") >= made + derived


@pytest.mark.threat(id="T11")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_tooltip_is_made_plain(source: Path) -> None:
    tips = re.findall(r"\bsetToolTip\((\w+)|\bshowText\(\w+, (\w+)", source.read_text(encoding="utf-8"))

    assert all(one == "tip" or other == "tip" for one, other in tips)
