import io
import json
import sys

import pytest

from inspector.commands.output import utc, write_error, write_json, write_lines


@pytest.mark.parametrize(
    ("at_ms", "shown"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_764_597_737_412, "2025-12-01T14:02:17.412Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (None, "-"),
        (1 << 62, "4611686018427387904"),
        (-(1 << 63), "-9223372036854775808"),
    ],
)
def test_a_time_is_utc_with_milliseconds_or_the_stored_number(at_ms: int | None, shown: str) -> None:
    assert utc(at_ms) == shown


def stdout_in(monkeypatch: pytest.MonkeyPatch, encoding: str) -> io.BytesIO:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    return raw


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_json_is_the_same_value_in_every_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    value = ["é", "日本", "😀", "\ud800", "€"]
    raw = stdout_in(monkeypatch, encoding)
    write_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(raw.getvalue().decode(encoding)) == value


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_lines_never_fail_for_the_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    raw = stdout_in(monkeypatch, encoding)
    write_lines("é 日 😀 \ud800", "second")
    assert raw.getvalue().decode(encoding).endswith("\nsecond\n")


@pytest.mark.threat(id="T16")
def test_an_error_is_one_visible_line_whatever_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    write_error("cannot read \x1b]0;owned\x07 a\nb\u202e")
    assert capsys.readouterr().err == "cannot read \\u001b]0;owned\\u0007 a\\u000ab\\u202e\n"


def test_closed_streams_are_written_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    write_lines("a")
    write_json("1")
    write_error("b")
