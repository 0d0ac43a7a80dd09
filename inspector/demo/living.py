"""One start of the simulated service: it sets up or recovers, takes up its history, and lives from then on."""

from collections.abc import Callable
from dataclasses import replace

from sqlite_utils import Database

from inspector.demo.crashing import set_scenes
from inspector.demo.damaging import damage_later
from inspector.demo.happenings import HappeningKind
from inspector.demo.history import make_history
from inspector.demo.model_files import models_folder
from inspector.demo.playing import Clock, Loop
from inspector.demo.racing import Race
from inspector.demo.sending import send
from inspector.demo.service import Service, Staging
from inspector.demo.setting_up import hold_alone, is_set_up, next_life, open_demo_database, seed_of, set_up
from inspector.demo.work import work

_MODELS_BEFORE_MS = 3_600_000
"""So long before the first task of the history the models were there."""


def live(staging: Staging, clock: Clock, *, first: bool, stopwatch: Callable[[], float]) -> None:
    """Start the simulated service on its database, and let it live until the clock ends it.

    ``first`` says whether this is the demo's first start of it; the others come after a kill. ``stopwatch`` gives the
    seconds since any moment, to measure what the history costs. Raises Unusable where the database cannot be used, was
    not made by the demo, or is in use by another one.
    """
    began_s = stopwatch()
    db = open_demo_database(staging.path, now_ms=int(clock.now_ms()))
    try:
        staging = replace(staging, seed=seed_of(db, staging.seed))
        with hold_alone(models_folder(staging.path)):
            service = _start(db, staging, clock, stopwatch)
            took_ms = round((stopwatch() - began_s) * 1000)
            service.tell(HappeningKind.READY, "The service takes requests.", life=service.life, took_ms=took_ms)
            _direct(service, first=first)
            while service.loop.run() and clock.wait(60_000):
                # Nothing more will happen by itself: stay, as a service does.
                pass
    finally:
        db.close()


def _start(db: Database, staging: Staging, clock: Clock, stopwatch: Callable[[], float]) -> Service:
    def begin(loop: Loop, past: bool) -> Service:
        life = next_life(db, now_ms=int(loop.clock.now_ms()))
        service = Service(db, staging, loop, work, life=life, past=past)
        # On a database without tasks, too, this is the first thing that a service does (section 11.2).
        service.recover()
        for client_id, mean_s in staging.scenario.clients.items():
            loop.start(send(service, client_id, mean_s))
        return service

    if is_set_up(db):
        return begin(Loop(clock), past=False)
    before_ms = clock.now_ms() - staging.scenario.history_minutes * 60_000 - _MODELS_BEFORE_MS
    set_up(db, staging, now_ms=int(before_ms))
    return make_history(staging, clock, begin, stopwatch)


def _direct(service: Service, *, first: bool) -> None:
    """Start what the scenario wants to happen besides the service's usual work."""
    scenario = service.staging.scenario
    if scenario.crash is not None:
        after_s = scenario.crash.first_after_s if first else scenario.crash.again_after_s
        service.loop.start(set_scenes(service, scenario.crash, after_s))
    if scenario.race is not None and first:
        service.loop.start(Race(service, scenario.race).run())
    for damage in scenario.damages:
        service.loop.start(damage_later(service, models_folder(service.staging.path), damage))
