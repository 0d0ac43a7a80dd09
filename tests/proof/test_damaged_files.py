"""Whatever happened to a file: it is read as far as it goes, in time, and nothing of it is changed."""

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.damage import DAMAGES, Damage, many_pages, read_damaged
from tests.support.matrix import left_behind

pytestmark = pytest.mark.timeout(1800)

HANGS_S = 2.0


@pytest.fixture(scope="module")
def at_rest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return {"": many_pages(tmp_path_factory.mktemp("rest") / "service.db")}


@pytest.fixture(scope="module")
def after_a_crash(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    left = left_behind(tmp_path_factory.mktemp("crash"))
    return {"": left.main, "-wal": left.wal, "-shm": left.shm}


def damage_and_read(folder: Path, parts: dict[str, bytes], damage: Damage, seed: int) -> str:
    """Damage one of the parts by ``seed``, read what is left, and say what came of it."""
    chance = random.Random(seed)
    damaged = chance.choice(list(parts))
    for suffix, content in parts.items():
        data = bytearray(content)
        if suffix == damaged:
            damage(data, chance)
        (folder / f"service.db{suffix}").write_bytes(data)
    began = time.monotonic()
    answered = read_damaged(folder / "service.db")
    assert time.monotonic() - began < HANGS_S, f"{damage.__name__} by seed {seed}"
    return "refused" if answered is None else "read"


def test_databases_damaged_from_seeds_are_read_as_far_as_they_go(
    tmp_path: Path,
    at_rest: dict[str, bytes],
    after_a_crash: dict[str, bytes],
    large: bool,
    proved: Callable[[str], None],
) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(10_000 if large else 400):
        parts = at_rest if seed % 4 else after_a_crash
        outcomes[damage_and_read(tmp_path, parts, DAMAGES[seed % len(DAMAGES)], seed)] += 1
        for left in tmp_path.iterdir():
            left.unlink()
    assert outcomes["read"] > outcomes["refused"] > 0
    proved(
        f"damaged files: {outcomes.total()} from seeds, {outcomes['read']} read as far as they go, "
        f"{outcomes['refused']} refused in a sentence, 0 touched"
    )
