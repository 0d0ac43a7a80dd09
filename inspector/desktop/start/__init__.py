"""What stands in the window while no file is open: how to open one, and the files that were open lately.

May import widgets and layout.

Never imports another view, an action, the store or the read side, and looks at no file.
"""
