"""The specification as plain values: statuses, transitions, cancel outcomes, the 11.3 table, event types, digests.

May import only the pure parts of the standard library.

Never touches a file, SQL, Qt, a clock or a log: every rule here is a function of its arguments, so that the store,
the preview and the tests ask the same one.
"""
