"""Nothing of an archive is trusted: no name, no link, no size, no sum. What is wrong with it is told in a sentence."""

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading import unpacking
from inspector.reading.archive_entries import MOST_ENTRIES
from inspector.reading.copying import copy_database
from inspector.reading.errors import Unanswered, Unreadable
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from tests.support.archives import (
    DEVICE,
    LINK,
    PACKERS,
    PIPE,
    encrypted,
    files_of,
    saying_size,
    saying_sum,
    tarred,
    tarred_as,
    zipped,
    zipped_as,
    zipped_oddly,
)
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import listing, make, read_at

pytestmark = pytest.mark.timeout(60)

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


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that private copies are made in, empty before."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = (f"t{number:03}" for number in range(200))
    return make(tmp_path_factory.mktemp("resting") / "service.db", *tasks, journal="delete")


@pytest.fixture(scope="module")
def left_over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crashed(tmp_path_factory.mktemp("crashed") / "service.db")


def put(folder: Path, name: str, content: bytes) -> Path:
    (folder / "sent").mkdir(exist_ok=True)
    path = folder / "sent" / name
    path.write_bytes(content)
    return path


def everything_in(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*"))


def read(path: Path) -> tuple[Opened, list[str]]:
    """Open, read the tasks as far as they can be, close; nothing appears anywhere, and the archive stays as it is."""
    top = path.parents[1]
    before, names = touch_state(path), everything_in(top)
    with open_reader(path, now_ms=read_at) as reader:
        appeared = set(everything_in(top)) - set(names)
        assert {Path(each).name.removeprefix("copy.db") for each in appeared if "/copy.db" in each} <= {
            *("", "-wal", "-shm", "-journal")
        }
        assert all(each.startswith("temporary/lmsp-inspector-copy-") for each in appeared)
        opened = reader.opened
        try:
            page = reader.answer(TaskPageRequest())
        except Unanswered:
            page = TaskPage((), None)
    assert isinstance(page, TaskPage)
    assert differences(before, touch_state(path)) == ()
    assert everything_in(top) == names
    return opened, sorted(task.id for task in page.tasks)


def told_of(path: Path) -> str:
    """Return what is said of a faulty archive: the notes, or the sentence; nothing where no fault was found."""
    try:
        opened, _ = read(path)
    except Unreadable as error:
        return error.sentence
    return " ".join(opened.notes) if opened.faulty else ""


def refusal(path: Path) -> str:
    top = path.parents[1]
    before, names = touch_state(path), everything_in(top)
    with pytest.raises(Unreadable) as refused:
        open_reader(path, now_ms=read_at)
    assert differences(before, touch_state(path)) == ()
    assert everything_in(top) == names
    return refused.value.sentence


@pytest.mark.parametrize("odd", ODD_TAR)
def test_a_tar_of_what_is_no_file(tmp_path: Path, odd: str) -> None:
    kind, word = ODD_TAR[odd]
    path = put(tmp_path, "a.tar", tarred([("b", b"text")], tarred_as(kind, "service.db")))

    sentence = refusal(path)

    if word == "a folder":
        assert sentence == "a.tar holds no SQLite database, or an encrypted one."
    else:
        assert sentence == f"a.tar holds no database. service.db in it is {word}, and is not followed."


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


@pytest.mark.parametrize("odd", ODD_ZIP)
def test_a_zip_of_what_is_no_file(tmp_path: Path, left_over: Path, odd: str) -> None:
    mode, word = ODD_ZIP[odd]
    alone = put(tmp_path, "a.zip", zipped_oddly([], zipped_as(mode, "service.db")))
    beside = put(tmp_path, "b.zip", zipped_oddly(files_of(left_over)[:1], zipped_as(mode, "service.db-wal")))

    assert refusal(alone) == f"a.zip holds no database. service.db in it is {word}, and is not followed."
    opened, tasks = read(beside)
    assert any(note.startswith(f"service.db-wal in b.zip is {word} and is left out") for note in opened.notes)
    assert tasks == ["early"]


def test_the_link_that_comes_last_hides_the_database_before_it(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.tar", tarred(files_of(resting), tarred_as(tarfile.SYMTYPE, "service.db")))

    assert refusal(path) == "a.tar holds no database. service.db in it is a link, and is not followed."


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


def test_an_encrypted_zip(tmp_path: Path, left_over: Path) -> None:
    whole = put(tmp_path, "a.zip", encrypted(zipped(files_of(left_over))))

    assert refusal(whole) == (
        "a.zip holds no database that can be read: service.db in it is encrypted. Unpack it with its password, and "
        "open the database that comes out."
    )


@pytest.mark.parametrize("packer", ["zip", "zip, stored"])
def test_a_zip_whose_member_says_less_than_it_is(tmp_path: Path, resting: Path, packer: str) -> None:
    whole = resting.read_bytes()
    path = put(tmp_path, "a.zip", saying_size(PACKERS[packer]([("service.db", whole)]), len(whole) - 8_192))

    opened, _ = read(path)

    assert opened.faulty
    assert any("damaged in the archive" in note for note in opened.notes)


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


def test_what_is_written_is_counted_and_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resting: Path
) -> None:
    monkeypatch.setattr(unpacking, "_MOST", 20_000)
    path = put(tmp_path, "a.gz", gzip.compress(resting.read_bytes()))

    assert refusal(path) == (
        "a of a.gz is not unpacked: more than 20,000 bytes of it are no private copy any more. Unpack it yourself, and "
        "open the database that comes out."
    )


@pytest.mark.parametrize("packer", ["zip", "tar", "tar.gz", "tar.xz"])
def test_twenty_thousand_members(tmp_path: Path, resting: Path, packer: str) -> None:
    members = [*((f"logs/{number}.json", b"{} " * 50) for number in range(20_000)), *files_of(resting)]
    path = put(tmp_path, "a", PACKERS[packer](members))
    started = time.monotonic()

    assert len(read(path)[1]) == 200
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("packer", ["zip", "tar", "tar.gz"])
def test_a_hundred_thousand_members(tmp_path: Path, packer: str) -> None:
    path = put(tmp_path, "a", PACKERS[packer]([(f"{number}", b"") for number in range(100_000)]))
    started = time.monotonic()

    assert refusal(path) == (
        f"a holds more than {MOST_ENTRIES:,} files and folders: that many are not looked through. Unpack it, and open "
        "the database that comes out."
    )
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("packer", ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip, stored"])
@pytest.mark.parametrize("after", [0.001, 0.02, 0.5, 0.9])
def test_a_truncated_archive_is_opened_as_far_as_it_goes_or_refused(
    tmp_path: Path, resting: Path, packer: str, after: float
) -> None:
    packed = PACKERS[packer](files_of(resting))
    path = put(tmp_path, "a", packed[: round(len(packed) * after)])

    told = told_of(path)
    assert "cut off" in told or "another kind of file" in told


def test_what_stands_before_the_cut_can_be_read(tmp_path: Path, resting: Path) -> None:
    packed = gzip.compress(resting.read_bytes())
    path = put(tmp_path, "a.gz", packed[:-100])

    opened, tasks = read(path)

    assert any(note.startswith("a of a.gz ends after ") for note in opened.notes)
    assert len(tasks) > 50


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_what_stood_behind_the_cut_is_not_known(
    tmp_path: Path, left_over: Path, packed: Callable[[bytes], bytes]
) -> None:
    database, wal, *_ = files_of(left_over)
    whole = tarred([database, wal])
    path = put(tmp_path, "a", packed(whole[: 512 + len(database[1])]))

    opened, tasks = read(path)

    assert "a was cut off, or not copied to its end: what stands behind that is not known." in opened.notes
    assert (opened.faulty, tasks) == (True, ["early"])


@pytest.mark.parametrize("packer", ["zip", "zip, stored"])
def test_a_wrong_sum_is_told_and_the_rest_is_read(tmp_path: Path, resting: Path, packer: str) -> None:
    path = put(tmp_path, "a.zip", saying_sum(PACKERS[packer](files_of(resting))))

    opened, tasks = read(path)

    size = resting.stat().st_size
    assert opened.notes == (
        f"service.db of a.zip was damaged in the archive: {size:,} bytes could be read, and they may be wrong.",
    )
    assert (opened.faulty, len(tasks)) == (True, 200)


@pytest.mark.parametrize("kind", ["gz", "tar.gz"])
def test_a_wrong_sum_at_the_end_of_a_gzip(tmp_path: Path, resting: Path, kind: str) -> None:
    packed = bytearray(gzip.compress(resting.read_bytes() if kind == "gz" else tarred(files_of(resting))))
    packed[-5] ^= 0xFF
    path = put(tmp_path, "a", bytes(packed))

    opened, tasks = read(path)

    assert (opened.faulty, len(tasks)) == (True, 200)
    assert "damaged" in " ".join(opened.notes)


def test_nothing_is_copied_out_of_what_is_damaged(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", saying_sum(zipped(files_of(resting))))

    with pytest.raises(Unreadable, match="is not copied, since not all of it can be had"):
        copy_database(path, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize("packer", ["zip", "tar", "tar.gz", "tar.xz"])
def test_a_stop_ends_the_unpacking_at_any_moment(temporary: Path, tmp_path: Path, resting: Path, packer: str) -> None:
    path = put(tmp_path, "a", PACKERS[packer]([("x", b"text" * 9_000), *files_of(resting)]))
    for allowed in range(6):
        asked = iter(range(allowed))

        with pytest.raises(Unreadable, match="not unpacked to its end"):
            open_reader(path, now_ms=read_at, should_stop=lambda asked=asked: next(asked, None) is None)
        assert listing(temporary) == set()


def test_an_archive_that_is_written_meanwhile_is_not_read_as_half_of_each(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(resting)))
    with pytest.raises(Unreadable, match=r"a\.zip cannot be unpacked: it keeps changing\."):
        open_reader(path, now_ms=read_at, should_stop=lambda: path.touch() is not None)


def headers() -> dict[str, bytes]:
    """Return tars whose headers were made to hold up who reads them, or to use up the memory."""
    long = tarfile.TarInfo("x")
    long.type = tarfile.XHDTYPE
    long.size = 1 << 40
    digits = tarfile.TarInfo("x")
    digits.type = tarfile.XHDTYPE
    digits.size = 1 << 19
    sparse = tarfile.TarInfo("service.db")
    sparse.type = tarfile.GNUTYPE_SPARSE
    sparse.size = 512
    more = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    more[482] = 1
    more[148:156] = b"%06o\0 " % (sum(more) - sum(more[148:156]) + 256)
    negative = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
    negative[124:136] = b"\xff" * 12
    negative[148:156] = b"%06o\0 " % (sum(negative) - sum(negative[148:156]) + 256)
    huge = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
    huge[124:136] = b"\x80" + b"\x7f" * 11
    huge[148:156] = b"%06o\0 " % (sum(huge) - sum(huge[148:156]) + 256)
    chain = tarfile.TarInfo("x")
    chain.type = tarfile.GNUTYPE_LONGNAME
    chain.size = 2
    return {
        "a long header": long.tobuf(),
        "a header of digits": digits.tobuf() + b"1" * (1 << 19),
        "many headers of digits": (digits.tobuf() + b"1" * (1 << 19)) * 50,
        "a sparse file without an end": bytes(more) + b"\1" * 512 * 1000,
        "a negative size": bytes(negative) + bytes(1024),
        "a size without an end": bytes(huge) + bytes(1024),
        "a chain of names": (chain.tobuf(tarfile.GNU_FORMAT) + b"a".ljust(512, b"\0")) * 20_000,
    }


@pytest.mark.parametrize("kind", headers())
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_headers_that_were_made_to_hold_up(tmp_path: Path, kind: str, packed: Callable[[bytes], bytes]) -> None:
    path = put(tmp_path, "a", packed(headers()[kind]))
    started = time.monotonic()

    assert refusal(path).startswith("a ")
    assert time.monotonic() - started < 10


def test_a_sparse_database_is_to_be_unpacked(tmp_path: Path, resting: Path) -> None:
    for told in ({"GNU.sparse.major": "1", "GNU.sparse.name": "service.db"}, {"GNU.sparse.map": "0,1"}):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            info = tarfile.TarInfo("service.db")
            info.pax_headers = told
            info.size = resting.stat().st_size
            archive.addfile(info, io.BytesIO(resting.read_bytes()))

        assert refusal(put(tmp_path, "a", packed.getvalue())) == (
            "a holds no database that can be read: service.db in it is packed in a way that is not read here. Unpack "
            "it, and open the database that comes out."
        )


@pytest.mark.parametrize("packer", PACKERS)
def test_archives_damaged_at_random_end_in_a_sentence_or_are_read(tmp_path: Path, left_over: Path, packer: str) -> None:
    packed = PACKERS[packer]([*files_of(left_over, "data/"), ("notes", b"text" * 200)])
    chance = random.Random(f"{packer} 1")
    for number in range(40):
        changed = bytearray(packed)
        for _ in range(chance.choice((1, 3, 30))):
            changed[chance.randrange(min(len(changed), chance.choice((600, 1 << 30))))] = chance.randrange(256)
        path = put(tmp_path, f"a{number}", bytes(changed))

        assert told_of(path)[-1:] in ("", ".")


def test_a_zip_with_a_list_of_contents_that_lies(tmp_path: Path, resting: Path) -> None:
    packed = bytearray(zipped(files_of(resting)))
    end = packed.rfind(b"PK\5\6")
    packed[end + 12 : end + 16] = (0x7FFF_FFFF).to_bytes(4, "little")
    path = put(tmp_path, "a.zip", bytes(packed))

    assert refusal(path) == "a.zip was cut off, or not copied to its end: nothing in it can be read. Copy it again."


def test_an_archive_in_mode_copy_leaves_nothing_behind_when_it_is_refused(temporary: Path, tmp_path: Path) -> None:
    path = put(tmp_path, "a.zip", zipped([("service.db", b"SQLite format 3\0" + bytes(4_080))]))

    with pytest.raises(Unreadable):
        open_reader(path, mode=Mode.COPY, now_ms=read_at)
    assert listing(temporary) == set()
    assert zipfile.is_zipfile(path)
