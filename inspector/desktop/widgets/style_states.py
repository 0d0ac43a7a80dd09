"""What Qt's style tells a delegate of a cell.

Each touch of QStyle, and be it the type of ``option.state``, has PySide make its five hundred names first, which takes
as long as all rows of the first page. What is painted for that page does without, and everything else asks here.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PySide6.QtWidgets import QStyle


class StyleStates(NamedTuple):
    """The bits of ``option.state`` that are looked at."""

    selected: "QStyle.StateFlag"
    active: "QStyle.StateFlag"
    focus: "QStyle.StateFlag"
    hover: "QStyle.StateFlag"


@cache
def style_states() -> StyleStates:
    """Return the bits."""
    from PySide6.QtWidgets import QStyle  # noqa: PLC0415  what this module is for

    flags = QStyle.StateFlag
    return StyleStates(flags.State_Selected, flags.State_Active, flags.State_HasFocus, flags.State_MouseOver)
