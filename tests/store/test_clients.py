"""Clients: a token is shown once and kept nowhere, and whoever asks with a wrong one learns nothing."""

import hashlib
import hmac
import json
import re
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.layout.rows import ClientRow
from inspector.store.connecting import open_group_database
from inspector.store.writing import group_transaction
from tests.support.store_factory import Rig, disk_error, failing_at, one, statements_of, tapped
from tests.support.store_race import race
from tests.support.subject import store


def pair(rig: Rig, client_id: str = "c", **changed: Any) -> store.Paired:  # noqa: ANN401
    asked: dict[str, Any] = {"name": "Phone", "scopes": ["tasks:read", "tasks:write"], "now_ms": 100}
    return store.pair_client(rig.db, client_id=client_id, **(asked | changed))


def seen(rig: Rig, client_id: str = "c") -> object:
    return one(rig.db, "SELECT last_seen_at FROM clients WHERE id = ?", client_id)["last_seen_at"]


def test_a_client_is_stored_with_the_hash_of_its_token(rig: Rig) -> None:
    paired = pair(rig)
    assert paired.client == ClientRow("c", "Phone", ("tasks:read", "tasks:write"), 100, None, None)
    assert one(rig.db, "SELECT * FROM clients") == {
        "id": "c",
        "name": "Phone",
        "token_hash": hashlib.sha256(paired.token.encode()).hexdigest(),
        "scopes": '["tasks:read","tasks:write"]',
        "paired_at": 100,
        "last_seen_at": None,
        "revoked_at": None,
    }


def test_a_token_has_256_bits_and_comes_once(rig: Rig) -> None:
    paired = [store.pair_client(rig.db, name="Phone", scopes=[], now_ms=1) for _ in range(20)]
    assert len({one.token for one in paired}) == len({one.client.id for one in paired}) == 20
    for one_ in paired:
        # 43 characters of 6 bits: 256 bits and no more.
        assert re.fullmatch(r"[A-Za-z0-9_-]{43}", one_.token)


def test_the_token_is_in_no_file_and_in_no_text_that_is_shown(rig: Rig) -> None:
    paired = pair(rig)
    token = paired.token
    told = [repr(paired), str(paired), f"{paired}", repr(paired.client)]
    client = store.authenticate(rig.db, token, now_ms=200)
    store.revoke_client(rig.db, "c", now_ms=300)
    with pytest.raises(store.Refused) as refused:
        store.authenticate(rig.db, token, now_ms=400)
    told += [repr(client), repr(refused.value), *traceback.format_exception(refused.value)]
    assert not [text for text in told if token in text]
    files = [path for path in rig.path.parent.iterdir() if path.name.startswith("service.db")]
    assert {path.suffix for path in files} >= {".db", ".db-wal"}
    digest = hashlib.sha256(token.encode()).hexdigest().encode()
    found = [path.read_bytes() for path in files]
    assert any(digest in content for content in found)
    assert not [content for content in found if token.encode() in content]


@pytest.mark.ours
def test_an_error_does_not_tell_the_token(rig: Rig) -> None:
    token = pair(rig).token
    with pytest.raises(store.Unusable) as unusable, tapped(rig.db, before=failing_at(0)):
        store.authenticate(rig.db, token, now_ms=400)
    assert token not in "".join(traceback.format_exception(unusable.value))


def test_the_token_is_what_a_client_is_known_by(rig: Rig) -> None:
    tokens = {name: pair(rig, name).token for name in ("a", "b", "c")}
    for name, token in tokens.items():
        assert store.authenticate(rig.db, token, now_ms=200).id == name


WRONG: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "another": lambda token: token[::-1],
    "one character less": lambda token: token[:-1],
    "one character more": lambda token: f"{token}=",
    "another case": lambda token: token.swapcase(),
    "a line after it": lambda token: f"{token}\n",
    "a NUL after it": lambda token: f"{token}\0",
    "its hash": lambda token: hashlib.sha256(token.encode()).hexdigest(),
    "no text at all": lambda token: f"{token}\udc80",
    "very long": lambda token: token * 10_000,
    "a pattern": lambda _: "%",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_that_is_not_one_is_refused(rig: Rig, wrong: str) -> None:
    token = pair(rig).token
    with rig.unchanged(), pytest.raises(store.Refused):
        store.authenticate(rig.db, WRONG[wrong](token), now_ms=200)


