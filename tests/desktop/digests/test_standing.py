import pytest

from inspector.desktop.digests.standing import Group, Progress, Standing, group_counts, is_in, is_named
from inspector.layout.files import FileState
from tests.desktop.digests.standings import check, model, standing

WRONG = ("mismatch", "empty", "truncated", "missing", "unreadable", "not_a_file", "bad_digest")


@pytest.mark.parametrize("state", FileState)
def test_each_state_is_in_one_group_besides_all(state: FileState) -> None:
    expected = {"match": Group.MATCH, "unchecked": Group.UNCHECKED}.get(state, Group.WRONG)

    assert [group for group in Group if is_in(group, standing(state))] == [Group.ALL, expected]
    assert (expected is Group.WRONG) == (state in WRONG)


def test_a_model_without_a_check_is_not_checked() -> None:
    assert standing().state is FileState.UNCHECKED


def test_a_file_that_is_being_hashed_keeps_its_group() -> None:
    assert is_in(Group.WRONG, standing(FileState.MISMATCH, progress=Progress(1, 2)))
    assert is_in(Group.MATCH, standing(FileState.MATCH, waits=True))


def test_counts_on_chips() -> None:
    standings = [
        Standing(model("a"), check("a", FileState.MATCH)),
        Standing(model("b"), check("b", FileState.MISSING)),
        Standing(model("c"), check("c", FileState.MISMATCH)),
        Standing(model("d"), None),
    ]

    assert group_counts(standings) == {"all": 4, "wrong": 2, "match": 1, "unchecked": 1}


@pytest.mark.parametrize("text", ["", "  ", "QWEN", "2.5-7b", "models/qwen", "E9", " qwen "])
def test_search_finds_name_digest_and_path_in_any_case(text: str) -> None:
    assert is_named(text, model("qwen2.5-7b", digest="sha256:" + "e9" * 32))


def test_search_leaves_out_what_has_the_text_nowhere() -> None:
    assert not is_named("llama", model("qwen2.5-7b"))


@pytest.mark.parametrize(
    ("done", "total", "percent", "fraction"),
    [
        (0, 100, 0, 0.0),
        (999, 1_000, 99, 0.999),
        (1_000, 1_000, 100, 1.0),
        (1_500, 1_000, 100, 1.0),
        (5, 0, 0, 0.0),
        (-1, 10, 0, 0.0),
        (2**62, 2**63 - 1, 50, 0.5),
    ],
)
def test_progress_is_cut_to_what_a_bar_can_show(done: int, total: int, percent: int, fraction: float) -> None:
    assert Progress(done, total).percent == percent
    assert Progress(done, total).fraction == fraction
