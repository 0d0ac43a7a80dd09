from inspector.desktop.late import Late


def test_a_part_is_made_once_when_it_is_first_asked_for() -> None:
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    part = Late(make)
    assert part.made is None
    assert made == []
    assert part() is part() is part.made
    assert len(made) == 1


def test_what_is_to_be_done_with_it_is_done_once_it_is_there_and_does_not_make_it() -> None:
    done: list[str] = []
    part = Late(lambda: "part")
    part.then(lambda made: done.append(f"first {made}"))
    part.then(lambda made: done.append(f"second {made}"))
    assert done == []
    part()
    part()
    assert done == ["first part", "second part"]
    part.then(lambda made: done.append(f"third {made}"))
    assert done[2:] == ["third part"]
