"""An archive that was cut off, damaged or made to hold up: what can be read of it is read, and the rest is told."""

import gzip
import io
import lzma
import random
import tarfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.reading.copying import copy_database
from inspector.reading.errors import Unreadable
from tests.support.archive_reading import put, read, refusal, told_of
from tests.support.archives import (
    PACKERS,
    files_of,
    saying_size,
    saying_sum,
    tarred,
    zipped,
)
from tests.support.reading_databases import make

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("temporary")]


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = (f"t{number:03}" for number in range(200))
    return make(tmp_path_factory.mktemp("resting") / "service.db", *tasks, journal="delete")


@pytest.mark.parametrize("packer", ["zip", "zip, stored"])
def test_a_zip_whose_member_says_less_than_it_is(tmp_path: Path, resting: Path, packer: str) -> None:
    whole = resting.read_bytes()
    path = put(tmp_path, "a.zip", saying_size(PACKERS[packer]([("service.db", whole)]), len(whole) - 8_192))

    opened, _ = read(path)

    assert opened.faulty
    assert any("damaged in the archive" in note for note in opened.notes)


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


TOLD = {
    "a long header": "a is damaged: nothing in it can be read.",
    "a header of digits": "a is damaged: nothing in it can be read.",
    "many headers of digits": "a is damaged: nothing in it can be read.",
    "a sparse file without an end": "a was cut off, or not copied to its end: nothing in it can be read.",
    "a negative size": "a is damaged: nothing in it can be read.",
    "a size without an end": "a was cut off, or not copied to its end, and no database stands before that.",
    "a chain of names": "a was cut off, or not copied to its end: nothing in it can be read.",
}


@pytest.mark.parametrize("kind", headers())
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_headers_that_were_made_to_hold_up(tmp_path: Path, kind: str, packed: Callable[[bytes], bytes]) -> None:
    path = put(tmp_path, "a", packed(headers()[kind]))
    started = time.monotonic()

    assert refusal(path).startswith(TOLD[kind])
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


def test_an_xz_that_wants_all_the_memory(tmp_path: Path, resting: Path) -> None:
    packed = bytearray(lzma.compress(resting.read_bytes()))
    end = 12 + 4 * packed[12]  # the header of the first block, without its sum
    at = packed.index(b"\x21\x01", 12, end) + 2
    packed[at] = 40  # a window of 4 GiB
    packed[end : end + 4] = zlib.crc32(packed[12:end]).to_bytes(4, "little")

    assert refusal(put(tmp_path, "a", bytes(packed))).startswith("a is damaged")


def test_a_zip_whose_list_of_contents_is_very_long(tmp_path: Path) -> None:
    start = b"PK\3\4" + bytes(26)
    listed = (b"PK\1\2" + bytes(24) + b"\1\0" + bytes(16) + b"x") * 200_000
    end = b"PK\5\6" + bytes(8) + len(listed).to_bytes(4, "little") + len(start).to_bytes(4, "little") + bytes(2)
    path = put(tmp_path, "a", start + listed + end)

    assert refusal(path) == (
        "a holds too many files to be looked through. Unpack it, and open the database that comes out."
    )


def test_a_database_with_holes_as_gnu_tar_wrote_them_long_ago_is_to_be_unpacked(tmp_path: Path, resting: Path) -> None:
    header = tarfile.TarInfo("service.db")
    header.type = tarfile.GNUTYPE_SPARSE
    header.size = resting.stat().st_size
    path = put(tmp_path, "a", header.tobuf(tarfile.GNU_FORMAT) + resting.read_bytes() + bytes(1024))

    assert "service.db in it is packed in a way that is not read here." in refusal(path)
