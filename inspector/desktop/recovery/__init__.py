"""The Recovery view: the table of section 11.3 with the tasks in each cell, and what a restart would do to each.

May import lmsp, layout, the selection and widgets; the plan is passed in.

Never imports another view, an action, the store or the read side, and never applies anything.
"""
