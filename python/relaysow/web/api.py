"""What the page asks of the engine: pure functions of a request, run in worker processes."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from functools import cache
from inspect import Parameter, signature
from random import Random
from typing import Any

import relaysow
from relaysow._support.checks import shown
from relaysow.game import Game
from relaysow.moves import IllegalMove, Redistribute, Sow
from relaysow.options import CHOICES, MAX_PITS, MAX_SEEDS, MIN_PITS, OPTIONS
from relaysow.players.computer import choose
from relaysow.players.policies import POLICIES
from relaysow.records import Record
from relaysow.rules import READINGS, RULE_SETS, Rules
from relaysow.text import board as display
from relaysow.text import words as descriptions
from relaysow.text.notation import PLAYERS, rules_from_text, rules_to_text
from relaysow.text.reading import bare

MAX_LAPS = 60
"""The most laps of a move that the page is told one by one."""

MAX_MOVES = 5_000
"""The longest game that is played on."""

KEYS = {"text": str, "keep": int, "move": str, "policy": str, "seed": int, "explain": str}


def answer(request: Any) -> tuple[int, bytes]:
    """The status and the JSON text that answer a request about a game.

    A request is an object with

    * `text`: a record of a game, a position or rules, as text; the game in question;
    * `keep`: only its first so many moves (all by default);
    * one of `move`, a move to make, `policy`, who chooses it (with an optional `seed`), and
      `explain`, a move to be told without making it; or none of them.

    The answer is the game as the page shows it, or `{"error": …}` with the package's own words.

    >>> status, text = answer({"text": "giuthi(pits=5,seeds=4)", "move": "1+"})
    >>> status, json.loads(text)["stores"]
    (200, [5, 0])
    >>> answer({"text": "giuthi(pits=2)"})
    (422, b'{"error": "pits=2: must be 3\\\\u202664 pits in each row"}')
    """
    try:
        return 200, to_json(_answer(request))
    except (ValueError, TypeError, OverflowError) as error:
        return 422, to_json({"error": f"{error}"})


def to_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def check(request: Any) -> None:
    """Raises `TypeError` or `ValueError` for what is no request at all."""
    if not isinstance(request, dict):
        raise TypeError("a request must be an object")
    for key, value in request.items():
        if key not in KEYS:
            raise ValueError(f"{shown(key)} is not asked for: must be one of {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]) or isinstance(value, bool):
            kind = "a string" if KEYS[key] is str else "an integer"
            raise TypeError(f"{key} must be {kind}, not {shown(value)}")
    if "text" not in request:
        raise ValueError("text is missing: a record, a position or rules")
    if len(request.keys() & {"move", "policy", "explain"}) > 1:
        raise ValueError("move, policy, explain: one of them at a time")


def _answer(request: Any) -> dict[str, Any]:
    check(request)
    record = _read(request["text"])
    game, comments = record.play, dict(record.comments)
    assert isinstance(game, Game)
    keep = request.get("keep", len(game.moves))
    if not 0 <= keep <= len(game.moves):
        raise ValueError(f"keep={keep}: must be 0…{len(game.moves)}, a number of moves")
    while len(game.moves) > keep:
        game.undo()
    if "explain" in request:
        return _explain(game, request["explain"])
    if "move" in request or "policy" in request:
        if len(game.moves) >= MAX_MOVES:
            raise ValueError(f"the game has {MAX_MOVES:,} moves: it is not played on here")
        comments = {at: comment for at, comment in comments.items() if at <= keep}
    if "move" in request:
        move = game.position.move_from_text(request["move"])
        try:
            game.push(move)
        except IllegalMove as error:
            raise ValueError(f"Illegal: {display.reason(game.position, error)}.") from error
    elif "policy" in request:
        if game.is_over:
            raise ValueError("the game is over")
        if request["policy"] not in policies():
            allowed = ", ".join(policies())
            raise ValueError(f"policy={shown(request['policy'])}: must be one of {allowed}")
        game.push(choose(game, request["policy"], Random(request.get("seed"))))
    comments = {at: comment for at, comment in comments.items() if at <= len(game.moves)}
    told = _told(Record(game, record.tags, comments))
    return told | ({"overlooked": record.overlooked} if record.overlooked else {})


def policies() -> tuple[str, ...]:
    return (*POLICIES[:2], "search:nodes=10000", "search:nodes=1000000")


def _read(text: str) -> Record:
    """The game of a record, or one that begins at a position or with rules."""
    text = bare(text)
    if text.startswith("relaysow"):
        record = Record.from_text(f"{text}\n", lenient=True)
        if not isinstance(record.play, Game):
            kind = type(record.play).__name__.lower()
            raise ValueError(f"the record is of a {kind}: only games are played here")
        return record
    if " " in text:
        return Record(Game(relaysow.Position.from_text(text)))
    return Record(Game(rules_from_text(text)))


def _told(record: Record) -> dict[str, Any]:
    """A game as the page shows it."""
    game = record.play
    assert isinstance(game, Game)
    position, rules, positions = game.position, game.position.rules, game.positions
    outcome = game.outcome
    state = display.state(position)
    if outcome is not None and not position.is_over:
        state = display.result(outcome)
    moves: list[dict[str, Any]] = []
    for at, move in enumerate(game.moves):
        before, after = positions[at : at + 2]
        begins = at == 0 or before.mover != positions[at - 1].mover or before.passed
        moves.append(
            {
                "text": before.move_to_text(move),
                "player": before.mover,
                "turn": (moves[-1]["turn"] if moves else 0) + begins,
                "captured": after.stores[before.mover] - before.stores[before.mover],
            }
        )
    legal = game.legal_moves
    due = None
    if position.redistributions < 2 and not game.is_over:
        own = position.pits[position.mover * rules.pits :][: rules.pits]
        most = min({"one": 1}.get(rules.redistribution, 2), sum(1 for seeds in own if seeds))
        due = {"least": 0 if rules.redistribution == "up_to_two" else most, "most": most}
    return {
        "record": record.to_text(),
        "position": position.to_text(),
        "rules": rules_to_text(rules),
        "options": asdict(rules),
        "pits": position.pits,
        "stores": position.stores,
        "mover": position.mover,
        "protected": position.protected,
        "direction": position.direction,
        "passed": position.passed,
        "outcome": None if outcome is None else asdict(outcome),
        "state": state,
        "moves": moves,
        "legal": []
        if due
        else [
            {
                "pit": move.pit,
                "lift": move.lift,
                "direction": move.direction,
                "text": position.move_to_text(move),
                "captures": position.sow(move).captured,
            }
            for move in legal
            if isinstance(move, Sow)
        ],
        "count": f"{legal.count:,}",
        "redistribute": due,
        "comment": record.comments.get(len(game.moves)),
        "last": _last(game),
    }


def _last(game: Game) -> dict[str, Any] | None:
    """The last move, lap by lap."""
    if not game.moves:
        return None
    before, move = game.positions[-2], game.moves[-1]
    told = before.sow(move)
    sown = display.sown(before, told)
    laps = told.path[:MAX_LAPS]
    number = "" if not told.laps else ", 1 lap" if told.laps == 1 else f", {told.laps:,} laps"
    text = before.move_to_text(move).partition("=")[0] if told.laps == 0 else None
    name = before.move_to_text(move) if text is None else f"empties {text or 'no pit'}"
    said = f"{PLAYERS[before.mover]}: {name}{number}."
    return {
        "player": before.mover,
        "pits": before.pits,
        "protected": before.protected,
        "stores": before.stores,
        "emptied": move.emptied if isinstance(move, Redistribute) else (),
        "placed": move.placed if isinstance(move, Redistribute) else (),
        "laps": [asdict(lap) for lap in laps],
        "more": max(0, (told.laps or len(told.path)) - len(laps)),
        "origins": list(dict.fromkeys(lap.origin for lap in told.path)),
        "end": told.path[-1].last if told.laps and not told.path_truncated else None,
        "captured": [
            {"pit": pit, "seeds": None if told.path_truncated else sown[pit]}
            for pit in told.captured_pits
        ],
        "told": " ".join((said, *display.ending(before.rules, told, sown))),
    }


def _explain(game: Game, text: str) -> dict[str, Any]:
    """What a move would do, or why it is illegal, in sentences."""
    position = game.position
    move = position.move_from_text(text)
    try:
        game.push(move)
    except IllegalMove as error:
        return {"legal": False, "told": f"Illegal: {display.reason(position, error)}."}
    last = _last(game)
    assert last is not None
    return {"legal": True, "told": last["told"]}


@cache
def catalogue() -> bytes:
    """All that the page needs to know of the games, as JSON text."""
    games = []
    for name, function in RULE_SETS.items():
        game = name.partition("_")[0]
        rules = function()
        games.append(
            {
                "name": name,
                "game": game,
                "title": descriptions.TITLES[game],
                "reading": READINGS[name],
                "sizes": {
                    parameter.name: parameter.default
                    for parameter in signature(function).parameters.values()
                    if parameter.kind is not Parameter.VAR_KEYWORD
                },
                "setups": descriptions.SETUPS[game] if name == game else (),
                "options": {
                    field.name: getattr(rules, field.name)
                    for field in fields(Rules)
                    if field.name not in ("pits", "setup")
                },
            }
        )
    return to_json(
        {
            "version": relaysow.__version__,
            "rule_sets": games,
            "games": {
                game: {
                    "about": about,
                    "play": descriptions.PLAY[game],
                    "sources": descriptions.SOURCES[game],
                }
                for game, about in descriptions.GAMES.items()
            },
            "options": {
                name: {"meaning": meaning, "values": values}
                for name, (meaning, values) in OPTIONS.items()
            },
            "choices": CHOICES,
            "limits": {"pits": [MIN_PITS, MAX_PITS], "seeds": MAX_SEEDS},
            "policies": policies(),
        }
    )
