"""The Tasks view: filters, the table of tasks, and what is new above it.

May import lmsp, layout, the selection and widgets; what it asks for is passed in.

Never imports another view, an action, the store or the read side.
"""
