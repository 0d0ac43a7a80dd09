"""A database in an archive of any kind is read as a private copy, with its -wal and -journal, as if it lay there."""

import gzip
import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from inspector.layout.opened import Mode, Opened
from inspector.layout.pages import TaskPage
from inspector.reading.archive_choice import plain
from inspector.reading.archive_kinds import Archive, ArchiveKind, kind_of
from inspector.reading.copying import copy_database
from inspector.reading.errors import Unreadable
from inspector.reading.reader import open_reader
from inspector.reading.requests import TaskPageRequest
from inspector.reading.unpacking import unpack
from tests.support.archive_reading import put, refusal
from tests.support.archives import PACKERS, SINGLE, files_of, tarred, zipped
from tests.support.proof import differences, touch_state
from tests.support.reading_crashes import crashed, hot
from tests.support.reading_databases import as_nobody, give_to_nobody, listing, make, read_at

pytestmark = [pytest.mark.timeout(30), pytest.mark.usefixtures("temporary")]


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("resting") / "service.db", "early", "late")


@pytest.fixture(scope="module")
def left_over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a killed service left; the task ``late`` is in the -wal alone."""
    return crashed(tmp_path_factory.mktemp("crashed") / "service.db")


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a service left that was killed within a transaction: the task ``early``, and a hot journal."""
    return hot(tmp_path_factory.mktemp("hot") / "service.db")


