"""The server behind the page: what it answers, and all that it must refuse."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from http.client import HTTPConnection
from ipaddress import ip_address
from random import Random
from select import select
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli, web
from relaysow.options import CHOICES
from relaysow.text import notation
from relaysow.web import addresses, connections, server
from relaysow.web.workers import Stopped, Workers
from serving import SLOW, Client, answer, serving

FIVE = "giuthi(pits=5,seeds=4)"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving() as client:
        yield client


def told(client: Client, **request: Any) -> dict[str, Any]:
    response = client.ask(request)
    assert response.status == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def refused(client: Client, **request: Any) -> str:
    response = client.ask(request)
    assert response.status == 422
    error: str = response.json()["error"]
    return error


def test_a_new_game(client: Client) -> None:
    game = told(client, text=FIVE)
    assert game["pits"] == [4] * 10
    assert (game["stores"], game["mover"], game["outcome"]) == ([0, 0], 0, None)
    assert game["state"] == "South to move."
    assert game["record"] == rs.Game(rs.giuthi(5, 4)).record()
    assert game["position"] == rs.giuthi(5, 4).start().to_text()
    assert [move["text"] for move in game["legal"]][:3] == ["1+", "1-", "2+"]
    assert [move["captures"] for move in game["legal"]] == [5, *[0] * 8, 5]
    assert game["options"]["chain"] == "run_over_gaps"
    assert game["last"] is None


def test_a_move(client: Client) -> None:
    game = told(client, text=FIVE, move="1+")
    assert (game["stores"], game["mover"]) == ([5, 0], 1)
    assert game["moves"] == [{"text": "1+", "player": 0, "turn": 1, "captured": 5}]
    last = game["last"]
    assert [lap["last"] for lap in last["laps"]] == [4, 9, 4]
    assert last["captured"] == [{"pit": 5, "seeds": 4}, {"pit": 4, "seeds": 1}]
    assert (last["pits"], last["stores"], last["more"], last["end"]) == ([4] * 10, [0, 0], 0, 4)
    assert last["told"].startswith("South: 1+, 3 laps. The sowing is over: 5 seeds captured: 4 of ")
    # Undone by keeping fewer moves.
    assert told(client, text=game["record"], keep=0) == told(client, text=FIVE)


@pytest.mark.parametrize("name", rs.RULE_SETS)
@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_computers_play_whole_games(name: str, policy: str, client: Client) -> None:
    """Every answer is that of a game played by the package itself."""
    sizes = {"pits": 5} | ({"filled": 3} if name.startswith("kiothi") else {})
    rules = rs.RULE_SETS[name](seeds=3, **sizes)
    text, moves, game = notation.rules_to_text(rules), 0, rs.Game(rules)
    while True:
        shown = told(client, text=text, policy=policy, seed=moves)
        game.push(game.position.move_from_text(shown["moves"][-1]["text"]))
        moves, text = moves + 1, shown["record"]
        assert (text, shown["pits"]) == (game.record(), list(game.position.pits))
        assert len(shown["moves"]) == moves
        if game.is_over:
            break
        due = game.position.redistributions < 2
        legal = [] if due else [game.position.move_to_text(move) for move in game.legal_moves]
        assert [move["text"] for move in shown["legal"]] == legal
        assert (shown["redistribute"] is None) is not due
    outcome = game.outcome
    assert outcome is not None
    assert shown["outcome"] == {
        "winner": outcome.winner,
        "stores": list(outcome.stores),
        "end": outcome.end,
    }
    assert "The game is over" in shown["state"]
    assert refused(client, text=text, policy=policy) == "the game is over"
    for keep in (0, 1, moves // 2, moves):
        assert len(told(client, text=text, keep=keep)["moves"]) == keep


def test_turns_are_those_of_the_record(client: Client) -> None:
    game, chance = rs.Game(rs.giuthi(6, 4)), Random(3)
    while not game.is_over:
        game.push(game.legal_moves[chance.randrange(len(game.legal_moves))])
    shown = told(client, text=game.record())
    lines = [line for line in game.record().splitlines() if line[:1].isdigit()]
    for line in lines:
        number, player, *said = line.replace(".", "").split()
        of_turn = [move for move in shown["moves"] if move["turn"] == int(number)]
        assert [move["text"] for move in of_turn] == said
        assert {"SN"[move["player"]] for move in of_turn} == {player}
    assert len(lines) < len(game.moves)


def test_text_in_any_form(client: Client) -> None:
    position = rs.Position(rs.kiothi(), [0, 3] * 10, stores=(10, 20), protected=[1, 3, 13])
    shown = told(client, text=f"  {position.to_text()}\n")
    assert (shown["position"], shown["protected"]) == (position.to_text(), [1, 3, 13])
    record = rs.Record(rs.Game(position), {"South": "greedy"}, {0: "a {study}"}).to_text()
    shown = told(client, text=record)
    assert (shown["record"], shown["comment"]) == (record, "a {study}")
    shown = told(client, text=record.replace('[Result "*"]\n', ""))
    (overlooked,) = shown["overlooked"]
    assert (shown["record"], overlooked.endswith("the tag Result is missing")) == (record, True)
    # Comments on positions that are gone go with them.
    game = rs.Game(rs.giuthi())
    game.push(game.legal_moves[0])
    record = rs.Record(game, {}, {0: "first", 1: "second"}).to_text()
    assert told(client, text=record, keep=0)["record"].count("{") == 1
    match = rs.Record(rs.Match(rs.giuthi_leakey(), "leakey", first=0)).to_text()
    assert refused(client, text=match) == "the record is of a match: only games are played here"


def test_a_move_is_explained(client: Client) -> None:
    kiothi = "kiothi 0,2,2,0,0,0,0,0,0,0;1,0,0,0,0,0,0,0,0,0 0,0 S - - 2"
    shown = told(client, text=kiothi, explain="2x1")
    assert shown == {
        "legal": False,
        "told": "Illegal: its first lap ends in an occupied pit of the mover's own row.",
    }
    shown = told(client, text=FIVE, explain="1+")
    assert shown["legal"]
    assert "5 seeds captured" in shown["told"]
    assert refused(client, text=FIVE, explain="1") == (
        "column 1: move '1': must end with a direction, + or - (direction='either')"
    )
    endless = "giuthi(pits=5,seeds=4) 9,2,0,3,0;0,0,0,0,2 0,0 S - - 2"
    assert "never ends (period 100 laps)" in told(client, text=endless, explain="1+")["told"]


def test_redistributions(client: Client) -> None:
    shown = told(client, text="kiothi")
    assert shown["redistribute"] == {"least": 2, "most": 2}
    assert shown["count"] == "300,450,150"
    assert shown["legal"] == []
    shown = told(client, text="kiothi", move="5,6=10" + ",0" * 19)
    assert shown["pits"][:6] == [10, 0, 0, 0, 0, 0]
    assert shown["last"]["emptied"] == [4, 5]
    assert shown["last"]["placed"] == [10] + [0] * 19
    assert shown["mover"] == 1
    assert told(client, text="kiothi(redistribution=up_to_two)")["redistribute"]["least"] == 0
    assert told(client, text="kiothi(redistribution=one)")["redistribute"]["most"] == 1
    error = refused(client, text="kiothi", move="5=5" + ",0" * 19)
    assert error == "Illegal: emptied (5,): must be exactly 2 of the mover's occupied pits."


def test_the_catalogue_has_every_game_and_option(client: Client) -> None:
    games = client.get("/api/games").json()
    assert [one["name"] for one in games["rule_sets"]] == list(rs.RULE_SETS)
    for one in games["rule_sets"]:
        rules = rs.RULE_SETS[one["name"]](**one["sizes"])
        assert rules == rs.RULE_SETS[one["name"]]()
        for option, value in one["options"].items():
            assert getattr(rules, option) == value
            assert option in games["options"]
        for setup in one["setups"]:
            told(client, text=notation.rules_to_text(rs.RULE_SETS[one["name"]](**setup)))
        assert games["games"][one["game"]]["sources"]
        assert games["games"][one["game"]]["play"]
    for option, values in CHOICES.items():
        assert list(games["options"][option]["values"]) == list(values)
    assert {"random", "greedy"} <= set(games["policies"])


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ([], "a request must be an object"),
        ({}, "text is missing: a record, a position or rules"),
        ({"text": 3}, "text must be a string, not 3"),
        ({"text": FIVE, "keep": True}, "keep must be an integer, not True"),
        ({"text": FIVE, "keep": 1}, "keep=1: must be 0…0, a number of moves"),
        ({"text": FIVE, "x": 1}, "'x' is not asked for: must be one of text, keep, move, policy"),
        ({"text": FIVE, "move": "1+", "policy": "random"}, "one of them at a time"),
        ({"text": FIVE, "move": "6+"}, "column 1: pit '6': must be 1…5"),
        ({"text": FIVE, "policy": "human"}, "policy='human': must be one of random, greedy"),
        ({"text": "oware"}, "column 1: rules 'oware': must be one of giuthi, kiothi"),
        ({"text": "giuthi(pits=2)"}, "pits=2: must be 3…64 pits in each row"),
        ({"text": "giuthi(pits=65)"}, "pits=65: must be 3…64 pits in each row"),
        ({"text": "giuthi(chain=loop)"}, "column 14: chain 'loop': must be one of none, next"),
        ({"text": "engehe(extra_pit=not_origin)"}, "contradicts uncrossed='captures'"),
        ({"text": "\ud800"}, "rules '\\ud800': must be one of giuthi"),
        ({"text": "relaysow game 1\n"}, "the tag Rules is missing"),
        ({"text": "giuthi(seeds=1000)"}, "setup holds 16000 seeds: must be 1…1000 in all"),
    ],
)
def test_refusals_in_the_packages_words(request_: Any, error: str, client: Client) -> None:
    response = client.ask(request_)
    assert response.status == 422
    assert error in response.json()["error"]


def test_malformed_requests(client: Client) -> None:
    """A thousand of them: an error in words for each, and the server goes on."""
    chance, codes = Random(1), set[int]()
    good = json.dumps({"text": FIVE, "move": "1+"})
    names = ["text", "keep", "move", "policy", "seed", "explain", "x", ""]
    values: list[Any] = [None, True, -1, 10**30, 1.5, "", "1+", FIVE, [], {}, "\0", "é" * 99, "{"]
    for number in range(1_000):
        method, path, kind, body = "POST", "/api/game", "application/json", good.encode()
        shape = number % 10
        if shape < 4:  # the text of a good request, spoiled
            spoiled = list(good)
            for _ in range(chance.randint(1, 4)):
                spoiled[chance.randrange(len(spoiled))] = chance.choice('{}[]",:\\+9x\0é(=')
            body = "".join(spoiled).encode()
        elif shape < 7:  # an object of odd keys and values
            body = json.dumps(
                {chance.choice(names): chance.choice(values) for _ in range(chance.randint(0, 4))}
            ).encode()
        elif shape == 7:  # bytes
            body = chance.randbytes(chance.randint(0, 200))
        elif shape == 8:  # another kind, method or path
            kind = chance.choice(["text/plain", "", "application/x-www-form-urlencoded"])
            method = chance.choice(["GET", "PUT", "DELETE", "POST"])
            path = chance.choice(["/api/game", "/api/games/1", "/../etc/passwd", "/%2e%2e/x", "/a"])
        else:  # too much of it
            body = chance.choice(
                [b"[" * 100_000, b"1" * 10_000, b'{"text": "' + b"x" * server.MAX_BODY + b'"}']
            )
        response = client.request(method, path, body, {"content-type": kind})
        codes.add(response.status)
        if response.status == 200:
            assert shape < 7
            assert "record" in response.json() or "told" in response.json()
            continue
        assert response.status in (400, 404, 405, 413, 415, 422), (method, path, body)
        assert response.json()["error"]
    assert codes == {200, 400, 404, 405, 413, 415, 422}
    assert told(client, text=FIVE)["pits"] == [4] * 10


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("127.0.0.1:8765", True),
        ("localhost", True),
        ("LOCALHOST:1", True),
        ("[::1]:8765", True),
        ("192.168.1.7:8765", True),
        ("evil.example", False),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:8765", False),
        ("", False),
        ("[::1", False),
        ("a b", False),
    ],
)
def test_only_own_hosts_are_served(host: str, served: bool, client: Client) -> None:
    """A foreign page may have its name resolve to loopback; its name is not ours."""
    response = client.get("/api/games", host=host)
    assert response.status == (200 if served else 421)
    if not served:
        assert response.json() == {"error": f"the host {host!r} is not served here"}


def test_the_host_it_is_told_to_serve() -> None:
    with serving("board.example") as client:
        assert client.get("/", host="Board.example:80").status == 200
        assert client.get("/", host="other.example").status == 421


def test_other_pages_are_refused(client: Client) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:80"):
        assert client.ask({"text": FIVE}, origin=origin).status == 403
    assert client.ask({"text": FIVE}, origin=client.address).status == 200


def test_refusals_show_no_more_than_the_beginning(client: Client) -> None:
    long = "x" * 5_000
    for response in (
        client.get("/", host=long),
        client.ask({"text": FIVE}, origin=long),
        client.request("POST", "/api/game", b"", {"content-type": long}),
        client.ask({"text": FIVE, "policy": long}),
    ):
        assert response.status in (403, 415, 421, 422)
        assert "xx" in response.text
        assert len(response.text) < 1_000


def test_headers_of_safety_are_on_every_answer(client: Client) -> None:
    for response in (
        client.get("/"),
        client.get("/app.js"),
        client.get("/nowhere"),
        client.ask({"text": "x"}),
        client.get("/", host="evil.example"),
    ):
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "cache-control" in response.headers
        assert "set-cookie" not in response.headers


def test_the_page_fetches_nothing_from_elsewhere(client: Client) -> None:
    for path in server.PAGE:
        text = client.get(f"/{path}").text
        hosts = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in hosts
        assert "https://" not in hosts
        assert "style=" not in text  # which the policy would not let through
    for path in ("/../server.py", "/page/app.js", "/%2e%2e/server.py", "/app.js/", "/app.js%00"):
        assert client.get(path).status == 404


# ------------------------------------------------------------------------------ many at a time


def test_parallel_sessions_do_not_leak(client: Client) -> None:
    """Twenty players at once: each game goes on as it does alone."""

    def session(seed: int) -> tuple[str, str]:
        rules = rs.giuthi(pits=5 + seed % 4, seeds=3 + seed % 3)
        game, chance, text = rs.Game(rules), Random(seed), notation.rules_to_text(rules)
        for _ in range(12):
            if game.is_over:
                break
            move = game.legal_moves[chance.randrange(len(game.legal_moves))]
            said = game.position.move_to_text(move)
            game.push(move)
            text = told(client, text=text, move=said)["record"]
        return text, game.record()

    with ThreadPoolExecutor(20) as pool:
        for served, own in pool.map(session, range(20)):
            assert served == own


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A server with three workers, which can be kept busy without end."""
    monkeypatch.setattr(server, "answer", answer)
    monkeypatch.setattr(server, "WORKERS", 3)
    with serving() as client:
        yield client


