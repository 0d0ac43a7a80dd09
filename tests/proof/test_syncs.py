"""What is acknowledged was synced: each rule waits for the disk once, and for nothing more than once."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlite_utils import Database

from tests.support.apsw_connection import store_on
from tests.support.apsw_disk import Disk, recorded_disk
from tests.support.disk_writes import NOW_MS, REFUSED, WRITES, prepare
from tests.support.subject import store

ROOT = Path(__file__).parents[2]


@contextmanager
def watched(tmp_path: Path) -> Iterator[tuple[Disk, Database]]:
    """Give a database in whose -wal there is a commit already: the first one syncs the new file's header as well."""
    with recorded_disk(tmp_path) as disk, store_on(disk):
        db = store.open_service_database(tmp_path / "service.db")
        prepare(db)
        yield disk, db
        db.close()


@pytest.mark.ours
def test_each_rule_syncs_the_wal_once_and_nothing_else(tmp_path: Path, proved: Callable[[str], None]) -> None:
    with watched(tmp_path) as (disk, db):
        counted = {}
        for name, write in WRITES.items():
            before = disk.syncs("-wal"), disk.syncs("")
            write(db)
            counted[name] = disk.syncs("-wal") - before[0], disk.syncs("") - before[1]
            # After the sync nothing is written: what was acknowledged was in it.
            assert disk.ops[-1].kind == "sync" or name == "clean up"
        # Cleanup makes its checkpoint itself, after the commit: it syncs the -wal again, and then the database.
        assert counted.pop("clean up") == (2, 1)
        assert counted == dict.fromkeys(counted, (1, 0))
    proved(f"syncs: {len(counted)} rules sync the -wal once each, 50 events in one call too")


@pytest.mark.ours
@pytest.mark.parametrize("name", REFUSED)
def test_what_writes_nothing_asks_the_disk_for_nothing(tmp_path: Path, name: str) -> None:
    with watched(tmp_path) as (disk, db):
        before = len(disk.ops)
        with suppress(store.Refused):
            REFUSED[name](db)
        assert len(disk.ops) == before


@pytest.mark.ours
@pytest.mark.parametrize(("synchronous", "syncs"), [(None, 20), ("NORMAL", 0)])
def test_the_count_tells_full_from_normal(tmp_path: Path, synchronous: str | None, syncs: int) -> None:
    with recorded_disk(tmp_path) as disk, store_on(disk, synchronous=synchronous):
        db = store.open_service_database(tmp_path / "service.db")
        store.set_config(db, "k", 0, now_ms=1)
        before = disk.syncs("-wal")
        for number in range(20):
            store.set_config(db, "k", number, now_ms=NOW_MS)
        assert disk.syncs("-wal") - before == syncs
        db.close()


ACCEPT_100 = """
import sys
from inspector import store
db = store.open_service_database(sys.argv[1])
for n in range(100):
    store.accept_task(db, request={}, on_restart="retry", now_ms=n)
db.close()
"""


@pytest.mark.ours
@pytest.mark.process
@pytest.mark.timeout(300)
def test_the_real_module_syncs_for_each_acknowledgement(tmp_path: Path, proved: Callable[[str], None]) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed: the system's own calls cannot be counted")
    path, trace = tmp_path / "service.db", tmp_path / "trace"
    # -y names the file of each call.
    command = [strace, "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", str(trace), sys.executable, "-c", ACCEPT_100]
    ran = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=200)
    if "ptrace" in ran.stderr:
        pytest.skip(f"strace may not trace here: {ran.stderr.splitlines()[0]}")
    assert ran.returncode == 0, ran.stderr
    synced = re.findall(r"f(?:data)?sync\(\d+<([^>]*)>\) = 0", trace.read_text())
    of_wal = [at for at, name in enumerate(synced) if name == f"{path}-wal"]
    assert len(of_wal) >= 100
    # The name of a new -wal, and so of a new database, becomes durable before the first task is acknowledged.
    assert str(path.parent) in synced[of_wal[0] : of_wal[1] + 1]
    proved(f"syncs: 100 tasks accepted, {len(of_wal)} syncs of the -wal and {len(synced)} in all (strace)")
