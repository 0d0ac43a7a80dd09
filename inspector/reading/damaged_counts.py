"""Counts, models and the places of pages, where damage is in the way of what walks over all rows."""

from collections import Counter
from dataclasses import replace

from inspector.layout.pages import Counts, ModelPage, TaskFilter, TaskKey, TaskPlaces
from inspector.layout.rows import ModelRow
from inspector.lmsp.statuses import UNFINISHED
from inspector.reading.connection import ReadConnection
from inspector.reading.counts import how_many_models
from inspector.reading.damaged import damaged_task_list
from inspector.reading.errors import around_damage
from inspector.reading.model_list import listed_models, model_columns, model_row
from inspector.reading.recognising import Shape
from inspector.reading.salvage import Salvage, damage_sentence


def damaged_counts(connection: ReadConnection, shape: Shape, wanted: TaskFilter, read_at_ms: int) -> Counts:
    """Return the counts of the tasks that :func:`damaged_task_list` gives. Raises sqlite3.Error where it does."""
    listed, damage = damaged_task_list(connection, shape, wanted)
    models = around_damage(lambda: how_many_models(connection, shape), lambda: len(_models(connection, shape)[0]))
    return Counts(dict(Counter(task.status for task in listed)), models, read_at_ms, damage)


def damaged_places(
    connection: ReadConnection, shape: Shape, wanted: TaskFilter, every: int, read_at_ms: int
) -> TaskPlaces:
    """Return where the pages of that list begin. Raises as above."""
    listed, _ = damaged_task_list(connection, shape, wanted)
    starts = tuple(TaskKey(task.created_at, task.id) for task in listed[::every])
    return TaskPlaces(len(listed), every, starts, read_at_ms)


def damaged_models(connection: ReadConnection, shape: Shape, counted: bool, read_at_ms: int) -> ModelPage:
    """Return the models that can be read, by name, and if they are ``counted`` how many tasks of that list name each.

    Raises as above, also where nothing of the models can be read.
    """
    models, damage = around_damage(
        lambda: ([model.row for model in listed_models(connection, shape)], ""), lambda: _models(connection, shape)
    )
    if counted:
        tasks, unread = damaged_task_list(connection, shape, TaskFilter())
        named = Counter(task.model_id for task in tasks)
        unfinished = Counter(task.model_id for task in tasks if task.status in UNFINISHED)
        models = [replace(each, tasks=named[each.id], unfinished=unfinished[each.id]) for each in models]
        damage = " ".join(filter(None, (damage, unread)))
    return ModelPage(tuple(models), read_at_ms, damage)


def _models(connection: ReadConnection, shape: Shape) -> tuple[list[ModelRow], str]:
    if shape.models is None:
        return [], ""
    found = Salvage(connection, shape.models, model_columns(shape.models)).run()
    if found.error is not None and not found.rows:
        raise found.error
    return sorted(map(model_row, found.rows), key=lambda model: (model.name, model.id)), damage_sentence(
        "models", 0, found.unread, older=found.older
    )