def test_who_is_refused_is_not_told_why(rig: Rig) -> None:
    tokens = [pair(rig, name).token for name in ("a", "b")]
    store.revoke_client(rig.db, "b", now_ms=200)
    errors = []
    for token in ("unknown", "", "\udc80", tokens[1]):
        with rig.unchanged(), pytest.raises(store.Refused) as refused:
            store.authenticate(rig.db, token, now_ms=300)
        errors.append(refused.value)
    assert len({str(error) for error in errors}) == 1
    assert {(error.task_id, error.found, error.wanted) for error in errors} == {(None, None, None)}
    assert {(error.__cause__, error.__context__) for error in errors} == {(None, None)}


def test_without_a_client_no_token_is_known(rig: Rig) -> None:
    with pytest.raises(store.Refused):
        store.authenticate(rig.db, "", now_ms=1)


@pytest.mark.ours
def test_every_token_is_compared_with_every_hash_and_costs_the_same(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [pair(rig, f"c{number}").token for number in range(7)]
    store.revoke_client(rig.db, "c3", now_ms=200)
    for token in tokens[:3] + tokens[4:]:
        store.authenticate(rig.db, token, now_ms=300)
    compare = hmac.compare_digest
    compared: list[tuple[bytes, bytes]] = []

    def count(stored: Any, asked: Any) -> bool:  # noqa: ANN401
        compared.append((stored, asked))
        return compare(stored, asked)

    monkeypatch.setattr(hmac, "compare_digest", count)
    hashes = {hashlib.sha256(token.encode()).hexdigest().encode() for token in tokens}
    works = []
    for token in (*tokens, "unknown", "", "\udc80"):
        compared.clear()

        def ask(token: str = token) -> None:
            try:
                store.authenticate(rig.db, token, now_ms=301)
            except store.Refused:
                return

        statements = statements_of(rig.db, ask)
        assert {stored for stored, _ in compared} == hashes
        assert {(len(stored), len(asked)) for stored, asked in compared} == {(64, 64)}
        works.append((len(compared), statements))
    assert works == [works[0]] * 10
    assert works[0][0] == 7
    assert len(works[0][1]) == 1


@pytest.mark.parametrize(
    ("now_ms", "written"),
    [(1000, 1000), (1001, 1000), (1100, 1000), (1101, 1101), (5000, 5000), (999, 1000), (900, 1000)],
)
def test_the_moment_is_stored_only_when_the_last_is_old_enough(rig: Rig, now_ms: int, written: int) -> None:
    token = pair(rig).token
    assert store.authenticate(rig.db, token, now_ms=1000, seen_every_ms=100).last_seen_at == 1000
    assert store.authenticate(rig.db, token, now_ms=now_ms, seen_every_ms=100).last_seen_at == written
    assert seen(rig) == written


def test_a_moment_far_ahead_is_of_a_clock_that_was_wrong_and_the_clock_is_followed_again(rig: Rig) -> None:
    token = pair(rig).token
    assert store.authenticate(rig.db, token, now_ms=10**15).last_seen_at == 10**15
    assert store.authenticate(rig.db, token, now_ms=10**15 - 60_000).last_seen_at == 10**15
    assert store.authenticate(rig.db, token, now_ms=70_000).last_seen_at == 70_000
    assert seen(rig) == 70_000


@pytest.mark.ours
@pytest.mark.parametrize("reason", ["busy", "read-only", "disk"])
def test_a_client_is_let_in_where_nobody_can_write_that_it_was_seen(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "service.db"
    with (
        closing(store.open_service_database(path, wait_ms=10)) as db,
        closing(store.open_service_database(path)) as other,
    ):
        rig = Rig(path, db)
        token = pair(rig).token
        store.authenticate(db, token, now_ms=1000)
        client = store.authenticate(db, token, now_ms=1001)
        on_commit = failing_at(4) if reason == "disk" else lambda _: None
        if reason == "busy":
            other.conn.execute("BEGIN IMMEDIATE")
        elif reason == "read-only":
            db.conn.execute("PRAGMA query_only = ON")
        with rig.unchanged(), tapped(db, before=on_commit):
            assert store.authenticate(db, token, now_ms=99_000) == client
            with pytest.raises(store.Refused):
                store.authenticate(db, "unknown", now_ms=99_000)
        if reason == "busy":
            other.conn.execute("ROLLBACK")


@pytest.mark.ours
def test_a_client_that_was_revoked_while_its_moment_could_not_be_written_is_refused(rig: Rig) -> None:
    token = pair(rig).token
    with closing(store.open_service_database(rig.path)) as other:

        def act(sql: str) -> None:
            if sql == "BEGIN IMMEDIATE":
                store.revoke_client(other, "c", now_ms=150)
                raise disk_error()

        with tapped(rig.db, before=act), pytest.raises(store.Refused, match="token"):
            store.authenticate(rig.db, token, now_ms=99_000)


@pytest.mark.ours
def test_a_group_that_was_undone_in_the_middle_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as plain:
        token = pair(Rig(path, plain)).token
    with closing(open_group_database(path, wait_ms=1000)) as db:

        def act(sql: str) -> None:
            if sql.startswith("UPDATE"):
                # As SQLite does where the disk is full.
                db.conn.execute("ROLLBACK")
                raise disk_error()

        with (
            tapped(db, before=act),
            pytest.raises(store.Unusable, match="disk"),
            group_transaction(db),
        ):
            store.authenticate(db, token, now_ms=99_000)
        with group_transaction(db):
            assert store.authenticate(db, token, now_ms=99_000).last_seen_at == 99_000


@pytest.mark.parametrize("token", [None, b"x", 5, ["x"]], ids=repr)
def test_a_token_that_is_no_text_is_as_unknown_as_any_other(rig: Rig, token: Any) -> None:  # noqa: ANN401
    pair(rig)
    with rig.unchanged(), pytest.raises(store.Refused, match=r"The token is not that of a client, or is no longer:"):
        store.authenticate(rig.db, token, now_ms=200)


def test_all_clients_are_listed_in_the_order_of_their_pairing(rig: Rig) -> None:
    assert store.list_clients(rig.db) == ()
    paired = [pair(rig, client_id, now_ms=now_ms).client for client_id, now_ms in (("c", 7), ("b", 5), ("a", 7))]
    revoked = store.revoke_client(rig.db, "b", now_ms=9)
    with rig.unchanged():
        assert store.list_clients(rig.db) == (revoked, paired[2], paired[0])


def test_a_client_is_seen_a_minute_apart_unless_said(rig: Rig) -> None:
    token = pair(rig).token
    for now_ms in (1000, 61_000, 61_001):
        store.authenticate(rig.db, token, now_ms=now_ms)
        assert seen(rig) == (61_001 if now_ms == 61_001 else 1000)


def test_a_client_is_never_seen_before_it_was_paired(rig: Rig) -> None:
    token = pair(rig, now_ms=1000).token
    assert store.authenticate(rig.db, token, now_ms=7).last_seen_at == 1000
    with rig.unchanged():
        store.authenticate(rig.db, token, now_ms=8, seen_every_ms=0)


@pytest.mark.ours
def test_one_that_was_paired_ahead_of_the_clock_takes_no_lock_at_each_call(rig: Rig) -> None:
    token = pair(rig, now_ms=10**9).token
    store.authenticate(rig.db, token, now_ms=7)
    assert len(statements_of(rig.db, lambda: store.authenticate(rig.db, token, now_ms=8))) == 1


def test_only_the_client_that_asks_is_seen(rig: Rig) -> None:
    pair(rig, "a")
    token = pair(rig, "b").token
    store.authenticate(rig.db, token, now_ms=200)
    assert (seen(rig, "a"), seen(rig, "b")) == (None, 200)


@pytest.mark.ours
def test_one_that_was_seen_lately_waits_for_no_writer(rig: Rig) -> None:
    token = pair(rig).token
    client = store.authenticate(rig.db, token, now_ms=200)
    with closing(store.open_service_database(rig.path, wait_ms=0)) as other:
        other.conn.execute("BEGIN IMMEDIATE")
        with rig.unchanged():
            assert store.authenticate(rig.db, token, now_ms=201) == client
            with pytest.raises(store.Refused):
                store.authenticate(rig.db, "unknown", now_ms=999_999)
        other.conn.execute("ROLLBACK")


@pytest.mark.ours
@pytest.mark.parametrize("sees", ["a later moment", "a revocation", "a deletion"])
def test_what_others_did_between_the_reading_and_the_lock_counts(rig: Rig, sees: str) -> None:
    token = pair(rig).token
    with closing(store.open_service_database(rig.path, wait_ms=0)) as other:

        def act(sql: str) -> None:
            if sql != "BEGIN IMMEDIATE":
                return
            if sees == "a revocation":
                store.revoke_client(other, "c", now_ms=150)
            elif sees == "a deletion":
                other.conn.execute("DELETE FROM clients")
            else:
                other.conn.execute("UPDATE clients SET last_seen_at = 5000")

        with tapped(rig.db, before=act):
            if sees == "a later moment":
                assert store.authenticate(rig.db, token, now_ms=200).last_seen_at == 5000
            else:
                with pytest.raises(store.Refused, match="token"):
                    store.authenticate(rig.db, token, now_ms=200)
    left = rig.db.conn.execute("SELECT last_seen_at, revoked_at FROM clients").fetchall()
    assert left == {"a later moment": [(5000, None)], "a revocation": [(None, 150)], "a deletion": []}[sees]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "\ud800"},
        {"client_id": ""},
        {"client_id": "\ud800"},
        {"scopes": "read"},
        {"scopes": [""]},
        {"scopes": ["tasks read"]},
        {"scopes": ["tasks\tread"]},
        {"scopes": ["tasks\n"]},
        {"scopes": ["a\0b"]},
        {"scopes": ["a\u00a0b"]},
        {"scopes": ["a\u2028b"]},
        {"scopes": ["a\u202eb"]},
        {"scopes": ["a\u200bb"]},
        {"scopes": ["\ud800"]},
        {"scopes": ["a", "b", "a"]},
    ],
    ids=ascii,
)
def test_what_cannot_be_stored_as_it_is_meant_is_refused(rig: Rig, wrong: dict[str, Any]) -> None:
    pair(rig, "other")
    with rig.unchanged(), pytest.raises(store.Refused):
        pair(rig, **wrong)


