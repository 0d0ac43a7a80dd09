"""The style sheet of the window, written from tokens; what Qt's palette already does well is not in it.

Sizes count the frame: a button of 24 with a frame of 1 is 26 high, and stays so when focus makes its frame 2.
"""

from dataclasses import fields
from string import Template

from PySide6.QtGui import QColor

from inspector.desktop.widgets.palette import Tokens, mixed

_SHEET = Template(
    """
QToolTip { color: $text; background: $base; border: 1px solid $edge; padding: 4px 6px; }

QMenuBar { color: $text; background: $window; border-bottom: 1px solid $line; padding: 0 7px; }
QMenuBar::item { background: transparent; padding: 5px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: $select; }

QPushButton {
  color: $text; background: $base; border: 1px solid $edge; border-radius: 4px;
  min-height: 20px; padding: 2px 10px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed, QPushButton:checked { background: $select; border-color: $accent; }
QPushButton:default, QPushButton:focus { border: 2px solid $accent; padding: 1px 9px; }
QPushButton:disabled { color: $faint; background: $select_in; border-color: $line; }
QPushButton[link="true"] {
  color: $accent; background: transparent; border: 2px solid transparent; padding: 0 2px;
}
QPushButton[link="true"]:default { border-color: transparent; padding: 0 2px; }
QPushButton[link="true"]:hover { text-decoration: underline; }
QPushButton[link="true"]:focus { border-color: $accent; padding: 0 2px; }
QPushButton[link="true"]:disabled { color: $faint; }

QLineEdit {
  color: $text; background: $base; border: 1px solid $edge; border-radius: 4px;
  min-height: 20px; padding: 2px 6px; placeholder-text-color: $text3;
  selection-background-color: $select; selection-color: $text;
}
QLineEdit:focus { border: 2px solid $accent; padding: 1px 5px; }
QLineEdit:disabled { color: $faint; background: $window; border-color: $line; }

QScrollBar { background: $base; border: none; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: $edge; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QTabBar QToolButton { background: $window; border: none; border-left: 1px solid $line; }

QSplitter::handle { background: $edge; }
QMainWindow::separator { background: $edge; width: 1px; height: 1px; }

QStatusBar { color: $text2; background: $window; border-top: 1px solid $line; }
QStatusBar::item { border: none; }

QProgressBar { background: $base; border: 1px solid $edge; border-radius: 2px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; }

QLabel[tone="text2"] { color: $text2; }
QLabel[tone="text3"] { color: $text3; }
QLabel[tone="accent"] { color: $accent; }
QLabel[tone="warn"] { color: $warn_fg; }
"""
)


def style_sheet(tokens: Tokens) -> str:
    """Return the application's style sheet in the colours of ``tokens``."""
    values = {field.name: getattr(tokens, field.name) for field in fields(tokens)}
    names = {name: value.name() for name, value in values.items() if isinstance(value, QColor)}
    return _SHEET.substitute(names, faint=mixed(tokens.text3, tokens.window, 0.65).name())
