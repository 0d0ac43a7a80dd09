"""What holds of single values, whatever row they stand in: JSON where it is promised, and no secrets and no bytes.

A walk asks about the values that SQLite finds doubtful; here is decided. Secrets are never quoted.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, NoReturn

from inspector.checks.values import Stored
from inspector.lmsp.digests import is_digest
from inspector.lmsp.retention import KEEP_KEY

JSON_COLUMNS: Final = frozenset(
    {
        *("tasks.request", "tasks.snapshot", "task_events.data", "responses.body", "idempotency_keys.result"),
        *("models.metadata", "clients.scopes", "service_config.value"),
    }
)
"""The columns whose texts are JSON."""

_TOKEN_HASH: Final = re.compile(r"[0-9a-f]{64}")


def values_hold_no_bytes(stored: Stored) -> Iterator[str]:
    """No column holds a BLOB: model files stay outside the database. Another layout may have a reason for a small one.

    The models have a rule of their own.
    """
    if stored.kind == "blob" and not stored.column.startswith("models."):
        yield f"{stored.name} is a BLOB of {stored.size:,} bytes."


def json_can_be_read(stored: Stored) -> Iterator[str]:
    """A text that is to be JSON is JSON, also in the data of each event."""
    if stored.column not in JSON_COLUMNS or stored.text is None:
        return
    try:
        _parsed(stored.text)
    except ValueError:
        yield f"{stored.name} is no JSON."
    except RecursionError:
        yield f"{stored.name} nests too deep to be read."


def scopes_are_texts(stored: Stored) -> Iterator[str]:
    """The scopes of a client are a JSON array of texts: anything else grants nothing."""
    if stored.column == "clients.scopes" and stored.text is not None:
        scopes = _readable(stored.text, otherwise=[])
        if not (isinstance(scopes, list) and all(isinstance(scope, str) for scope in scopes)):
            yield f"{stored.name} are no array of texts."


def period_is_a_number(stored: Stored) -> Iterator[str]:
    """The retention period is a whole number of milliseconds, not negative."""
    if stored.column == "service_config.value" and stored.owner == KEEP_KEY and stored.text is not None:
        period = _readable(stored.text, otherwise=0)
        if type(period) is not int or period < 0:
            yield f"{stored.name} is no whole number of milliseconds: nothing is cleaned up by it."


def keys_have_their_digest(stored: Stored) -> Iterator[str]:
    """A key knows the digest of the request that it came with: without, the same request is taken for another one."""
    if stored.column == "idempotency_keys.request_digest" and stored.text is not None and not is_digest(stored.text):
        yield f"{stored.name} is no digest of the form sha256: and 64 hex digits."


def tokens_are_hashed(stored: Stored) -> Iterator[str]:
    """Of a client's token only the hash is stored."""
    if stored.column == "clients.token_hash" and stored.text is not None and not _TOKEN_HASH.fullmatch(stored.text):
        yield f"{stored.name} is no SHA-256 of 64 hex digits: it may be the token itself."


def _readable(text: str, *, otherwise: object) -> object:
    try:
        return _parsed(text)
    except (ValueError, RecursionError):
        return otherwise


def _parsed(text: str) -> object:
    found: object = json.loads(text, parse_constant=_refuse)
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}.")
