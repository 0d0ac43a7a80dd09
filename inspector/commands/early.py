"""How Ctrl+C ends the program while it is still being loaded: at once, and without a word.

Imports next to nothing: what is imported before this is not covered by it.
"""

import os
import signal
from types import FrameType
from typing import Final, NoReturn

OWN: Final = (signal.SIG_DFL, signal.default_int_handler)
"""What a signal does where nobody has said anything else."""


def end_at_once(number: int, _frame: FrameType | None) -> NoReturn:
    """End the process with the status that a shell reports of this signal. Nothing was begun that has to be undone."""
    os._exit(128 + number)


def end_early_at_once() -> None:
    """Let Ctrl+C end the program at once, unless somebody has said otherwise (nohup, a program that runs us)."""
    if signal.getsignal(signal.SIGINT) in OWN:
        signal.signal(signal.SIGINT, end_at_once)
