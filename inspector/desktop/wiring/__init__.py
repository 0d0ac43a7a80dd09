"""What each view wants, asked of the session: one small class for each view, between the two.

May import the session, the selection, the views, lmsp, layout and the requests of the read side.

Never paints, never waits: an answer is handed to the view when it comes. Of rows it keeps only a log as its timeline
needs it, so that no part of that is asked for twice.
"""
