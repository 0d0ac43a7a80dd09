"""The read side: opening any file safely, pages, counts and the change feed.

May import lmsp and layout.

Never writes, never trusts what it reads, never imports Qt or the store. ``python -m inspector.reading`` is the reader
process that a session starts and owns.
"""
