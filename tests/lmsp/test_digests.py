"""Digests: one spelling, and the digest of a stream however it is cut."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.lmsp.digests import digest_of, is_digest

EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_digest_of_nothing_is_known() -> None:
    assert digest_of([]) == EMPTY
    assert is_digest(EMPTY)


@given(st.lists(st.binary(max_size=50), max_size=8))
def test_a_stream_has_one_digest_however_it_is_cut(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    assert digest_of(chunks) == digest_of([whole]) == f"sha256:{hashlib.sha256(whole).hexdigest()}"
    assert is_digest(digest_of(chunks))


@pytest.mark.parametrize(
    "text",
    [
        "",
        EMPTY[7:],
        EMPTY.upper(),
        EMPTY[:-1],
        EMPTY + "0",
        EMPTY + "\n",
        " " + EMPTY,
        EMPTY.replace("e3", "g3", 1),
        "sha256:",
    ],
)
def test_anything_else_is_no_digest(text: str) -> None:
    assert not is_digest(text)
