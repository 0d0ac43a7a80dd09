"""The Qt application: a session on an open database, views that ask it, and actions.

``app`` and ``main_window`` compose; ``session`` is the only room here that knows store and reading; each view has a
folder of its own and meets the others only in ``selection`` and in the session's signals.

At a start the frame and the first page of tasks come first. Every other view is a ``Late`` one: imported, built and
wired when it is first wanted; the pane of the selected task and the menus come after the first paint.

Never runs SQL on the GUI thread, never waits, never shows text from data as anything but plain text.
"""
