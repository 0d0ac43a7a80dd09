"""One process of a stress run: says that it is ready, waits for the start, and plays its part until it is told to stop.

Run as ``python -m tests.support.stress_process DATABASE BOOK ROLE SEED PRODUCERS``. With more than one producer they
share a group writer. A line on standard input is the start, and its end is the word to stop.
"""

import asyncio
import os
import random
import sys
from contextlib import closing
from pathlib import Path

from tests.support.stress_roles import ROLES
from tests.support.stress_run import Book, Run, hands_on, say


async def _play(path: Path, folder: Path, book: Book, role: str, seed: str, producers: int) -> None:
    stop = asyncio.Event()
    async with hands_on(path, grouped=producers > 1) as hands:
        say(word="ready")
        os.read(sys.stdin.fileno(), 1)
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), stop.set)
        runs = [Run(path, folder, hands, stop, random.Random(f"{seed} {number}"), book) for number in range(producers)]
        try:
            await asyncio.gather(*map(ROLES[role], runs))
        finally:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            for run in runs:
                run.close()


def _main(path: str, file: str, role: str, seed: str, producers: str) -> None:
    with closing(Book(Path(file))) as book:
        asyncio.run(_play(Path(path), Path(file).parent, book, role, seed, int(producers)))
    say(word="done", tally=book.tally)


if __name__ == "__main__":
    _main(*sys.argv[1:])
