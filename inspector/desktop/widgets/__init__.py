"""Reusable parts that know nothing of a database: palette, icons, shapes, delegates, chips, bars.

May import PySide6, and lmsp for the seven statuses that have a shape.

Never imports anything else of ours.
"""
