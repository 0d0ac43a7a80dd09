"""An open database as Qt sees it: the reader process, what moved, late answers dropped, the actions' own connection.

May import lmsp, layout, store, reading, PySide6 and qasync.

Never imports a view or a widget, and never holds a connection to the file between two actions.
"""
