"""The LMSP persistence rules: everything that writes, each rule in one short transaction.

A service calls these functions as its persistence layer; the inspector calls a few of them. They take an open database
and plain values, and the time as an argument.

May import lmsp, layout and sqlite_utils. Never Qt, never the clock, never the read side.
"""
