"""Whether a file can be opened in another way, tried by a reader of its own while what is open stays."""

import asyncio
from typing import Final

from inspector.desktop.session.launch import Target, launch_reader
from inspector.desktop.session.reader_link import ReaderLink
from inspector.layout.opened import Opened
from inspector.reading.messages import Locked, Lost, Message

TRIES_FOR_S: Final = 20.0


async def refusal_of(target: Target, within_s: float = TRIES_FOR_S) -> str | None:
    """Return the sentence with which a reader refuses ``target``, or None where it opens it.

    The reader is ended then. One that has said neither after ``within_s`` seconds has refused it too.
    """
    said: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    def say(sentence: str | None) -> None:
        if not said.done():
            said.set_result(sentence)

    def on_push(message: Message) -> None:
        match message:
            case Opened():
                say(None)
            case Lost(sentence=sentence) | Locked(sentence=sentence):
                say(sentence)
            case _:
                pass

    link = ReaderLink(
        launch_reader(target), on_push, lambda _why: say("The reader process ended before it could open the file.")
    )
    try:
        return await asyncio.wait_for(said, within_s)
    except TimeoutError:
        return f"The file could not be opened like this within {within_s:g} s."
    finally:
        link.close()
