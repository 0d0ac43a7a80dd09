import pytest
from pytestqt.qtbot import QtBot

from inspector.desktop.digests.comparison import DigestComparison
from inspector.desktop.digests.words import digest_groups
from tests.desktop.digests.standings import digest

ONE, OTHER = digest_groups(digest("one")), digest_groups(digest("other"))
WIDE, HALF, QUARTER = 900, 420, 280


@pytest.fixture
def comparison(qtbot: QtBot) -> DigestComparison:
    made = DigestComparison()
    qtbot.addWidget(made)
    return made


def test_groups_that_differ_are_known(comparison: DigestComparison) -> None:
    almost = (*ONE[:3], "00000000", *ONE[4:])

    differing = []
    for found in (almost, ONE, ()):
        comparison.show_digests(ONE, found, stored_words="", found_words="no file")
        differing.append(comparison.differing)

    assert differing == [(3,), (), ()]


def test_both_digests_are_heard_whole(comparison: DigestComparison) -> None:
    comparison.show_digests(ONE, OTHER, stored_words="", found_words="")

    assert comparison.accessibleName() == f"Stored: sha256: {' '.join(ONE)}; Found: sha256: {' '.join(OTHER)}"


def test_words_stand_where_there_is_no_digest(comparison: DigestComparison) -> None:
    comparison.show_digests((), (), stored_words="<b>none</b>", found_words="not read")

    assert comparison.accessibleName() == "Stored: <b>none</b>; Found: not read"


def test_a_narrow_pane_breaks_both_digests_at_the_same_group(comparison: DigestComparison) -> None:
    comparison.show_digests(ONE, OTHER, stored_words="", found_words="")

    heights = [comparison.heightForWidth(width) for width in (WIDE, HALF, QUARTER)]

    assert heights == sorted(set(heights))
    assert comparison.minimumSizeHint().width() < HALF


def test_it_paints_at_every_width(comparison: DigestComparison) -> None:
    comparison.show_digests(ONE, OTHER, stored_words="", found_words="")
    for width in (WIDE, HALF, QUARTER, 60):
        comparison.resize(width, comparison.heightForWidth(width))

        assert not comparison.grab().isNull()


def test_a_digest_that_stands_alone_is_not_torn_apart(comparison: DigestComparison) -> None:
    comparison.show_digests(ONE, OTHER, stored_words="", found_words="")
    both = comparison.heightForWidth(HALF)

    comparison.show_digests(ONE, (), stored_words="", found_words="no file")

    assert comparison.heightForWidth(WIDE) < comparison.heightForWidth(HALF) < both
