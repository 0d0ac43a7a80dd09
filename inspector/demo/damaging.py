"""Damages model files behind the service's back, so that verifying them has something to find."""

import os
from pathlib import Path

from inspector.demo.chance import chance
from inspector.demo.happenings import HappeningKind
from inspector.demo.model_files import MODELS_BY_NAME, model_content
from inspector.demo.playing import Play
from inspector.demo.scenarios import Damage, DamageKind
from inspector.demo.service import Service

_REPLACED_BYTES = 4096


def damage_later(service: Service, folder: Path, damage: Damage) -> Play:
    """Damage one file after its time, and report it, unless an earlier life did already."""
    yield damage.after_s * 1000
    model = MODELS_BY_NAME[damage.model]
    if damage_file(
        folder / model.file_name, model_content(model, service.staging.seed), damage.how, service.staging.seed
    ):
        service.tell(
            HappeningKind.MODEL_DAMAGED,
            f"The file of {model.name} was {damage.how} behind the service's back.",
            model=model.name,
            how=damage.how,
        )


def damage_file(path: Path, content: bytes, how: DamageKind, seed: int) -> bool:
    """Damage the file, if it still has its ``content``; return whether it had."""
    if not path.is_file() or path.read_bytes() != content:
        return False
    match how:
        case DamageKind.REMOVED:
            path.unlink()
        case DamageKind.TRUNCATED:
            os.truncate(path, len(content) * 3 // 5)
        case DamageKind.REPLACED:
            with path.open("r+b") as file:
                file.seek(len(content) // 2)
                file.write(chance(seed, "damage", path.name).randbytes(_REPLACED_BYTES))
    return True
