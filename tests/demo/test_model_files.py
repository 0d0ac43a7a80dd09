import hashlib
from pathlib import Path

import pytest

from inspector.demo.damaging import damage_file
from inspector.demo.model_files import MODELS, make_model_files, model_content, models_folder
from inspector.demo.scenarios import DamageKind
from tests.support.demo_lives import live_for, rows, scenario


def test_the_models_digests_are_those_of_their_files(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    live_for(1, path, scenario())

    registered = rows(path, "SELECT id, name, digest, size_bytes, path FROM models")

    assert {model_id for model_id, *_ in registered} == {model.name for model in MODELS}
    for model_id, name, digest, size_bytes, file in registered:
        content = Path(str(file)).read_bytes()
        assert model_id == name
        assert (digest, size_bytes) == (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))
        assert Path(str(file)).parent == models_folder(path)
        assert 200_000 <= len(content) <= 3_000_000


def test_the_files_are_the_same_for_the_same_seed_and_differ_between_models() -> None:
    contents = {model_content(model, 1) for model in MODELS}

    assert contents == {model_content(model, 1) for model in MODELS}
    assert len(contents) == len(MODELS)
    assert not contents & {model_content(model, 2) for model in MODELS}
    assert all(content.startswith(b"GGUF") for content in map(model_content, MODELS[:6], range(6)))


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / MODELS[0].file_name).write_bytes(b"mine")

    make_model_files(tmp_path, 1)

    assert (tmp_path / MODELS[0].file_name).read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(model.file_name for model in MODELS)


@pytest.mark.parametrize("how", DamageKind)
def test_a_file_is_damaged_once_and_no_other_file_is_touched(tmp_path: Path, how: DamageKind) -> None:
    path = tmp_path / "model.gguf"
    content = model_content(MODELS[-1], 1)
    path.write_bytes(content)

    assert damage_file(path, content, how, 1)

    match how:
        case DamageKind.REMOVED:
            assert not path.exists()
        case DamageKind.REPLACED:
            assert len(path.read_bytes()) == len(content)
            assert path.read_bytes() != content
        case DamageKind.TRUNCATED:
            assert 0 < path.stat().st_size < len(content)
    assert not damage_file(path, content, how, 1)

    path.write_bytes(b"mine")
    assert not damage_file(path, content, how, 1)
    assert path.read_bytes() == b"mine"


def test_a_scenarios_damage_happens_in_its_time_and_is_not_healed_by_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "lmspd.db"
    played = scenario(damage='[{ model = "whisper-small-en", how = "removed", after_s = 4 }]')
    file = models_folder(path) / MODELS[-1].file_name

    before = live_for(3, path, played)
    assert file.exists()
    after = live_for(6, path, played)
    again = live_for(6, path, played)

    assert not file.exists()
    damaged = [
        [each.details["model"] for each in life if each.kind == "model_damaged"] for life in (before, after, again)
    ]
    assert damaged == [[], ["whisper-small-en"], []]
