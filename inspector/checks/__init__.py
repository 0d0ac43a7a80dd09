"""Conformance: one small function for each thing that section 11 promises, run over a database.

A rule is a pure function of plain frozen values (a task's row, a stretch of its log, what belongs to it) that gives
one sentence for each break; ``rulebook`` lists them all. What a file holds may be of any type: a value of the wrong one
is a finding of its own, and no rule is asked about it. ``walking`` reads a database in ranges of tasks, each with its
events, response and keys as of one moment, short enough that no checkpoint of a live service waits, and never holds
more than one range.

What one state of a database cannot show is proved by the store's tests alone: that an accepted task is still there
after a kill or a loss of power (11.2), that an older attempt cannot write, that recovery run twice or halfway gives the
same end (11.3), and that cleanup took nothing unfinished.

May import lmsp, layout and reading. Never Qt, never writes, never a clock.
"""
