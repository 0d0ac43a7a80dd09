"""The commands: one file each, over the store, the read side and the demo.

A command takes its arguments apart, asks the room that knows, prints what came back, and ends with the exit status of
design 7: 0 done, 1 refused by a rule or not there, 2 unusable input. What it prints of a database is made visible.

May import lmsp, layout, store, reading, handover and demo. Never Qt: the commands that show a window are in
``inspector.cli``, which also imports each of these only when it is asked for. The clock and the waiting are passed in.
"""