def read(path: Path | str) -> tuple[Opened, list[str]]:
    """Open, read the tasks, close; nothing of it may leave a trace at the archive."""
    archive = next(each for each in (Path(path), *Path(path).parents) if each.is_file())
    before = touch_state(archive)
    with open_reader(path, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        opened = reader.opened
    assert isinstance(page, TaskPage)
    assert differences(before, touch_state(archive)) == ()
    return opened, sorted(task.id for task in page.tasks)


@pytest.mark.parametrize("folder", ["", "data/2026/", "./"])
@pytest.mark.parametrize("packer", PACKERS)
def test_a_database_alone(temporary: Path, tmp_path: Path, resting: Path, packer: str, folder: str) -> None:
    path = put(tmp_path, "bundle", PACKERS[packer]([*files_of(resting, folder), ("notes.txt", b"It hangs." * 99)]))

    opened, tasks = read(path)

    name = f"{folder.removeprefix('./')}service.db of bundle"
    assert (opened.mode, opened.modes, opened.may_act) == (Mode.COPY, (Mode.COPY,), False)
    assert opened.why == f"Read from a private copy, because it lies in an archive: {name}."
    assert opened.path == str(path)
    assert not opened.faulty
    assert tasks == ["early", "late"]
    assert listing(temporary) == set()


@pytest.mark.parametrize("comment", [b"", b"from the customer" * 900], ids=["plain", "commented"])
@pytest.mark.parametrize("before", [b"#!/bin/sh\n", b"\x7fELF" + bytes(99_999)], ids=["script", "program"])
def test_in_a_zip_that_begins_with_a_program_that_unpacks_it(
    tmp_path: Path, left_over: Path, before: bytes, comment: bytes
) -> None:
    packed = zipped(files_of(left_over))
    assert packed.endswith(b"\0\0")
    path = put(tmp_path, "bundle", before + packed[:-2] + len(comment).to_bytes(2, "little") + comment)
    assert zipfile.is_zipfile(path)

    opened, tasks = read(path)

    assert opened.mode is Mode.COPY
    assert tasks == ["early", "late"]
    copy_database(path, tmp_path / "out.db")


@pytest.mark.parametrize(
    "after",
    [b"PK\5\6", b"PK\5\6" + bytes(18), zipped([("a", b"b")])[:-1], zipped([("a", b"b")]) + b"\n", zipped([])],
    ids=["cut", "empty", "short", "long", "none"],
)
def test_what_only_looks_a_little_like_the_end_of_a_zip_is_what_it_is(tmp_path: Path, after: bytes) -> None:
    path = put(tmp_path, "page.db", b"\x93" * 9_000 + after)
    assert refusal(path).startswith("page.db cannot be read: its first page is not SQLite's.")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("folder", ["", "data/"])
@pytest.mark.parametrize("packer", PACKERS)
def test_with_its_wal(temporary: Path, tmp_path: Path, left_over: Path, packer: str, folder: str, order: int) -> None:
    path = put(tmp_path, "bundle", PACKERS[packer](files_of(left_over, folder)[::order]))

    opened, tasks = read(path)

    assert opened.why == (
        f"Read from a private copy, because it lies in an archive: {folder}service.db of bundle, with its -wal."
    )
    assert (opened.notes, opened.faulty) == ((), False)
    assert tasks == ["early", "late"]
    assert listing(temporary) == set()


@pytest.mark.parametrize("packer", PACKERS)
def test_with_a_hot_journal(temporary: Path, tmp_path: Path, unfinished: Path, packer: str) -> None:
    path = put(tmp_path, "bundle", PACKERS[packer](files_of(unfinished)))

    opened, tasks = read(path)

    assert opened.why.endswith("service.db of bundle, with its -journal.")
    assert opened.notes == ("An unfinished transaction was rolled back in the copy.",)
    assert tasks == ["early"]
    assert listing(temporary) == set()


@pytest.mark.parametrize("packer", SINGLE)
def test_one_compressed_database(temporary: Path, tmp_path: Path, resting: Path, packer: str) -> None:
    path = put(tmp_path, "service.db.gz", SINGLE[packer](resting.read_bytes()))

    opened, tasks = read(path)

    assert opened.why == "Read from a private copy, because it lies in an archive: service.db of service.db.gz."
    assert tasks == ["early", "late"]
    assert listing(temporary) == set()


def test_a_companion_of_another_database_or_folder_is_not_taken(tmp_path: Path, left_over: Path) -> None:
    database, wal, *_ = files_of(left_over)
    path = put(tmp_path, "bundle.zip", zipped([database, ("old/service.db-wal", wal[1]), ("other.db-wal", wal[1])]))

    assert read(path)[1] == ["early"]


def test_a_database_called_like_an_archive_is_a_database(tmp_path: Path) -> None:
    path = make(tmp_path / "bundle.zip", "early")

    with open_reader(path, now_ms=read_at) as reader:
        assert reader.opened.mode is Mode.RESTING


def test_one_of_several_is_chosen_by_its_path(tmp_path: Path, resting: Path, left_over: Path) -> None:
    members = [*files_of(resting, "a/"), *files_of(left_over, "b/")]
    path = put(tmp_path, "bundle.tar", tarred(members))

    assert refusal(path) == (
        "bundle.tar holds 2 databases: a/service.db, b/service.db. Open one of them by its path, as "
        "bundle.tar/a/service.db, or unpack it."
    )
    opened, _ = read(path / "b" / "service.db")
    assert opened.why.endswith(": b/service.db of bundle.tar, with its -wal.")
    assert (opened.path, opened.place) == (str(path), f"{path}/b/service.db")
    assert read(opened.place)[0].why == opened.why
    assert read(path / "." / "a" / "service.db")[0].why.endswith(": a/service.db of bundle.tar.")
    assert refusal(path / "c.db") == (
        "bundle.tar holds nothing called c.db. Databases in it: a/service.db, b/service.db."
    )
    assert refusal(path / "b" / "service.db-wal") == (
        "b/service.db-wal of bundle.tar is no SQLite database, or an encrypted one."
    )


def test_a_copy_of_a_chosen_one_is_made_again_when_the_archive_is_written_anew(
    temporary: Path, tmp_path: Path, resting: Path, left_over: Path
) -> None:
    path = put(tmp_path, "bundle.zip", zipped([*files_of(resting, "a/"), *files_of(left_over, "b/")]))
    with open_reader(path / "b" / "service.db", now_ms=read_at) as reader:
        os.utime(path, (1, 1))
        reader.look()
        page = reader.answer(TaskPageRequest())

        assert isinstance(page, TaskPage)
        assert sorted(task.id for task in page.tasks) == ["early", "late"]
        assert reader.opened.place == f"{path}/b/service.db"
        assert len(listing(temporary)) == 1
    assert listing(temporary) == set()


def test_a_copy_outlives_the_archive(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "bundle.zip", zipped(files_of(resting)))
    with open_reader(path, now_ms=read_at) as reader:
        path.unlink()

        assert reader.look() == ()
        assert isinstance(reader.answer(TaskPageRequest()), TaskPage)


def test_many_databases_are_listed_up_to_ten(tmp_path: Path, resting: Path) -> None:
    whole = resting.read_bytes()
    path = put(tmp_path, "bundle.zip", zipped([(f"{number}.db", whole) for number in range(12)]))

    assert refusal(path).startswith("bundle.zip holds 12 databases: 0.db, 1.db, 2.db, ")
    assert " 8.db, 9.db and 2 more. Open one" in refusal(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("packer", ["zip", "tar"])
def test_the_last_of_two_with_one_name_is_read(tmp_path: Path, resting: Path, left_over: Path, packer: str) -> None:
    members = [*files_of(resting), *files_of(left_over), ("./service.db", left_over.read_bytes())]
    path = put(tmp_path, "bundle", PACKERS[packer](members))

    opened, tasks = read(path)

    assert tasks == ["early", "late"]
    assert opened.notes == ("bundle holds more than one service.db: the last of them is read.",)
    assert opened.faulty


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.zip", zipped([]), "a.zip is an empty archive."),
        ("a.tgz", gzip.compress(tarred([])), "a.tgz holds no SQLite database, or an encrypted one."),
        ("a.tgz", gzip.compress(tarred([("d/x", b"")])), "a.tgz holds no SQLite database, or an encrypted one."),
        ("a.zip", zipped([("x", b"text" * 99)]), "a.zip holds no SQLite database, or an encrypted one."),
        ("a.gz", gzip.compress(b""), "a.gz holds no SQLite database, or an encrypted one."),
        (
            "a.zip",
            zipped([("x", b"text" * 99), ("in.zip", zipped([("a.db", b"SQLite format 3\0" * 9)]))]),
            "a.zip holds no database, but another archive: in.zip. Unpack it, and open the database that comes out.",
        ),
        (
            "a.gz",
            gzip.compress(gzip.compress(os.urandom(600))),
            "a.gz holds no database, but another archive: a. Unpack it, and open the database that comes out.",
        ),
        (
            "a.zip",
            zipped([("s.db", b"SQLite format 3\0" * 99)], zipfile.ZIP_BZIP2),
            "a.zip holds no database that can be read: s.db in it is packed in a way that is not read here. Unpack it, "
            "and open the database that comes out.",
        ),
        (
            "a.7z",
            b"7z\xbc\xaf\x27\x1c" + bytes(99),
            "a.7z is an archive (7z) that is not opened here. Unpack it, and open the database.",
        ),
    ],
)  # fmt: skip
def test_an_archive_without_a_database(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    assert refusal(put(tmp_path, name, content)) == sentence


def test_a_nested_archive_beside_a_database_is_left_alone(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", zipped([*files_of(resting), ("in.zip", zipped(files_of(resting)))]))

    assert read(path)[1] == ["early", "late"]


@pytest.mark.parametrize("mode", [Mode.LIVE, Mode.RESTING, Mode.CRASHED])
def test_an_archive_is_read_from_a_copy_only(tmp_path: Path, resting: Path, mode: Mode) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(resting)))

    with pytest.raises(Unreadable) as refused:
        open_reader(path, mode=mode, now_ms=read_at)
    assert refused.value.sentence == (
        f"a.zip is not opened as {mode}: it is an archive, and only a copy of what is in it is read."
    )
    with open_reader(path, mode=Mode.COPY, now_ms=read_at) as reader:
        assert reader.opened.mode is Mode.COPY


