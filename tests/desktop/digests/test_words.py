import re

import pytest

from inspector.desktop.digests.standing import Progress
from inspector.desktop.digests.words import (
    digest_groups,
    found_words,
    meaning,
    one_line,
    progress_words,
    short_digest,
    size_words,
    standing_icon,
    standing_words,
    state_words,
)
from inspector.desktop.widgets.icons import icon_pixmap
from inspector.desktop.widgets.palette import LIGHT
from inspector.layout.files import FileState
from tests.desktop.digests.standings import HOSTILE, check, digest, standing


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (FileState.MATCH, "match"),
        (FileState.MISMATCH, "mismatch"),
        (FileState.EMPTY, "empty"),
        (FileState.TRUNCATED, "truncated"),
        (FileState.MISSING, "missing"),
        (FileState.UNREADABLE, "unreadable"),
        (FileState.NOT_A_FILE, "not a file"),
        (FileState.BAD_DIGEST, "bad digest"),
        (FileState.UNCHECKED, "not checked"),
    ],
)
def test_each_state_has_its_word(state: FileState, word: str) -> None:
    assert state_words(state) == word
    assert standing_words(standing(state)) == word


@pytest.mark.parametrize("state", FileState)
def test_each_state_says_in_two_sentences_what_it_means(state: FileState) -> None:
    sentences = re.split(r"(?<=\.) (?=[A-Z])", meaning(standing(state)))

    assert len(sentences) == 2
    assert all(sentence.endswith(".") for sentence in sentences)


def test_no_two_states_mean_the_same() -> None:
    assert len({meaning(standing(state)) for state in FileState}) == len(FileState)
    assert len({standing_icon(standing(state))[0] for state in FileState}) == len(FileState)


@pytest.mark.parametrize("state", FileState)
@pytest.mark.usefixtures("qapp")
def test_each_state_has_an_icon_that_is_there_in_a_tone_that_is_there(state: FileState) -> None:
    name, tone = standing_icon(standing(state))

    assert not icon_pixmap(name, LIGHT.tone(tone), 14, 1.0).isNull()


def test_a_same_size_file_of_other_content_is_called_a_mismatch() -> None:
    same = meaning(standing(FileState.MISMATCH, size=4_683_073_184))

    assert same.startswith("The file has the stored size but other content: it was replaced or damaged after it")
    assert same.endswith("Tasks that use it run on bytes that the database does not describe.")


def test_a_file_of_another_size_says_so() -> None:
    assert meaning(standing(FileState.MISMATCH, size=5)).startswith("The file has another size and other content:")


def test_what_is_going_on_comes_before_what_was_found() -> None:
    assert standing_words(standing(FileState.MATCH, waits=True)) == "waiting"
    assert standing_words(standing(FileState.MATCH, progress=Progress(439, 1_000))) == "43 %"
    assert standing_icon(standing(FileState.MISMATCH, waits=True)) == ("file-waiting", "text2")


def test_only_wrong_and_right_have_a_hue() -> None:
    assert standing_icon(standing(FileState.MATCH))[1] == "completed"
    assert standing_icon(standing(FileState.TRUNCATED))[1] == "failed"
    assert standing_icon(standing(FileState.UNCHECKED))[1] == "text2"


@pytest.mark.parametrize(
    ("done", "total", "speed", "waiting", "words"),
    [
        (2_206_505_976, 5_131_409_248, 1.3e9, 1, "2.2 of 5.1 GB, 1.3 GB/s, 3 s left. Then 1 more."),
        (0, 5_131_409_248, 0.0, 0, "0 bytes of 5.1 GB."),
        (274_000_000, 5_131_409_248, 1e6, 0, "274 MB of 5.1 GB, 1.0 MB/s, 1:20 h left."),
        (5_131_409_248, 5_131_409_248, 1.3e9, 12_345, "5.1 of 5.1 GB, 1.3 GB/s. Then 12,345 more."),
        (5_000, 0, 1e6, 0, "5.0 kB, 1.0 MB/s."),
    ],
)
def test_progress_in_words(done: int, total: int, speed: float, waiting: int, words: str) -> None:
    assert progress_words(Progress(done, total), speed, waiting) == words


def test_sizes_keep_every_digit() -> None:
    assert size_words(2**63 - 1) == "9,223,372,036,854,775,807 bytes"
    assert size_words(9_007_199_254_740_993) == "9,007,199,254,740,993 bytes"
    assert size_words(1) == "1 byte"
    assert size_words(None) == "–"


def test_a_digest_falls_into_eight_groups_of_eight() -> None:
    groups = digest_groups(digest("x"))

    assert [len(group) for group in groups] == [8] * 8
    assert "sha256:" + "".join(groups) == digest("x")


@pytest.mark.parametrize(
    "text", ["", "sha256:abc", "SHA256:" + "a" * 64, "sha256:" + "A" * 64, "md5:" + "a" * 64, HOSTILE]
)
def test_what_is_no_digest_has_no_groups_and_is_shown_as_it_is(text: str) -> None:
    assert digest_groups(text) == ()
    assert short_digest(text) == one_line(text)


def test_a_narrow_column_leaves_out_what_all_digests_share() -> None:
    assert short_digest("sha256:" + "ab" * 32) == "ab" * 32


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (None, "not verified yet"),
        (FileState.UNCHECKED, "not verified yet"),
        (FileState.MISSING, "no file"),
        (FileState.EMPTY, "no bytes"),
        (FileState.TRUNCATED, "not read: too short"),
        (FileState.UNREADABLE, "not read"),
    ],
)
def test_where_no_digest_was_found_a_word_says_why(state: FileState | None, words: str) -> None:
    assert found_words(None if state is None else check("one", state)) == words


def test_stored_text_is_made_visible_and_cut() -> None:
    assert one_line(HOSTILE).isprintable()
    assert len(one_line("x" * 10**6)) == 300
    assert one_line(None) == "–"
