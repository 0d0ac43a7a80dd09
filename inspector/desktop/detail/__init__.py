"""The detail pane: one task's summary, timeline, events and stored texts.

May import lmsp, layout, the selection, widgets and the painted timeline.

Never imports an action, the store or the read side.
"""
