"""Configuration: JSON by key."""

from typing import Any

import pytest

from tests.support.store_factory import Rig, failing_at, one, statements_of, tapped
from tests.support.subject import store


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "text", [1, "é"], {"a": {"b": []}}, 2**70], ids=repr)
def test_a_value_comes_back_as_it_was_stored(rig: Rig, value: Any) -> None:  # noqa: ANN401
    store.set_config(rig.db, "k", value, now_ms=5)
    assert store.config_value(rig.db, "k") == value


def test_what_is_not_there_is_none(rig: Rig) -> None:
    with rig.unchanged():
        assert store.config_value(rig.db, "k") is None


def test_a_later_value_takes_the_place_of_the_earlier(rig: Rig) -> None:
    store.set_config(rig.db, "k", 1, now_ms=5)
    store.set_config(rig.db, "other", "x", now_ms=5)
    store.set_config(rig.db, "k", 2, now_ms=4)
    assert one(rig.db, "SELECT * FROM service_config WHERE key = 'k'") == {"key": "k", "value": "2", "updated_at": 5}
    store.set_config(rig.db, "k", 3, now_ms=9)
    assert one(rig.db, "SELECT updated_at FROM service_config WHERE key = 'k'") == {"updated_at": 9}
    assert store.config_value(rig.db, "other") == "x"


@pytest.mark.parametrize(("key", "value"), [("", 1), ("k", float("nan")), ("k", object()), ("k\udc80", 1)], ids=repr)
def test_what_cannot_be_stored_is_refused(rig: Rig, key: str, value: Any) -> None:  # noqa: ANN401
    store.set_config(rig.db, "k", 1, now_ms=5)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.set_config(rig.db, key, value, now_ms=6)


@pytest.mark.parametrize("text", ["", "{", "nan", "[" * 100_000, "1" * 5000])
def test_a_value_that_is_not_json_is_unusable(odd_rig: Rig, text: str) -> None:
    odd_rig.db.conn.execute("INSERT INTO service_config (key, value, updated_at) VALUES ('k', ?, 1)", (text,))
    with pytest.raises(store.Unusable, match="k"):
        store.config_value(odd_rig.db, "k")


def test_a_key_is_known_by_its_whole_name(rig: Rig) -> None:
    for key in ("kk", "K", "j", "l"):
        store.set_config(rig.db, key, 1, now_ms=5)
    assert store.config_value(rig.db, "k") is None
    with pytest.raises(store.Refused, match="UTF-8"):
        store.config_value(rig.db, "k\udc80")


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("there", [False, True])
def test_a_value_whose_writing_fails_halfway_changes_nothing(rig: Rig, there: bool, moment: str) -> None:
    if there:
        store.set_config(rig.db, "k", 1, now_ms=5)
    steps = 3
    for number in range(steps - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            store.set_config(rig.db, "k", 2, now_ms=6)
    assert len(statements_of(rig.db, lambda: store.set_config(rig.db, "k", 2, now_ms=6))) == steps
    assert store.config_value(rig.db, "k") == 2