def test_a_process_that_makes_no_copies_makes_none(temporary: Path, tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(resting)))

    with pytest.raises(Unreadable, match="from a copy only, and another one is not made"):
        open_reader(path, now_ms=read_at, may_copy=False)
    assert listing(temporary) == set()


def test_who_may_read_the_archive_and_not_write_its_folder_reads_it(tmp_path: Path, left_over: Path) -> None:
    path = put(tmp_path, "a.tgz", gzip.compress(tarred(files_of(left_over))))
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    path.parent.chmod(0o555)
    own = tmp_path / "own"
    own.mkdir()
    give_to_nobody(own)

    with pytest.MonkeyPatch.context() as patched, as_nobody():
        patched.setenv("TMPDIR", str(own))
        assert read(path)[1] == ["early", "late"]
        assert listing(own) == set()


def test_who_may_not_read_the_archive_is_told(tmp_path: Path, resting: Path) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(resting)))
    path.chmod(0o600)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)

    with as_nobody():
        if os.geteuid() != path.stat().st_uid:
            assert refusal(path) == "a.zip cannot be read: there is no permission for it."


def test_the_database_can_be_copied_out_with_what_its_wal_holds(
    temporary: Path, tmp_path: Path, left_over: Path
) -> None:
    path = put(tmp_path, "a.zip", zipped(files_of(left_over)))
    target = tmp_path / "out" / "copy.db"
    target.parent.mkdir()

    copy_database(path, target)

    assert listing(target.parent) == {"copy.db"}
    with open_reader(target, now_ms=read_at) as reader:
        page = reader.answer(TaskPageRequest())
        assert isinstance(page, TaskPage)
        assert len(page.tasks) == 2
    assert listing(temporary) == set()


