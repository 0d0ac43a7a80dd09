"""The drawer under the header: how the file was opened and why, its faults, the proof that it was not touched.

May import lmsp, layout and widgets; what it shows is passed in.

Never imports a view, an action, the store or the read side.
"""
