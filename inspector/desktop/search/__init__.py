"""The Search view: the events of all tasks that hold a text.

May import lmsp, layout and widgets; what it asks for is passed in.

Never imports another view, an action, the store or the read side.
"""
