"""What processes use, as the kernel tells it: memory and processor time of one and of all that it started."""

import contextlib
from collections.abc import Iterator
from pathlib import Path


def family(pid: int) -> list[int]:
    """Return the process and all that descend from it."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            parts = _stat(int(folder.name))
            if parts:
                parents[int(folder.name)] = int(parts[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


Used = dict[int, float]
"""The processor time of processes, all their threads, in seconds by process."""


def processor_seconds(pids: list[int]) -> Used:
    """Return the processor time that these processes have used until now."""
    return {pid: sum(_ran_ns(pid)) / 1e9 for pid in pids}


def since(earlier: Used, now: Used) -> float:
    """Return the seconds between two looks; a process that has ended between them takes its last with it."""
    return sum(max(0.0, used - earlier.get(pid, 0.0)) for pid, used in now.items())


def pss_mib(pids: list[int]) -> float:
    """Return the proportional set size of these processes together."""
    return sum(kib for pid in pids for kib in _pss_kib(pid)) / 1024


def _pss_kib(pid: int) -> Iterator[int]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    yield from (int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _ran_ns(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield int((task / "schedstat").read_text(encoding="ascii").split()[0])


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
