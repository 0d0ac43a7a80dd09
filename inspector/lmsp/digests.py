"""Digests of model files and of requests: ``sha256:`` and 64 lower-case hex digits (section 11.1)."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Say whether ``text`` is a digest in the one form that we write."""
    return _DIGEST.fullmatch(text) is not None


def digest_of(chunks: Iterable[bytes]) -> str:
    """Return the digest of the bytes in ``chunks``, taken one after another."""
    sha256 = hashlib.sha256()
    for chunk in chunks:
        sha256.update(chunk)
    return f"sha256:{sha256.hexdigest()}"


def request_digest(request: Mapping[str, object]) -> str:
    """Return the digest of a request as JSON with its keys sorted and no white space: their order makes no other one.

    Raises ValueError, TypeError or RecursionError for what JSON cannot say: NaN, other objects, a loop.
    """
    text = json.dumps(dict(request), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return digest_of([text.encode("ascii")])
