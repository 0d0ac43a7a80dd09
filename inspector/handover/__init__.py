"""What leaves: an export of a database, with its secrets taken out unless they are asked for.

May import lmsp, layout and reading.

Reads through reading alone, by questions to a reader that somebody else opened; writes new files only, each under
a temporary name until it is whole; never writes over anything, never imports Qt or the store, and opens no database.
"""
