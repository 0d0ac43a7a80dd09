"""Paired clients: a token is shown once, its hash is kept, and nobody is told which tokens there are or were."""

import hashlib
import hmac
import secrets
import sqlite3
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sqlite_utils import Database

from inspector.layout.rows import ClientRow
from inspector.store.arguments import (
    require_filled,
    require_filled_or_none,
    require_kind,
    require_many,
    require_moment,
    require_text,
    require_whole,
    wrong,
)
from inspector.store.errors import Refused, Unusable
from inspector.store.stored_json import from_json, to_json
from inspector.store.writing import reading, write_transaction

_TOKEN_BYTES: Final = 32
_COLUMNS: Final = "id, name, scopes, paired_at, last_seen_at, revoked_at"


@dataclass(frozen=True, slots=True)
class Paired:
    """A client that was just paired, with its token. The token is nowhere else, and cannot be had again."""

    client: ClientRow
    token: str = field(repr=False)


def pair_client(db: Database, *, name: str, scopes: Iterable[str], now_ms: int, client_id: str | None = None) -> Paired:
    """Store a new client, and return it with its token: 256 random bits, of which only the SHA-256 hash is stored.

    ``client_id`` is made up where none is given. A scope is a word: not empty, printable, without a space, and named
    once; with none the client may do nothing that needs one. Raises Refused for any other, for an empty name, and for
    an id that is taken or empty.
    """
    require_filled("name", name)
    require_filled_or_none("client_id", client_id)
    require_moment(now_ms)
    granted = _checked(scopes)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    new_id = f"client_{uuid.uuid4().hex}" if client_id is None else client_id
    with write_transaction(db) as conn:
        stored = conn.execute(
            """
            INSERT INTO clients (id, name, token_hash, scopes, paired_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING""",
            (new_id, name, _hash(token), to_json(granted, "The scopes"), now_ms),
        )
        if stored.rowcount != 1:
            raise Refused(f"There is a client {new_id} already.")
    return Paired(ClientRow(new_id, name, granted, now_ms, None, None), token)


def authenticate(db: Database, token: str, *, now_ms: int, seen_every_ms: int = 60_000) -> ClientRow:
    """Return the client that has this token. Raises Refused, with one sentence, for an unknown and a revoked one.

    The work is the same for every token: its hash is compared with all that are stored, each in constant time. The
    moment is stored as ``last_seen_at`` only where the one there is more than ``seen_every_ms`` away from it, so that
    nearly every call reads one table and takes no lock. One that lies further ahead is of a clock that was wrong: the
    clock is followed again. Where the moment cannot be stored (another process writes for too long, the disk is full or
    takes no changes), the client is answered all the same, as it is read again then, with the moment that is there.
    """
    require_moment(now_ms)
    require_whole("seen_every_ms", seen_every_ms, least=0)
    if not _is_text(token):
        raise _unknown()
    asked = _hash(token).encode("ascii")
    with reading(db) as conn:
        rows = conn.execute(f"SELECT CAST(token_hash AS BLOB), {_COLUMNS} FROM clients").fetchall()  # noqa: S608  ours
    found = None
    for stored, *columns in rows:
        if hmac.compare_digest(stored, asked):
            found = columns
    if found is None or found[-1] is not None:
        raise _unknown()
    client = _client(*found)
    if not _is_due(client, now_ms, seen_every_ms):
        return client
    in_group = db.conn.in_transaction
    try:
        return _seen(db, client.id, now_ms, seen_every_ms)
    except Unusable:
        if db.conn.in_transaction is not in_group:
            # SQLite has undone the whole group of rules that this one is of.
            raise
    with reading(db) as conn:
        return _still_good(conn, client.id)


def _seen(db: Database, client_id: str, now_ms: int, seen_every_ms: int) -> ClientRow:
    with write_transaction(db) as conn:
        # It may have been revoked since it was read, or seen by another process.
        current = _still_good(conn, client_id)
        if not _is_due(current, now_ms, seen_every_ms):
            return current
        conn.execute("UPDATE clients SET last_seen_at = max(?, paired_at) WHERE id = ?", (now_ms, client_id))
        return _found(conn, client_id)


