"""The Qt application: a session on an open database, views that ask it, and actions.

``app`` and ``main_window`` compose; ``session`` is the only room here that knows store and reading; each view has a
folder of its own and meets the others only in ``selection`` and in the session's signals.

Never runs SQL on the GUI thread, never waits, never shows text from data as anything but plain text.
"""
