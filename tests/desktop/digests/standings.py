"""Models and checks for the tests of the Models view."""

import hashlib

from inspector.desktop.digests.standing import Progress, Standing
from inspector.layout.files import FileCheck, FileState
from inspector.layout.pages import ModelPage
from inspector.layout.rows import ModelRow

READ_AT = 1_796_130_131_417
HOSTILE = "<b>model</b>\u202e\x1b[2J\u200b<img src=file:///etc/hostname width=9000>"


def digest(of: str) -> str:
    return f"sha256:{hashlib.sha256(of.encode()).hexdigest()}"


def model(name: str, *, size: int | None = 4_683_073_184, **changed: object) -> ModelRow:
    values: dict[str, object] = {
        "id": name,
        "name": name,
        "digest": digest(name),
        "size_bytes": size,
        "path": f"/models/{name}.gguf",
        "format": "gguf",
        "metadata": '{"family": "plain"}',
        "added_at": READ_AT - 86_400_000,
        "tasks": 4_911,
        "unfinished": 6,
    }
    return ModelRow(**(values | changed))  # type: ignore[arg-type]


def check(model_id: str, state: FileState, *, found: str | None = None, size: int | None = None) -> FileCheck:
    return FileCheck(model_id, state, found, size, READ_AT - 3_600_000, READ_AT - 9_000)


def standing(
    state: FileState | None = None, *, size: int | None = None, progress: Progress | None = None, waits: bool = False
) -> Standing:
    one = model("one")
    return Standing(one, None if state is None else check("one", state, size=size), progress, waits)


def page(*models: ModelRow) -> ModelPage:
    return ModelPage(models, READ_AT)