def _still_good(conn: sqlite3.Connection, client_id: str) -> ClientRow:
    client = _find(conn, client_id)
    if client is None or client.revoked_at is not None:
        raise _unknown()
    return client


def list_clients(db: Database) -> tuple[ClientRow, ...]:
    """Return all clients, also those that were revoked, in the order in which they were paired. No token is known."""
    with reading(db) as conn:
        rows = conn.execute(f"SELECT {_COLUMNS} FROM clients ORDER BY paired_at, id").fetchall()  # noqa: S608  ours
    return tuple(_client(*row) for row in rows)


def require_scope(client: ClientRow, scope: str) -> None:
    """Raise Refused where the client has not this scope, to the letter, or has been revoked."""
    require_kind("client", client, ClientRow, "a client, as authenticate returns it")
    require_text("scope", scope)
    if client.revoked_at is not None or scope not in client.scopes:
        why = "has not" if client.revoked_at is None else "was revoked and no longer has"
        raise Refused(f"Client {client.id} {why} the scope {scope}.")


def revoke_client(db: Database, client_id: str, *, now_ms: int) -> ClientRow:
    """Make the client's token worthless from now on, and return the client. Raises Refused where there is none.

    One that has been revoked already stays as it is: the first moment counts.
    """
    require_text("client_id", client_id)
    require_moment(now_ms)
    with write_transaction(db) as conn:
        client = _find(conn, client_id)
        if client is None:
            raise Refused(f"There is no client {client_id}: it cannot be revoked.")
        if client.revoked_at is not None:
            return client
        conn.execute(
            "UPDATE clients SET revoked_at = max(?, paired_at, coalesce(last_seen_at, paired_at)) WHERE id = ?",
            (now_ms, client_id),
        )
        return _found(conn, client_id)


def _checked(scopes: Iterable[str]) -> tuple[str, ...]:
    require_many("scopes", scopes, "several texts, in a list")
    granted = tuple(scopes)
    for scope in granted:
        require_text("each of the scopes", scope)
        if not scope or not scope.isprintable() or " " in scope:
            raise wrong("each of the scopes", "a word: not empty, printable, and without a space", scope, is_word=True)
    if len(set(granted)) != len(granted):
        raise Refused("scopes must name each scope once: nothing was changed.")
    return granted


def _is_text(token: object) -> bool:
    return isinstance(token, str)


def _hash(token: str) -> str:
    # A token that has no UTF-8 is as unknown as any other, and is told nothing else.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _unknown() -> Refused:
    return Refused("The token is not that of a client, or is no longer: its client has to be paired anew.")


def _is_due(client: ClientRow, now_ms: int, seen_every_ms: int) -> bool:
    if client.last_seen_at is None:
        return True
    moment = now_ms if client.paired_at is None else max(now_ms, client.paired_at)
    return abs(moment - client.last_seen_at) > seen_every_ms


def _find(conn: sqlite3.Connection, client_id: str) -> ClientRow | None:
    rows = conn.execute(f"SELECT {_COLUMNS} FROM clients WHERE id = ?", (client_id,)).fetchall()  # noqa: S608  ours
    return _client(*rows[0]) if rows else None


def _found(conn: sqlite3.Connection, client_id: str) -> ClientRow:
    client = _find(conn, client_id)
    if client is None:
        raise Unusable("The client was changed while its lock was held: nothing was changed here.")
    return client


def _client(client_id: str, name: str, scopes: str, *moments: Any) -> ClientRow:  # noqa: ANN401 # columns
    return ClientRow(client_id, name, _scopes(scopes), *moments)


def _scopes(text: str) -> tuple[str, ...]:
    """Return what is granted by a stored text: nothing where it is anything but a JSON array of texts."""
    try:
        scopes = from_json(text, "The scopes")
    except Unusable:
        return ()
    return tuple(scopes) if isinstance(scopes, list) and all(isinstance(scope, str) for scope in scopes) else ()
