"""One file for each thing that a user can do.

May import lmsp, layout, the session, the selection and widgets.

Never imports a view, the store or the read side.
"""
