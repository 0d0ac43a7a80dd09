"""The shape of our database, and the values that are read from one: DDL, version, frozen row types.

May import lmsp.

Never opens anything but the SQL text beside it.
"""
