"""Nothing of an archive is trusted: no name, no link, no size, no sum. What is wrong with it is told in a sentence."""

import bz2
import gzip
import lzma
import os
import tarfile
import time
import zipfile
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.layout.opened import Mode
from inspector.reading import unpacking
from inspector.reading.archive_entries import MOST_ENTRIES
from inspector.reading.copying import copy_database
from inspector.reading.errors import Unreadable
from inspector.reading.reader import open_reader
from tests.support.archive_reading import put, read, refusal
from tests.support.archives import (
    DEVICE,
    LINK,
    PACKERS,
    PIPE,
    encrypted,
    files_of,
    saying_size,
    tarred,
    tarred_as,
    zipped,
    zipped_as,
    zipped_oddly,
)
from tests.support.reading_crashes import hot, with_super_journal
from tests.support.reading_databases import listing, make, read_at

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("temporary")]

ZEROS = bytes(1 << 24)
ODD_TAR = {
    "link": (tarfile.SYMTYPE, "a link"),
    "hard link": (tarfile.LNKTYPE, "a link"),
    "device": (tarfile.CHRTYPE, "no file"),
    "block device": (tarfile.BLKTYPE, "no file"),
    "pipe": (tarfile.FIFOTYPE, "no file"),
    "folder": (tarfile.DIRTYPE, "a folder"),
}
ODD_ZIP = {"link": (LINK, "a link"), "device": (DEVICE, "no file"), "pipe": (PIPE, "no file")}
NAMES = (
    "service.db?mode=rwc",
    "service.db#x",
    "ser%76ice.db",
    "\u202egnp.bd",
    "two\nlines.db",
    "\x1b[2J.db",
    "-rf.db",
    " .db",
    "a\\b.db",
    "naïve.db",
    "'quoted\".db",
    "n" * 400 + ".db",
)


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = (f"t{number:03}" for number in range(200))
    return make(tmp_path_factory.mktemp("resting") / "service.db", *tasks, journal="delete")


@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("odd", ODD_TAR)
def test_a_tar_of_what_is_no_file(tmp_path: Path, odd: str) -> None:
    kind, word = ODD_TAR[odd]
    path = put(tmp_path, "a.tar", tarred([("b", b"text")], tarred_as(kind, "service.db")))

    sentence = refusal(path)

    if word == "a folder":
        assert sentence == "a.tar holds no SQLite database, or an encrypted one."
    else:
        assert sentence == f"a.tar holds no database. service.db in it is {word}, and is not followed."


@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("odd", ODD_TAR)
def test_a_companion_in_a_tar_that_is_no_file_is_left_out_and_told(tmp_path: Path, left_over: Path, odd: str) -> None:
    kind, word = ODD_TAR[odd]
    path = put(tmp_path, "a.tar", tarred(files_of(left_over)[:1], tarred_as(kind, "service.db-wal")))

    opened, tasks = read(path)

    assert opened.faulty
    assert (
        f"service.db-wal in a.tar is {word} and is left out: changes that it should hold are missing." in opened.notes
    )
    assert tasks == ["early"]


@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("odd", ODD_ZIP)
def test_a_zip_of_what_is_no_file(tmp_path: Path, left_over: Path, odd: str) -> None:
    mode, word = ODD_ZIP[odd]
    alone = put(tmp_path, "a.zip", zipped_oddly([], zipped_as(mode, "service.db")))
    beside = put(tmp_path, "b.zip", zipped_oddly(files_of(left_over)[:1], zipped_as(mode, "service.db-wal")))

    assert refusal(alone) == f"a.zip holds no database. service.db in it is {word}, and is not followed."
    opened, tasks = read(beside)
    assert any(note.startswith(f"service.db-wal in b.zip is {word} and is left out") for note in opened.notes)
    assert tasks == ["early"]


