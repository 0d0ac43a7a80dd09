"""The painted timeline of one task: pure geometry, and the widget that draws it.

May import lmsp, layout and widgets.

Never imports another view, the store or the read side.
"""
