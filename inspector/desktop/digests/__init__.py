"""The Models view: each model's digest, size and the state of its file.

May import lmsp, layout, the selection and widgets; what it asks for is passed in.

Never imports another view, an action, the store or the read side.
"""
