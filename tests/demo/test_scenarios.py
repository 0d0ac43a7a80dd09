from pathlib import Path

import pytest

from inspector.demo.scenarios import (
    DEFAULT_SCENARIO,
    InvalidScenario,
    Scenario,
    find_scenario,
    load_scenarios,
    parse_scenario,
    scenarios_folder,
)

SMALLEST = 'title = "T"\ndescription = "D."\nworkers = 4\n'
CRASH = "[crash]\nfirst_after_s = 1\nagain_after_s = 1\ndead_for_s = 1\n"


def test_the_four_scenarios_are_there_and_the_default_one_comes_first() -> None:
    names = list(load_scenarios())

    assert names[0] == DEFAULT_SCENARIO
    assert set(names) == {"crash", "quiet", "race", "work"}


@pytest.mark.parametrize("played", load_scenarios().values(), ids=lambda played: played.name)
def test_each_scenario_has_a_title_and_one_line_that_says_what_it_shows(played: Scenario) -> None:
    assert played.title[0].isupper()
    assert not played.title.endswith(".")
    assert played.description[0].isupper()
    assert played.description.endswith(".")
    assert len(played.description) < 90


def test_the_crash_says_how_many_tasks_run_when_it_kills() -> None:
    crash = find_scenario("crash")

    assert crash.crash is not None
    assert f"while {crash.crash.tasks} tasks run" in crash.description


def test_what_a_file_leaves_out_is_nothing() -> None:
    played = parse_scenario("small", SMALLEST)

    assert (played.history_minutes, played.history_restarts, dict(played.clients)) == (0, 0, {})
    assert (played.crash, played.race, played.damages) == (None, None, ())


def test_an_unknown_name_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(InvalidScenario) as caught:
        find_scenario("tsunami")

    assert caught.value.sentence == "There is no scenario 'tsunami'; there are crash, quiet, race, work."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "Scenario x: this is not TOML"),
        (SMALLEST.replace('title = "T"\n', ""), "title must be one line of text; it is missing."),
        (SMALLEST.replace('"T"', "7"), "title must be one line of text; it is not 7."),
        (SMALLEST.replace('"D."', '"D.\\nE."'), "description must be one line of text"),
        (SMALLEST.replace("4", "0"), "workers must be a whole number, 1 or more; it is not 0."),
        (SMALLEST.replace("4", "true"), "workers must be a whole number, 1 or more; it is not True."),
        (SMALLEST.replace("4", "2.5"), "workers must be a whole number, 1 or more; it is not 2.5."),
        (SMALLEST + "history_minutes = inf\n", "history_minutes must be a number, 0 or more; it is not inf."),
        (SMALLEST + "history_minutes = nan\n", "history_minutes must be a number, 0 or more; it is not nan."),
        (SMALLEST + "history_minutes = -1\n", "history_minutes must be a number, 0 or more; it is not -1."),
        (SMALLEST + "histroy_minutes = 5\n", "histroy_minutes is nothing a scenario knows."),
        (SMALLEST + "crash = 5\n", "crash must be a table; it is not 5."),
        (SMALLEST + "damage = 5\n", "damage must be a list of tables; it is not 5."),
        (SMALLEST + "[clients]\nnobody = 5\n", "clients.nobody is nothing a scenario knows."),
        (SMALLEST + "[clients]\ncli = 0\n", "clients.cli must be a number, 0.05 or more; it is not 0."),
        (SMALLEST + CRASH, "crash.tasks must be a whole number, 3 or more; it is missing."),
        (SMALLEST + CRASH + "tasks = 4\n", "crash.tasks must be less than the 4 workers"),
        (SMALLEST + CRASH + "tasks = 3\nsoon = 1\n", "crash.soon is nothing a scenario knows."),
        (SMALLEST + "[race]\ntries = 1\nwithin_ms = 5\n", "race.tries must be a whole number, 2 or more; it is not 1."),
        (SMALLEST + '[[damage]]\nmodel = "gpt"\n', "damage[0].model must be one of llama-3.2-3b-instruct-q4, "),
        (
            SMALLEST + '[[damage]]\nmodel = "whisper-small-en"\nhow = "eaten"\n',
            "damage[0].how must be one of removed, replaced, truncated; it is not 'eaten'.",
        ),
    ],
)
def test_a_wrong_file_is_answered_with_one_sentence_that_names_the_key(text: str, said: str) -> None:
    with pytest.raises(InvalidScenario) as caught:
        parse_scenario("x", text)

    assert said in caught.value.sentence
    assert caught.value.sentence.startswith("Scenario x: ")
    assert "\n" not in caught.value.sentence


def test_scenarios_are_found_inside_the_package_and_else_beside_it(tmp_path: Path) -> None:
    package = tmp_path / "inspector"
    beside = tmp_path / "resources" / "scenarios"
    beside.mkdir(parents=True)
    assert scenarios_folder(package) == beside

    inside = package / "resources" / "scenarios"
    inside.mkdir(parents=True)
    assert scenarios_folder(package) == inside


def test_an_installation_without_scenarios_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidScenario, match="not installed completely"):
        load_scenarios(tmp_path)
