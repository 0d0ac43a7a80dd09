"""What is asked for, and what is answered."""

import json
import random

from inspector.demo.clients import CLIENTS
from inspector.demo.model_files import MODELS_BY_NAME
from inspector.demo.simulating.asks import Asking
from inspector.demo.simulating.pieces import DATA, answer_from, first_piece
from inspector.demo.texts import CODE, HOME, NOTES
from inspector.lmsp.digests import request_digest


def test_every_request_is_json_with_its_digest_and_a_model_that_is_there() -> None:
    rng = random.Random(1)
    asking = Asking(50_000)
    drawn = [asking.draw(rng) for _ in range(5_000)]
    for asked in drawn:
        request = json.loads(asked.ask.request)
        assert request["model"] == asked.ask.model
        assert asked.ask.model in MODELS_BY_NAME
        assert asked.ask.digest == request_digest(request)
        assert asked.client_id is None or asked.client_id in asking.clients
    assert {asked.ask.kind for asked in drawn} == {"response", "embedding"}
    assert {asked.client_id for asked in drawn} == {None, *asking.clients}
    assert any(asked.has_key for asked in drawn)
    assert any(asked.changes_mind for asked in drawn)


def test_a_small_history_has_few_clients_and_a_large_one_more() -> None:
    assert sorted(Asking(100).clients) == sorted(CLIENTS)
    assert len(Asking(1_000_000).clients) == len(set(Asking(1_000_000).clients)) == 8 * len(CLIENTS)


def test_what_is_to_be_streamed_is_no_embedding() -> None:
    rng = random.Random(1)
    assert {Asking(100).draw(rng, streams=True).ask.kind for _ in range(500)} == {"response"}


def test_the_pieces_of_an_answer_are_the_answer() -> None:
    for subject, following in ((NOTES[0], NOTES[1]), (CODE[1], CODE[2])):
        first, last = first_piece(subject), first_piece(following)
        pieces = [json.loads(f"{start}0}}")["delta"] for start in DATA[first:last]]
        assert "".join(pieces) == subject.answer


def test_an_answer_in_a_json_text_is_read_as_its_start() -> None:
    first = first_piece(HOME[0])
    told = json.loads(f'"{answer_from(first, 5)}"')
    assert told
    assert HOME[0].answer.startswith(told)
    assert answer_from(first, 0) == ""
