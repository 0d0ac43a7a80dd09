"""The Tables view: any table of the file as it is stored, and one statement that only reads.

May import lmsp, layout and widgets; what it asks for is passed in.

Never imports another view, an action, the store or the read side.
"""
