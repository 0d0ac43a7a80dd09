"""Memory of the window's process after a thousand random jumps: bar 10, without the ten thousand refreshes."""

from told import ToldWindow
from verdicts import Databases, Verdict

JUMPS = 1_000
MOST_MIB = 45.0
MOST = 1.1


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts: above an empty window, and the large database beside the small one."""
    found = {}
    for name, path in (("big", on.big), ("small", on.small)):
        with ToldWindow(str(path)) as window:
            window.tell(f"jump {JUMPS}")
            found[name] = window.pss_mib(readers=False)
    with ToldWindow("--empty") as empty:
        found["empty"] = empty.pss_mib(readers=False)
    above = found["big"] - found["empty"]
    note = f"{found['big']:.0f} beside {found['empty']:.0f} MiB"
    return [
        Verdict(f"10 memory after {JUMPS:,} jumps, above an empty window", above, MOST_MIB, unit=" MB", note=note),
        Verdict("10 memory after the jumps, large beside small", found["big"] / found["small"], MOST, steady=True),
    ]
