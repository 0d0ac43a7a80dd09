"""The program, as a module and as the installed command. Ctrl+C ends it quietly from its first import on."""

import os

try:
    from inspector.commands.early import end_early_at_once

    end_early_at_once()
    from inspector.cli import main
except KeyboardInterrupt:
    os._exit(130)

if __name__ == "__main__":
    main()