def test_an_id_that_is_taken_is_refused(rig: Rig) -> None:
    pair(rig)
    with rig.unchanged(), pytest.raises(store.Refused, match="client c already"):
        pair(rig, name="Other")


def test_scopes_are_words_in_any_order_and_none_is_enough(rig: Rig) -> None:
    assert pair(rig, "none", scopes=[]).client.scopes == ()
    paired = pair(rig, scopes=(scope for scope in ("β:read", "a", '"b"')))
    assert paired.client.scopes == ("β:read", "a", '"b"')
    assert store.authenticate(rig.db, paired.token, now_ms=200).scopes == paired.client.scopes
    assert json.loads(one(rig.db, "SELECT scopes FROM clients WHERE id = 'c'")["scopes"]) == ["β:read", "a", '"b"']


@pytest.mark.parametrize("scope", ["tasks", "tasks:rea", "tasks:read ", "TASKS:READ", "", "tasks:*", "admin"])
def test_a_scope_that_the_client_does_not_have_is_refused(rig: Rig, scope: str) -> None:
    client = pair(rig).client
    store.require_scope(client, "tasks:read")
    store.require_scope(client, "tasks:write")
    with pytest.raises(store.Refused, match="Client c"):
        store.require_scope(client, scope)


def test_a_revoked_client_has_no_scope(rig: Rig) -> None:
    pair(rig)
    revoked = store.revoke_client(rig.db, "c", now_ms=200)
    assert revoked.scopes == ("tasks:read", "tasks:write")
    with pytest.raises(store.Refused):
        store.require_scope(revoked, "tasks:read")


