"""``python -m inspector``: the program, where its command is not on the path."""

from inspector.cli import main

main()