@pytest.mark.threat(id="T21")
def test_the_link_that_comes_last_hides_the_database_before_it(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.tar", tarred(files_of(resting), tarred_as(tarfile.SYMTYPE, "service.db")))

    assert refusal(path) == "a.tar holds no database. service.db in it is a link, and is not followed."


@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("name", ["../s.db", "/tmp/s.db", "a/../../s.db", "..\\s.db", "C:/s.db"])
@pytest.mark.parametrize("packer", ["zip", "tar", "tar, GNU", "tar.gz"])
def test_a_name_that_leads_out(tmp_path: Path, resting: Path, packer: str, name: str) -> None:
    whole = resting.read_bytes()
    alone = put(tmp_path, "a", PACKERS[packer]([(name, whole)]))
    beside = put(tmp_path, "b", PACKERS[packer]([(name, whole), ("service.db", whole), (f"{name}-wal", whole)]))

    assert refusal(alone) == (
        f"a is not opened: the name of the database in it, {name}, leads out of the folder that it is unpacked in. "
        "If you trust it, unpack it and open the database that comes out."
    )
    assert read(beside)[0].why.endswith(": service.db of b.")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("packer", ["zip", "tar", "tar, GNU"])
def test_odd_names(tmp_path: Path, left_over: Path, packer: str, name: str) -> None:
    path = put(tmp_path, "a", PACKERS[packer](files_of(left_over, name=name)))

    opened, tasks = read(path)

    assert tasks == ["early", "late"]
    assert opened.why.isprintable()
    assert len(opened.why) < 300
    assert opened.why.endswith(" of a, with its -wal.")


def test_names_that_are_no_text(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.tar", tarred([(os.fsdecode(b"caf\xe9.db"), resting.read_bytes())]))

    assert "caf\\udce9.db of a.tar" in read(path)[0].why
    with open_reader(path / "caf\\udce9.db", now_ms=read_at) as reader:
        assert "caf\\udce9.db of a.tar" in reader.opened.why


@pytest.mark.threat(id="T1")
@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("packer", ["zip", "tar"])
def test_no_file_that_a_journal_in_an_archive_names_is_removed(tmp_path: Path, packer: str) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    left = tmp_path / "left"
    left.mkdir()
    path = put(tmp_path, "a", PACKERS[packer](files_of(with_super_journal(hot(left / "service.db"), victim))))

    assert "An unfinished transaction was rolled back in the copy." in read(path)[0].notes
    copy_database(path, left / "copy.db")
    assert victim.read_text(encoding="utf-8") == "precious"


def test_an_encrypted_zip(tmp_path: Path, left_over: Path) -> None:
    whole = put(tmp_path, "a.zip", encrypted(zipped(files_of(left_over))))

    assert refusal(whole) == (
        "a.zip holds no database that can be read: service.db in it is encrypted. Unpack it with its password, and "
        "open the database that comes out."
    )


def test_a_zip_whose_member_says_more_than_there_is_room_for(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", saying_size(zipped(files_of(resting)), 0xFFFF_FFF0))

    with pytest.MonkeyPatch.context() as patched:
        room = SimpleNamespace(f_bavail=1 << 17, f_frsize=1 << 10)
        patched.setattr(os, "statvfs", lambda _: room)
        assert refusal(path) == (
            "service.db of a.zip is not unpacked: it needs more than the 67,108,864 bytes that are free for private "
            "copies."
        )


def bombs() -> dict[str, bytes]:
    """Return archives of a few kilobytes that unpack to more than three gigabytes of zeros."""
    endless = tarfile.TarInfo("zeros")
    endless.size = 1 << 40
    head = endless.tobuf()
    start = b"SQLite format 3\0"
    return {
        "tar.bz2": bz2.compress(head) + bz2.compress(ZEROS) * 200,
        "bz2": bz2.compress(start + ZEROS) + bz2.compress(ZEROS) * 200,
        "tar.xz": lzma.compress(head) + lzma.compress(ZEROS) * 200,
        "tar.gz": gzip.compress(head) + gzip.compress(ZEROS) * 200,
    }


@pytest.mark.threat(id="T21")
@pytest.mark.parametrize("kind", ["tar.bz2", "bz2", "tar.xz", "tar.gz"])
def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("inspector.reading.archive_streams._LEAST", 64 << 20)
    monkeypatch.setattr("inspector.reading.archive_streams._RATIO", 20)
    path = put(tmp_path, "a", bombs()[kind])

    assert " bytes come out of it, as out of a file that was made to fill a disk. " in refusal(path)


def test_a_zip_of_zeros_with_a_lying_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.reading.archive_streams._LEAST", 1 << 20)
    packed = zipped([("service.db", b"SQLite format 3\0" + ZEROS)])
    honest = put(tmp_path, "a.zip", packed)
    lying = put(tmp_path, "b.zip", saying_size(packed, 1_000))

    assert "more than 3," in refusal(honest) or "more than 1,048,576 bytes come out" in refusal(honest)
    assert "b.zip" in refusal(lying)


@pytest.mark.threat(id="T21")
def test_what_is_written_is_counted_and_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resting: Path
) -> None:
    monkeypatch.setattr(unpacking, "_MOST", 20_000)
    path = put(tmp_path, "a.gz", gzip.compress(resting.read_bytes()))

    assert refusal(path) == (
        "a of a.gz is not unpacked: more than 20,000 bytes of it are no private copy any more. Unpack it yourself, and "
        "open the database that comes out."
    )


@pytest.mark.parametrize("packer", ["zip"])
def test_twenty_thousand_members(tmp_path: Path, resting: Path, packer: str) -> None:
    members = [*((f"logs/{number}.json", b"{} " * 50) for number in range(20_000)), *files_of(resting)]
    path = put(tmp_path, "a", PACKERS[packer](members))
    started = time.monotonic()

    assert len(read(path)[1]) == 200
    assert time.monotonic() - started < 10


@pytest.mark.large
@pytest.mark.parametrize("packer", ["zip", "tar", "tar.gz"])
def test_a_hundred_thousand_members(tmp_path: Path, packer: str) -> None:
    path = put(tmp_path, "a", PACKERS[packer]([(f"{number}", b"") for number in range(100_000)]))
    started = time.monotonic()

    assert refusal(path) == (
        f"a holds more than {MOST_ENTRIES:,} files and folders: that many are not looked through. Unpack it, and open "
        "the database that comes out."
    )
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("packer", ["zip", "tar", "tar.gz", "tar.xz"])
def test_a_stop_ends_the_unpacking_at_any_moment(temporary: Path, tmp_path: Path, resting: Path, packer: str) -> None:
    path = put(tmp_path, "a", PACKERS[packer]([("x", b"text" * 9_000), *files_of(resting)]))
    for allowed in range(6):
        with pytest.raises(Unreadable, match="not unpacked to its end"):
            open_reader(path, now_ms=read_at, should_stop=partial(next, chain(repeat(False, allowed), repeat(True))))
        assert listing(temporary) == set()


def test_an_archive_that_is_written_meanwhile_is_not_read_as_half_of_each(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(resting)))

    def touch() -> bool:
        path.touch()
        return False

    with pytest.raises(Unreadable, match=r"a\.zip cannot be unpacked: it keeps changing\."):
        open_reader(path, now_ms=read_at, should_stop=touch)


def test_an_archive_in_mode_copy_leaves_nothing_behind_when_it_is_refused(temporary: Path, tmp_path: Path) -> None:
    path = put(tmp_path, "a.zip", zipped([("service.db", b"SQLite format 3\0" + bytes(4_080))]))

    with pytest.raises(Unreadable):
        open_reader(path, mode=Mode.COPY, now_ms=read_at)
    assert listing(temporary) == set()
    assert zipfile.is_zipfile(path)
