"""Chance that comes out the same each time: every actor has its own, named by the seed and who it is."""

import random


def chance(seed: int, *names: object) -> random.Random:
    """Return a source of chance that depends on the seed and the names alone.

    With one source for each actor, the order in which they are asked, which real time decides, changes no choice.
    """
    return random.Random("/".join(map(str, (seed, *names))))  # noqa: S311  a demo's choices, no secrets
