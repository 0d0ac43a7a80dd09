"""Finding a widget within another."""

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Kind = TypeVar("Kind", bound=QWidget)


def found(within: QWidget, kind: type[Kind]) -> Kind:
    """Return the first widget of this kind; fail where there is none."""
    widget = within.findChild(kind)
    assert widget is not None, f"there is no {kind.__name__}"
    return widget
