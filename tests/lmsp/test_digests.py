"""Digests: one spelling, the digest of a stream however it is cut, and that of a request however it is ordered."""

import hashlib
import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.lmsp.digests import digest_of, is_digest, request_digest

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
        "sha256:" + EMPTY[7:].upper(),
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_the_digest_of_a_request_is_that_of_its_sorted_text() -> None:
    request = {"prompt": "é\ud83d", "limits": {"b": 1, "a": [1.5, None, True]}}
    text = rb'{"limits":{"a":[1.5,null,true],"b":1},"prompt":"\u00e9\ud83d"}'
    assert request_digest(request) == f"sha256:{hashlib.sha256(text).hexdigest()}"
    assert request_digest(MappingProxyType(request)) == request_digest(request)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_the_order_of_its_keys_makes_no_other_request(request: dict[str, Any]) -> None:
    digest = request_digest(request)
    assert is_digest(digest)
    assert request_digest(dict(reversed(request.items()))) == digest
    assert request_digest(json.loads(json.dumps(request))) == digest


@given(*[st.dictionaries(st.text(max_size=3), JSON, max_size=2)] * 2)
def test_two_requests_have_one_digest_where_they_are_one(one: dict[str, Any], other: dict[str, Any]) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (request_digest(one) == request_digest(other)) is same


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), b"bytes", {1: 1, "1": 1}], ids=type)
def test_a_request_that_is_no_json_has_no_digest(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        request_digest({"value": value})
