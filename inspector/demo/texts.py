"""What the simulated clients ask and what the simulated models answer. All of it was written for this program."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Subject:
    """A prompt and its answer."""

    prompt: str
    answer: str


NOTES: Final = (
    Subject(
        "Summarise my notes of this morning's planning meeting in four sentences.",
        "The team agreed to move the release of the new importer to the second week of January, because two of the "
        "three file formats still lose their footnotes on the way in. Petra takes over the footnotes and reports on "
        "Thursday; until then nobody changes the parser. The customer in Lyon gets a preview on Monday with the one "
        "format that works, and a short note that says what is missing. The question who answers support mail over "
        "the holidays stayed open and comes back next week.",
    ),
    Subject(
        "Turn these bullet points about the garden into a to-do list for October.",
        "Here is a list in the order in which the weather will ask for it.\n\n1. Bring in the lemon tree and the two "
        "geraniums before the first night below five degrees.\n2. Empty the rain barrel, turn it over and put the "
        "pump in the shed.\n3. Cut the raspberries that bore fruit this year down to the ground and tie up the new "
        "canes.\n4. Plant the tulip bulbs three times as deep as they are high.\n5. Leave the leaves under the "
        "hedge: the hedgehog wants them more than the compost does.\n\nThe grape vine can wait until February.",
    ),
    Subject(
        "Write a friendly reply that declines the invitation to speak in May but keeps the door open.",
        "Dear Ms Okafor,\n\nthank you very much for asking me to speak at your meeting in May. I read the programme "
        "with great interest, and I would have liked to hear the session on small archives in particular. "
        "Unfortunately I am away for all of that month and cannot be in Leeds in time.\n\nIf you plan another "
        "meeting in autumn, please think of me again: by then the work on the parish registers will be finished, and "
        "there will be more to tell.\n\nWith kind regards",
    ),
    Subject(
        "Explain the difference between weather and climate to a ten-year-old.",
        "Weather is what you see when you look out of the window: today it rains, tomorrow the sun may shine. "
        "Climate is what you would see if you looked out of the same window every day for thirty years and then "
        "thought about what is usual there. Weather tells you which jacket to put on this morning. Climate tells you "
        "which jackets to have in the wardrobe at all. One cold day does not change the climate, just as one bad "
        "mark does not change what kind of pupil you are; but when nearly every summer is warmer than it used to be, "
        "then the climate is changing.",
    ),
    Subject(
        "What should I ask before I buy a used piano?",
        "Ask when it was last tuned, and by whom: a piano that has not been touched for ten years may not hold its "
        "pitch any more. Ask where it stood. A room above a cellar is better than one beside a radiator. Then open "
        "the lid and look: rust on the strings, cracks in the soundboard and moth in the felt cost more than the "
        "instrument is worth. Play every single key, softly and one after another, and listen for those that answer "
        "late. Last, ask how it gets down the stairs. Movers want to know the width of the door and the number of "
        "turns, and you want to know their price before you shake hands.",
    ),
)

CODE: Final = (
    Subject(
        "Why does this function return None for an empty list?\n\n```python\ndef longest(words):\n    best = "
        "None\n    for word in words:\n        if best is None or len(word) > len(best):\n            best = "
        "word\n    return best\n```",
        "The loop body never runs when the list is empty, so `best` keeps the value it got in the first line, and "
        "that is `None`. Whether this is a fault depends on what callers expect. If an empty list is a mistake, say "
        "so with `max(words, key=len)`, which raises a `ValueError` by itself. If it is normal, then give the answer "
        'a name: `max(words, key=len, default="")` returns an empty text, and no caller has to check for `None` '
        "before it asks for a length. I would take the second one here, because the result goes straight into the "
        "column width.",
    ),
    Subject(
        "Write a test for the retry loop in upload.py that does not sleep.",
        "Pass the waiting in as an argument, and the test can look at it instead of sitting through it:\n\n"
        "```python\ndef test_upload_waits_longer_after_each_failure():\n    waits = []\n    server = "
        "FailsTimes(3)\n\n    upload(server, b'data', wait=waits.append)\n\n    assert waits == [1, 2, 4]\n    "
        "assert server.received == b'data'\n```\n\nThe real caller passes `time.sleep`. `FailsTimes` is a small fake "
        "that refuses the first calls and takes the next one; it needs six lines. The test then runs in well under a "
        "millisecond, and it would fail if somebody changed the doubling to a fixed pause.",
    ),
    Subject(
        "What does this SQL do, and is there an index it could use?\n\nSELECT * FROM orders WHERE substr(placed_on, "
        "1, 7) = '2026-10';",
        "It reads every order of October 2026, but it has to look at each row of the table to find them: the index "
        "on `placed_on` is sorted by the whole value, and the query asks about the result of a function. Ask for a "
        "range instead, and the index works:\n\n```sql\nSELECT id, placed_on, total\nFROM orders\nWHERE placed_on >= "
        "'2026-10-01' AND placed_on < '2026-11-01';\n```\n\nThe half-open range also spares you the question how "
        "many days the month has. I listed the columns, since `SELECT *` reads the large note field as well, and "
        "nobody on this page shows it.",
    ),
    Subject(
        "Rename this variable to something that says what it holds: `tmp2`.",
        "It holds the rows that were read but not yet sent, so `unsent_rows` says it. I renamed the four places in "
        "this function; the `tmp2` in `flush()` is another variable and should become `written` in a change of its "
        "own.",
    ),
    Subject(
        "Explain what a race condition is, with an example from this file.",
        "Two parts of a program race when the result depends on which one comes first and nothing decides it. In "
        "this file the worker asks whether the task is cancelled, and some lines further down it marks the task as "
        "completed. Between those two moments the other thread may cancel it. Then the task says completed, the user "
        "was told cancelled, and both are sure they are right. The remedy is not to ask more often but to ask and "
        "act in one step: let the database change the row only where the status is still running, and look at how "
        "many rows were changed. If it is none, someone else was faster, and the worker drops its result. The order "
        "no longer matters, because whoever commits first has decided.",
    ),
)

DOCUMENTS: Final = (
    Subject(
        "Give this document a title of at most eight words and three keywords: minutes of the harbour committee, "
        "1911, on the purchase of a second-hand dredger.",
        "Title: The harbour committee buys a used dredger, 1911\n\nKeywords: harbour, dredging, procurement\n\nThe "
        "minutes name two bidders; the cheaper one withdrew after the inspection. The price was 4,200 pounds, to be "
        "paid in three parts, and the committee added the cost of a new boiler in the following meeting.",
    ),
    Subject(
        "Extract all dates and what happened on them as a table: letters from the Brandt family, bundle 7.",
        "| date | what happened |\n| --- | --- |\n| 3 March 1894 | Johanna arrives in Stavanger |\n| 19 March 1894 | "
        "first letter home, money is short |\n| 2 May 1894 | she starts work at the cannery |\n| 17 August 1894 | "
        "fire in the net loft, nobody hurt |\n| 24 December 1894 | the parcel from home comes four days late |\n\n"
        "Two letters carry no date. From what they say about the herring, both belong to the summer; I left them out "
        "of the table.",
    ),
    Subject(
        "Summarise chapter 4 of the maintenance manual for somebody who will not read it.",
        "Grease the two outer bearings every two hundred hours and never the inner one, which is sealed and swells "
        "when it is greased. Check the belt by pressing it with a thumb: it should give by the width of a finger. If "
        "it gives more, tighten it; if it squeaks after that, replace it. Before any of this, turn the main switch "
        "and hang the key around your own neck, since the machine starts by itself when the pressure falls. Chapter "
        "4 says so on page 61, in the middle of a paragraph about paint.",
    ),
)

HOME: Final = (
    Subject(
        "It is getting dark in the living room and I want to read.",
        "The reading lamp is on at seventy percent in warm white, and the ceiling light stays off.",
    ),
    Subject(
        "Is any window still open? I am about to leave.",
        "The bathroom window is tilted; all others are closed. It has been open for forty minutes and it is four "
        "degrees outside, so I would close it before you go.",
    ),
    Subject(
        "Wake me at half past six, but only if the train runs.",
        "The alarm is set to 6:30. I will look at the timetable at six, and if the 7:12 is cancelled I will let you "
        "sleep until seven and say why.",
    ),
    Subject(
        "How much power did the heat pump use yesterday?",
        "Yesterday the heat pump used 14.2 kilowatt hours, about two more than the day before. The night was colder, "
        "and it ran for an hour longer between four and six in the morning.",
    ),
)

SHELL: Final = (
    Subject(
        "One line that finds the ten largest files below the current folder.",
        "`find . -type f -printf '%s %p\\n' | sort -rn | head -n 10` prints size and name, largest first. Names with "
        "line breaks in them would confuse it; if you have those, add `-print0` and friends, or rename them first.",
    ),
    Subject(
        "Translate to English: Die Sitzung wird auf unbestimmte Zeit vertagt.",
        "The meeting is adjourned indefinitely.",
    ),
    Subject(
        "Write a haiku about a database that was not closed properly.",
        "The last frame is written.\nNobody came back for it.\nMorning reads the log.",
    ),
    Subject(
        "Compare three ways to store times in a database, for a talk of five minutes.",
        "The first way is text in a fixed form, such as 2026-10-03T18:02:11Z. Everybody can read it, it sorts as it "
        "should, and it takes twenty bytes. The second is a whole number of milliseconds since 1970. It is small, "
        "exact and quick to compare, and nobody can read it without a tool. The third is a floating-point number of "
        "days, which some systems like for their arithmetic, and which cannot say most moments exactly.\n\nTake the "
        "second for what a machine writes a thousand times a minute, and the first for what people edit by hand. "
        "What matters more than the choice is that it is made once: most faults I have seen came from a column in "
        "which both were used, or in which half of the rows were in local time. So write the unit and the zone into "
        "the name of the column or into the first line of its description, and let the screen do the conversion, not "
        "the row.",
    ),
)

PASSAGES: Final = (
    "The lighthouse keeper noted wind, visibility and passing ships every four hours.",
    "Invoices are kept for ten years, delivery notes for six.",
    "To reset the controller, hold both buttons until the lamp has blinked three times.",
    "The second edition adds a chapter on tides and corrects the tables for the western harbours.",
    "Members who move house should tell the secretary before the end of the quarter.",
    "The bridge was closed to carts in 1923 and to everybody else in 1931.",
    "Soak the beans overnight and throw the water away.",
    "A client that sends the same key twice gets the first answer again.",
    "The choir meets on Tuesdays, except in the week of the fair.",
    "Replace the filter when the needle stays in the yellow field.",
)
"""What is turned into embeddings."""

_TOKEN = re.compile(r"\s*(?:\w{1,7}|[^\w\s])|\s+")


def tokens_of(text: str) -> list[str]:
    """Cut ``text`` into pieces about the size of a model's tokens. Joined, they are the text again."""
    return _TOKEN.findall(text)
