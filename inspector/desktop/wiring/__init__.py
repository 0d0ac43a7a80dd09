"""What each view wants, asked of the session: one small class for each view, between the two.

May import the session, the selection, the views, lmsp, layout and the requests of the read side.

Never paints, never holds rows of its own, never waits: an answer is handed to the view when it comes.
"""
