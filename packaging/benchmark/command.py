"""The command ``tasks`` beside a process that imports its libraries and fetches the same rows: bar 12."""

import subprocess
import sys

from verdicts import Databases, Verdict, in_turns, ratio

from inspector.reading.recognising import TASK_COLUMNS

MOST = 1.5
ROWS = 200

PLAIN = f"""
import sys, sqlite_utils, click, sqlite3
conn = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro&immutable=1", uri=True)
conn.execute("SELECT {", ".join(TASK_COLUMNS)} FROM tasks ORDER BY created_at DESC, id DESC LIMIT {ROWS}").fetchall()
conn.execute("SELECT status, count(*) FROM tasks GROUP BY status").fetchall()
"""
SEES_QT = """
import sys
from inspector.cli import main
try:
    main(sys.argv[1:])
finally:
    sys.exit(9 if any(name.startswith("PySide6") for name in sys.modules) else 0)
"""


def measure(on: Databases) -> list[Verdict]:
    """Return the verdict; raises AssertionError where the command imports Qt."""
    asked = ["tasks", str(on.big), "--limit", str(ROWS), "--json"]

    def run(*command: str) -> int:
        return subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, timeout=120).returncode

    if run("-c", SEES_QT, *asked) != 0:
        raise AssertionError("the command tasks imports Qt, or failed")
    arms = {
        "command": lambda: run("-m", "inspector", *asked),
        "plain": lambda: run("-c", PLAIN, str(on.big)),
        "again": lambda: run("-c", PLAIN, str(on.big)),
    }
    seconds = in_turns(arms, max(7, on.rounds))
    control = ratio(seconds["again"], seconds["plain"])
    return [Verdict("12 tasks --limit 200 --json", ratio(seconds["command"], seconds["plain"]), MOST, control)]