@pytest.mark.parametrize("missing", ["xz", "bzip2"])
def test_a_python_that_lacks_a_way_to_unpack_says_so_and_opens_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resting: Path, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, {"xz": "lzma", "bzip2": "bz2"}[missing], None)
    packed = PACKERS["tar.xz" if missing == "xz" else "tar.bz2"](files_of(resting))

    assert refusal(put(tmp_path, "a", packed)) == (
        f"a cannot be unpacked: this Python was built without {missing}. Unpack it, and open the database that comes "
        "out."
    )
    assert read(put(tmp_path, "b", PACKERS["tar.gz"](files_of(resting))))[1] == ["early", "late"]


def test_what_is_unpacked_has_names_of_ours_alone(tmp_path: Path, left_over: Path) -> None:
    path = put(tmp_path, "a.zip", zipped([*files_of(left_over, "deep/down/"), ("other.txt", b"text")]))
    archive = Archive(str(path), "a.zip", ArchiveKind.ZIP, None)
    (tmp_path / "here").mkdir()

    unpacked = unpack(archive, str(tmp_path / "here" / "x"), should_stop=lambda: False)

    assert listing(tmp_path / "here") == {"x", "x-wal"}
    assert (unpacked.name, unpacked.notes, unpacked.is_whole) == ("deep/down/service.db of a.zip", (), True)
    assert (tmp_path / "here" / "x").read_bytes() == left_over.read_bytes()


def test_only_beginnings_tell_an_archive() -> None:
    assert [kind_of(first) for first in (b"", b"PK", b"BZh9 a text", b"\x1f\x8b", bytes(512), b"x" * 512)] == [None] * 6
    old = bytearray(tarred([("a", b"b")], form=tarfile.USTAR_FORMAT)[:512])
    assert kind_of(bytes(old)) is not None
    old[0] ^= 1
    assert kind_of(bytes(old)) is None


def test_names_are_compared_without_the_parts_that_lead_nowhere() -> None:
    assert [plain(name) for name in ("a", "./a", "b//./a", "/a", "../a", "")] == ["a", "a", "b/a", "/a", "../a", ""]
