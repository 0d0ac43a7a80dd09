"""The databases that the tests of the store run on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.store_factory import WAYS_TO_A_DATABASE, Rig, rig_of
from tests.support.store_invariants import broken_invariants
from tests.support.store_leftovers import PAUSED


@pytest.fixture(params=WAYS_TO_A_DATABASE)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    """Give a database made in each way; at the end of each test every rule holds for all that the store can write."""
    with rig_of(request.param, tmp_path) as made:
        yield made
        assert broken_invariants(made.db.conn, but=PAUSED) == []


@pytest.fixture
def odd_rig(tmp_path: Path) -> Iterator[Rig]:
    """Give a database for what no rule of the store leads to: its invariants are broken on purpose."""
    with rig_of("fresh", tmp_path) as made:
        yield made
