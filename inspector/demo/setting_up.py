"""What the simulated service writes before it works: who it is, what it allows, which models it has."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlite_utils import Database

from inspector import __version__, store
from inspector.demo.chance import chance
from inspector.demo.model_files import MODELS, make_model_files, models_folder
from inspector.demo.sending import MOST_WAITING
from inspector.demo.service import Staging

MADE_KEY = "demo.scenario"
"""Stands in every database that the demo has made, and in no other: the scenario that it was made for."""

SEED_KEY = "demo.seed"
"""The seed by which the database's tasks were made: what they asked for follows from it, in every later life, too."""

LIVES_KEY = "demo.lives"
"""How many lives the database has seen; the setting-up is done when it stands there."""

_RETENTION_MS = 30 * 24 * 3600 * 1000


def open_demo_database(path: Path, *, now_ms: int) -> Database:
    """Open the demo's database, and make a new one in an absent or empty file.

    Raises Unusable where the file is anything but a database that the demo has made: a demo that recovered and went on
    with the tasks of a real service would destroy them.
    """
    is_new = not path.exists() or path.stat().st_size == 0
    db = store.open_service_database(path)
    if is_new:
        store.set_config(db, MADE_KEY, "", now_ms=now_ms)
    elif store.config_value(db, MADE_KEY) is None:
        db.close()
        raise store.Unusable("This database was not made by the demo, which writes to no other: name a new file.")
    return db


@contextmanager
def hold_alone(folder: Path) -> Iterator[None]:
    """Make the folder if need be, and hold it: of two demos in one folder the second one raises Unusable.

    Each would recover, and so end, what the other one is working on. The end of the process lets go of it, too.
    """
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise store.Unusable(
                "Another demo is at work in this folder: stop it, or name a file elsewhere."
            ) from error
        yield
    finally:
        os.close(descriptor)


def is_set_up(db: Database) -> bool:
    """Return whether an earlier life has set the database up."""
    return store.config_value(db, LIVES_KEY) is not None


def seed_of(db: Database, seed: int) -> int:
    """Return the seed that the database was set up with, or ``seed`` where it is not set up yet."""
    stored = store.config_value(db, SEED_KEY)
    return stored if isinstance(stored, int) else seed


def next_life(db: Database, *, now_ms: int) -> int:
    """Count one more life, and return its number."""
    lives = store.config_value(db, LIVES_KEY)
    life = (lives if isinstance(lives, int) else 0) + 1
    store.set_config(db, LIVES_KEY, life, now_ms=now_ms)
    return life


def set_up(db: Database, staging: Staging, *, now_ms: int) -> None:
    """Make the model files, register them, and write the configuration. Picks up what an earlier try has left."""
    folder = models_folder(staging.path)
    make_model_files(folder, staging.seed)
    for model in MODELS:
        # Refused where an earlier try, stopped half-way, has registered it.
        with suppress(store.Refused):
            store.register_model(
                db,
                folder / model.file_name,
                name=model.name,
                model_id=model.name,
                format=model.format,
                metadata=model.metadata,
                now_ms=now_ms,
            )
    for key, value in _configuration(folder, staging).items():
        store.set_config(db, key, value, now_ms=now_ms)


def _configuration(folder: Path, staging: Staging) -> Mapping[str, object]:
    return {
        "service.id": f"svc_{chance(staging.seed, 'service').getrandbits(64):016x}",
        "service.name": "lmspd (simulated)",
        "service.version": __version__,
        "service.protocol": "LMSP 1.0",
        "service.listen": "127.0.0.1:8711",
        "limits.workers": staging.scenario.workers,
        "limits.queue": MOST_WAITING,
        "limits.max_output_tokens": 4096,
        "limits.request_bytes": 1_048_576,
        "models.folder": os.fspath(folder.absolute()),
        "retention.keep_ms": _RETENTION_MS,
        SEED_KEY: staging.seed,
        MADE_KEY: staging.scenario.name,
    }
