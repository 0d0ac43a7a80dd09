"""What we know of versions of Qt that we must not get, so that raising the cap in ``pyproject.toml`` is safe."""

import sys

import pytest
from PySide6.QtCore import QObject, Signal


class Emitter(QObject):
    done = Signal()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="True and None cannot go there")
def test_this_qt_keeps_its_references_to_true_and_none() -> None:
    # PySide6 6.12.0 loses one with each emit and dies within seconds.
    emitter = Emitter()
    emitter.done.connect(lambda: None)
    held = [True, None] * 100_000
    before = sys.getrefcount(True), sys.getrefcount(None)
    for _ in range(1_000):
        emitter.done.emit()
        timer = emitter.startTimer(10_000)
        emitter.killTimer(timer)

    after = sys.getrefcount(True), sys.getrefcount(None)

    assert len(held) == 200_000
    assert all(abs(was - now) < 100 for was, now in zip(before, after, strict=True))
