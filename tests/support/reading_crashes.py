"""Databases as a service leaves them that was killed."""

import os
from pathlib import Path

from tests.support.reading_databases import add_task, make
from tests.support.reading_service import service_on


def crashed(path: Path) -> Path:
    """Leave a database as a killed service does: the task ``late`` is in the -wal alone."""
    make(path, "early")
    with service_on(path, "wal_autocheckpoint=0") as service:
        add_task(service, "late")
        service.kill()
    return path


def hot(path: Path) -> Path:
    """Leave a database as a service does that was killed while it wrote pages of an unfinished transaction."""
    make(path, "early", journal="delete")
    with service_on(path, "cache_size=2", "cache_spill=2") as service:
        service.execute("BEGIN IMMEDIATE")
        service.execute("UPDATE tasks SET request = hex(zeroblob(20000))")
        for number in range(30):
            service.execute("INSERT INTO service_config VALUES (?, hex(zeroblob(4000)), 1)", [f"k{number}"])
        service.kill()
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0
    return path


def with_super_journal(path: Path, victim: Path) -> Path:
    """Name ``victim`` as the super-journal of the hot journal beside ``path``, as an attacker would."""
    name = os.fsencode(victim)
    journal = path.with_name(f"{path.name}-journal")
    checksum = sum(name) & 0xFFFFFFFF
    with journal.open("ab") as file:
        file.write((0xFFFFFFFF).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + checksum.to_bytes(4, "big"))
        file.write(bytes.fromhex("d9d505f920a163d7"))
    return path
