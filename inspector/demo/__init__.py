"""A simulated LMSP service in a process of its own, the scenarios that start, kill and restart it, and large histories.

May import lmsp, layout and store: the service has no way to its database but the store's functions.

Never imports Qt or the read side.
"""