@pytest.mark.parametrize("text", ["", "{", '"tasks:read"', '{"tasks:read": 1}', '["tasks:read", 7]', "null"])
def test_scopes_that_somebody_else_has_spoilt_grant_nothing(odd_rig: Rig, text: str) -> None:
    token = pair(odd_rig).token
    odd_rig.db.conn.execute("UPDATE clients SET scopes = ?", (text,))
    client = store.authenticate(odd_rig.db, token, now_ms=200)
    assert client.scopes == ()
    with pytest.raises(store.Refused):
        store.require_scope(client, "tasks:read")
    assert store.revoke_client(odd_rig.db, "c", now_ms=300).revoked_at == 300


def test_a_revoked_token_is_worthless_at_once_and_for_all(rig: Rig) -> None:
    token = pair(rig).token
    other = pair(rig, "other").token
    with closing(store.open_service_database(rig.path)) as db:
        store.authenticate(db, token, now_ms=200)
        revoked = store.revoke_client(rig.db, "c", now_ms=300)
        assert revoked == ClientRow("c", "Phone", ("tasks:read", "tasks:write"), 100, 200, 300)
        for now_ms in (0, 299, 300, 10**15):
            with pytest.raises(store.Refused):
                store.authenticate(db, token, now_ms=now_ms)
        assert store.authenticate(db, other, now_ms=300).id == "other"