@pytest.mark.slow
def test_slow_moves_do_not_block_others(three: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """All workers but one are busy: others are answered as ever, and the slow given up on."""
    monkeypatch.setattr(server, "SECONDS", 6.0)
    with ThreadPoolExecutor(2) as pool:
        slow = [pool.submit(three.ask, {"text": SLOW}) for _ in range(2)]
        sleep(0.5)
        for _ in range(5):
            told(three, text=FIVE, move="1+")
        assert not any(one.done() for one in slow)
        for one in slow:
            response = one.result()
            assert response.status == 503
            assert response.json() == {"error": "given up after 6 seconds of thinking"}
    told(three, text=FIVE)


def test_who_leaves_makes_room(three: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for an asker who has gone away is stopped, be it begun or not."""
    monkeypatch.setattr(server, "SECONDS", 600.0)
    body = json.dumps({"text": SLOW}).encode()
    head = (
        "POST /api/game HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    for number in range(12):
        with socket.create_connection(("127.0.0.1", three.port)) as connection:
            connection.sendall(head.encode() + body)
            sleep(0.1 * (number % 4))
    told(three, text=FIVE)


def test_too_many_at_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "WAITING", 0)
    response = client.ask({"text": FIVE})
    assert (response.status, response.json()["error"]) == (
        503,
        "too many requests at once: try again",
    )


def test_a_request_that_does_not_come(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SECONDS", 0.2)
    head = (
        "POST /api/game HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        "content-length: 100\r\n\r\n{"
    )
    with socket.create_connection(("127.0.0.1", client.port)) as connection:
        connection.sendall(head.encode())
        assert connection.recv(12) == b"HTTP/1.1 408"


# ------------------------------------------------------------------------------- its limits


def head_of(body: bytes, path: str = "/api/game") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    ).encode()


class Sockets:
    """Connections to a server, closed in the end."""

    def __init__(self, port: int) -> None:
        self.port, self.all = port, list[socket.socket]()

    def open(self, sent: bytes = b"") -> socket.socket:
        one = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.all.append(one)
        one.sendall(sent)
        return one

    def close(self) -> None:
        while self.all:
            self.all.pop().close()


@pytest.fixture
def sockets() -> Iterator[Callable[[Client], Sockets]]:
    if sys.platform != "win32":
        import resource

        # Both ends of the connections are here: more than macOS lets a process have by itself.
        files, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 < files < 1_024:
            resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, limit))
    made: list[Sockets] = []

    def make(client: Client) -> Sockets:
        made.append(Sockets(client.port))
        return made[-1]

    yield make
    for one in made:
        one.close()


def ends(one: socket.socket, trickle: bytes = b"") -> bytes:
    """What comes until the other side ends the connection, which must be soon, while bytes are
    sent to it one by one."""
    one.settimeout(0.02)
    got, end = b"", monotonic() + 20
    while monotonic() < end:
        try:
            if trickle:
                one.sendall(trickle[:1])
                trickle = trickle[1:] + trickle[:1]
            piece = one.recv(1 << 16)
        except TimeoutError:
            continue
        except ConnectionError:
            return got
        if not piece:
            return got
        got += piece
    raise AssertionError("the connection is kept for ever")


def test_server_cuts_who_asks_for_nothing(
    client: Client, sockets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle from the first, slow with the head of the first or the next request, or with a body
    that nobody waits for."""
    monkeypatch.setattr(connections, "SECONDS", 1.0)
    get = b"GET /icon.svg HTTP/1.1\r\nhost: localhost\r\n"
    ways = [
        (b"", b""),
        (get, b""),
        (b"", b"GET"),
        (get, b"x-pad: y\r\n"),
        (get + b"\r\n", b""),
        (get + b"\r\n" + get, b"x-pad: y\r\n"),
        (get + b"content-length: 1000000\r\n\r\n", b"x"),
        (get + b"transfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (head_of(b"x" * 1_000_000, "/app.js"), b"x"),
    ]
    opened = sockets(client)
    with ThreadPoolExecutor(len(ways)) as pool:
        running = [pool.submit(ends, opened.open(sent), trickle) for sent, trickle in ways]
        answers = [one.result() for one in running]
    assert [answer[:12] for answer in answers] == [
        *[b""] * 4,
        *[b"HTTP/1.1 200"] * 4,
        b"HTTP/1.1 405",
    ]


def test_server_cuts_who_does_not_fetch(
    client: Client, sockets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SECONDS", 1.0)
    one = sockets(client).open()
    get = b"GET /app.js HTTP/1.1\r\nhost: localhost\r\n\r\n"
    one.settimeout(0.02)
    end = monotonic() + 20
    with pytest.raises(ConnectionError):  # noqa: PT012
        while monotonic() < end:  # more than the system keeps for it
            try:
                one.send(get * 100)
            except TimeoutError:
                continue
            sleep(0.01)


def test_server_keeps_who_asks(
    three: Client, sockets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is none on thinking, nor on a connection that is used on and on."""
    monkeypatch.setattr(connections, "SECONDS", 2.5)
    body = json.dumps({"text": SLOW}).encode()
    slow = sockets(three).open(head_of(body) + body)
    used = HTTPConnection("127.0.0.1", three.port, timeout=30)
    end = monotonic() + 3.0
    while monotonic() < end:  # again and again, so that a stall is far from the limit
        sleep(0.05)
        used.request("GET", "/icon.svg")
        assert used.getresponse().read()
    used.close()
    slow.settimeout(0.2)
    with pytest.raises(TimeoutError):
        slow.recv(1)


def test_server_answers_beside_any_number_of_idle_connections(
    three: Client, sockets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that has waited longest makes room; who is being answered is never cut."""
    monkeypatch.setattr(server, "SECONDS", 600.0)
    monkeypatch.setattr(connections, "CONNECTIONS", 40)
    body = json.dumps({"text": SLOW}).encode()
    opened = sockets(three)
    slow = opened.open(head_of(body) + body)
    told(three, text=FIVE)  # by now that is at work
    idle = [opened.open() for _ in range(100)]
    half = [opened.open(head_of(body)) for _ in range(100)]  # whose bodies never come
    for _ in range(3):
        assert told(three, text=FIVE)["pits"] == [4] * 10
    assert all(ends(one) == b"" for one in idle)
    assert all(ends(one) == b"" for one in half[:50])
    slow.settimeout(0.2)
    with pytest.raises(TimeoutError):
        slow.recv(1)


def test_server_lets_exactly_so_many_wait(
    three: Client, sockets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the workers held, of 200 requests at once 64 wait and the rest are refused at once; who
    leaves gives his place back."""
    monkeypatch.setattr(server, "SECONDS", 600.0)
    body = json.dumps({"text": SLOW}).encode()
    request = head_of(body) + body

    def refused_of(asked: list[socket.socket], count: int) -> int:
        """Waits until so many are refused; how many are, in the end."""
        end = monotonic() + 30
        while len(select(asked, [], [], 0.1)[0]) < count and monotonic() < end:
            pass
        three.get("/icon.svg")  # whatever came before this has been looked at
        ready = select(asked, [], [], 0.3)[0]
        assert all(one.recv(12) == b"HTTP/1.1 503" for one in ready)
        return len(ready)

    held = sockets(three)
    for _ in range(3):
        held.open(request)
    for _ in range(2):
        crowd = sockets(three)
        asked = [crowd.open() for _ in range(200)]
        for one in asked:
            one.sendall(request)
        assert refused_of(asked, 136) == 136
        assert three.ask({"text": FIVE}).status == 503
        crowd.close()
        sleep(0.2)
    held.close()
    # The places of all who left are free again.
    end = monotonic() + 30
    while three.ask({"text": FIVE}).status == 503:
        assert monotonic() < end
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: three.ask({"text": FIVE}).status, range(66)))
    assert answers == [200] * 66


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"keep": ' + b'{"a":' * 400 + b"1" + b"}" * 400 + b"}",
        b"[" * 900 + b"]" * 900,
        b'{"text": "giuthi", "keep": 1e999}',
        b'{"text": "giuthi", "keep": NaN}',
        b'{"text": "giuthi", "keep": ' + b"9" * 4_000 + b"}",
        b'{"text": "giuthi", "seed": -' + b"9" * 4_000 + b', "policy": "random"}',
        b'{"text": "giuthi", "' + b"k" * 100_000 + b'": 1}',
        b'{"text": "' + b"x" * 100_000 + b'"}',
        b'{"text": "relaysow game 1\\n' + b"{" * 100_000 + b'"}',
    ],
    ids=range(10),
)
def test_server_answers_odd_json_in_few_words(body: bytes, client: Client) -> None:
    kind = {"content-type": "application/json"}
    response = client.request("POST", "/api/game", body, kind)
    assert response.status in (200, 422)
    assert len(response.content) < 10_000
    assert response.status == 200 or response.json()["error"]


def test_server_replaces_workers_that_end() -> None:
    workers, unwanted = Workers(), Event()
    try:
        first = workers.run(os.getpid, seconds=60, unwanted=unwanted)
        assert workers.run(os.getpid, seconds=60, unwanted=unwanted) == first
        os.kill(first, signal.SIGTERM)
        (worker,) = workers._all
        worker._process.join(30)
        second = workers.run(os.getpid, seconds=60, unwanted=unwanted)
        assert second != first
        with pytest.raises(Stopped, match=r"given up after 0.2 seconds of thinking"):
            workers.run(sleep, 60, seconds=0.2, unwanted=unwanted)
        with pytest.raises(Stopped, match="the process at work on it has ended"):
            workers.run(os._exit, 3, seconds=60, unwanted=unwanted)
        third = workers.run(os.getpid, seconds=60, unwanted=unwanted)
        assert third not in (first, second)
        assert len(workers._all) == 1
    finally:
        workers.close()


def test_server_without_processes_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("relaysow.web.workers.Worker", refuse)
    with serving() as client:
        response = client.ask({"text": FIVE})
    assert response.status == 503
    assert response.json()["error"].startswith("no process can be had for it: ")


# -------------------------------------------------------------------------------- the command


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_the_command_serves_until_ctrl_c() -> None:
    """Ctrl-C, which reaches the worker processes too, ends it at once, whatever they do."""
    code = (
        "import sys; from relaysow import cli; from relaysow.web import server; "
        "import serving; server.answer = serving.answer; sys.exit(cli.main())"
    )
    command = [sys.executable, "-c", code, "serve", "--port", "0", "--no-browser"]
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving http://127.0.0.1:")
        client = Client(int(line.split("/ (")[0].rpartition(":")[2]))
        assert told(client, text=FIVE)["pits"] == [4] * 10
        with ThreadPoolExecutor() as pool:
            slow = pool.submit(client.ask, {"text": SLOW})
            sleep(1.0)
            begin = monotonic()
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=30)
            seconds = monotonic() - begin
            slow.exception(30)
        assert (process.returncode, out, err) == (130, "", "relaysow: interrupted\n")
        assert seconds < 1.5  # half a one, and the rest for the end of a process on a busy machine


def test_a_port_that_is_taken(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (f"--port {client.port}", f"127.0.0.1 port {client.port}: Address already in use"),
        ("--port 65536", "port=65536: must be 0…65535"),
        ("--port x", "'x' must be an integer"),
    ):
        assert cli.main(["serve", "--no-browser", *words.split()]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_a_missing_extra_is_named(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == missing:
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "relaysow.web.server")
    assert cli.main(["serve", "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert said == f"relaysow: {missing} is not installed; pip install 'relaysow[web]' brings it\n"


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
@pytest.mark.parametrize(("files", "most"), [(128, 64), (256, 128), (1_024, 256), (-1, 256)])
def test_server_stays_within_the_files_it_may_open(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (files, -1))
    assert connections.most() == most


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_server_ends_at_once_with_connections_open(sockets: Any) -> None:
    """Ctrl-C with 200 idle ones, half of them amid a head or a body."""
    command = [sys.executable, "-m", "relaysow", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(b"/ (")[0].rpartition(b":")[2])
        client = Client(port)
        opened = sockets(client)
        get = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
        for sent in (b"", get[:8], head_of(b"x" * 99), get):
            for _ in range(50):
                opened.open(sent)
        assert client.get("/").status == 200
        begin = monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert monotonic() - begin < 8  # half a second; what waits for them waits for ten
        assert (process.returncode, err) == (130, b"relaysow: interrupted\n")


# ----------------------------------------------------------------------------- where it is reached


def has_address(host: str) -> bool:
    """Whether this machine has that address: not every one has IPv6, or more than one of loopback."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True


HOSTS = ["127.0.0.1", "localhost", "0.0.0.0", *filter(has_address, ("127.0.0.2", "::1", "::"))]


class Served:
    """In place of Uvicorn's: it ends at once."""

    capture_signals = nullcontext

    def __init__(self) -> None:
        self.ports: list[int] = []

    def run(self, sockets: list[socket.socket]) -> None:
        self.ports += [one.getsockname()[1] for one in sockets]


@pytest.mark.parametrize("host", HOSTS)
def test_server_tells_where_it_is_reached(
    host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And, if others can reach it, by what addresses and what that means."""
    there = {socket.AF_INET: ["192.0.2.7", "198.51.100.9"], socket.AF_INET6: ["2001:db8::7"]}
    monkeypatch.setattr(addresses, "addresses_of", there.__getitem__)
    served = Served()
    monkeypatch.setattr(web, "make_server", lambda _: served)
    web.serve(host, 0, browser=False)
    (port,) = served.ports
    line, *others = capsys.readouterr().out.splitlines()
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    assert line == f"Serving http://{shown}:{port}/ (Ctrl-C ends it)"
    warned = [
        "Anyone on the network can use it: there is no password, and it computes on this machine.",
        "There it is reached at",
    ]
    assert others == {
        "0.0.0.0": [*warned, f"  http://192.0.2.7:{port}/", f"  http://198.51.100.9:{port}/"],
        "::": [*warned, f"  http://[2001:db8::7]:{port}/"],
    }.get(host, [])


@pytest.mark.parametrize("host", ["::1", "localhost"])
def test_server_answers_to_a_host_given_in_brackets(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(web, "create_app", asked.append)
    monkeypatch.setattr(web, "make_server", lambda _: Served())
    monkeypatch.setattr(web, "listener_at", lambda *_: socket.create_server(("127.0.0.1", 0)))
    web.serve(f"[{host}]", 0, browser=False)
    assert asked == [host]


def test_server_knows_the_addresses_of_the_machine() -> None:
    for family in (socket.AF_INET, socket.AF_INET6):
        found = addresses.addresses_of(family)
        assert len(found) == len(set(found))
        for one in found:
            socket.inet_pton(family, one)
            assert not ip_address(one).is_loopback
            with addresses.listener_at(one, 0) as listener:  # so it is one of this machine
                assert addresses.told(one, listener)[1].startswith("Anyone on the network can")


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("", "host='': must be a name or an address"),
        ("x" * 70 + ".example", "must be a name or an address"),
        ("nowhere.invalid", "nowhere.invalid port 0: "),
        ("192.0.2.1", "192.0.2.1 port 0: Cannot assign requested address\n"),
    ],
)
def test_server_refuses_hosts_that_are_none(
    host: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["serve", "--no-browser", "--port", "0", "--host", host]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert message in printed.err
