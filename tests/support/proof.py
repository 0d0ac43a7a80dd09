"""The product's own proof that a file was not touched, for tests of what must not touch one."""

from inspector.reading.proof import differences, touch_state

__all__ = ["differences", "touch_state"]