def test_the_first_revocation_counts(rig: Rig) -> None:
    pair(rig)
    first = store.revoke_client(rig.db, "c", now_ms=200)
    for now_ms in (150, 200, 900):
        with rig.unchanged():
            assert store.revoke_client(rig.db, "c", now_ms=now_ms) == first


@pytest.mark.parametrize("client_id", ["nobody", "", "C"])
def test_a_client_that_is_not_there_cannot_be_revoked(rig: Rig, client_id: str) -> None:
    pair(rig)
    with rig.unchanged(), pytest.raises(store.Refused):
        store.revoke_client(rig.db, client_id, now_ms=200)


def test_a_client_is_not_revoked_before_it_was_paired_or_seen(rig: Rig) -> None:
    pair(rig, "a", now_ms=1000)
    token = pair(rig, "b", now_ms=1000).token
    store.authenticate(rig.db, token, now_ms=2000)
    assert store.revoke_client(rig.db, "a", now_ms=7).revoked_at == 1000
    assert store.revoke_client(rig.db, "b", now_ms=7).revoked_at == 2000


CALLS: dict[str, Callable[[Rig, str], object]] = {
    "pair": lambda rig, _: store.pair_client(rig.db, name="Tablet", scopes=["a"], now_ms=500),
    "authenticate": lambda rig, token: store.authenticate(rig.db, token, now_ms=500, seen_every_ms=0),
    "revoke": lambda rig, _: store.revoke_client(rig.db, "c", now_ms=500),
}


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("name", "steps"), [("pair", 3), ("revoke", 5)])
def test_what_fails_halfway_changes_nothing(rig: Rig, name: str, steps: int, moment: str) -> None:
    token = pair(rig).token
    for number in range(steps - (moment == "after")):
        with (
            rig.unchanged(),
            pytest.raises(store.Unusable, match="disk"),
            tapped(rig.db, **{moment: failing_at(number)}),
        ):
            CALLS[name](rig, token)
    with tapped(rig.db, **{moment: failing_at(steps)}):
        CALLS[name](rig, token)


@pytest.mark.ours
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_fails_halfway_while_a_client_is_seen_lets_it_in_and_changes_nothing(rig: Rig, moment: str) -> None:
    paired = pair(rig)
    steps = 6
    for number in range(1, steps - (moment == "after")):
        with rig.unchanged(), tapped(rig.db, **{moment: failing_at(number)}):
            assert CALLS["authenticate"](rig, paired.token) == paired.client
    with rig.unchanged(), pytest.raises(store.Unusable, match="disk"), tapped(rig.db, **{moment: failing_at(0)}):
        CALLS["authenticate"](rig, paired.token)
    assert len(statements_of(rig.db, lambda: CALLS["authenticate"](rig, paired.token))) == steps


@pytest.mark.ours
@pytest.mark.parametrize("name", ["revoke"])
def test_an_update_after_which_the_client_is_gone_is_rolled_back(rig: Rig, name: str) -> None:
    token = pair(rig).token
    rig.db.conn.execute("""
        CREATE TEMP TRIGGER lose BEFORE UPDATE ON main.clients BEGIN DELETE FROM clients; END""")
    with rig.unchanged(), pytest.raises(store.Unusable, match="changed while"):
        CALLS[name](rig, token)


@pytest.mark.process
def test_a_revocation_and_many_that_ask_at_once(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(store.open_service_database(path)) as db:
        tokens = {
            f"c{n:02}": store.pair_client(db, name="n", scopes=[], client_id=f"c{n:02}", now_ms=1).token
            for n in range(40)
        }
    asked = [f"{client_id} {token}" for client_id, token in tokens.items()]
    answers = race(path, [("authenticate", asked), ("revoke", asked), ("authenticate", asked), ("revoke", asked)])
    for told in zip(*answers, strict=True):
        assert {told[1], told[3]} == {"revoked at 500"}
        assert {told[0], told[2]} <= {"known", "refused"}
    with closing(store.open_service_database(path)) as db:
        for token in tokens.values():
            with pytest.raises(store.Refused):
                store.authenticate(db, token, now_ms=500)
        assert db.conn.execute("SELECT count(*) FROM clients WHERE revoked_at = 500").fetchall() == [(40,)]
