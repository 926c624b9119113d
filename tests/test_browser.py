"""The page in Chromium: `pytest -m browser`, with `chromium` and `chromedriver` on the path."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import relaysow as rs
from relaysow.text import board
from relaysow.text.notation import rules_from_text, rules_to_text
from serving import Client, serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    with serving() as client:
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    found = [path for name in ("chromium", "google-chrome") if (path := shutil.which(name))]
    driver = shutil.which("chromedriver")
    assert found, "these tests need Chromium: apt-get install chromium chromium-driver"
    assert driver, "these tests need ChromeDriver: apt-get install chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chromium = webdriver.Chrome(options=options, service=Service(driver))
    yield chromium
    chromium.quit()


class Page:
    """The page, seen and used as a player does."""

    def __init__(self, chromium: webdriver.Chrome, server: Client) -> None:
        self.chromium, self.server = chromium, server
        self.complaints = 0  # refusals of the server that the test provokes

    def open(self, width: int = 1200, height: int = 900, **media: str) -> None:
        preferences = {"prefers-reduced-motion": "reduce"} | {
            name.replace("_", "-"): value for name, value in media.items()
        }
        features = [{"name": name, "value": value} for name, value in preferences.items()]
        self.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.chromium.get(self.server.address)
        self.wait(lambda: self.said)

    def js(self, code: str, *arguments: Any) -> Any:
        return self.chromium.execute_script(f"return {code}", *arguments)

    def wait(self, condition: Callable[[], Any]) -> Any:
        return WebDriverWait(self.chromium, 20, 0.01).until(lambda _: condition())

    def find(self, selector: str) -> Any:
        return self.chromium.find_element(By.CSS_SELECTOR, selector)

    def pit(self, pit: int) -> Any:
        return self.find(f'.pit[data-pit="{pit}"]')

    def press(self, selector: str) -> None:
        self.find(selector).click()

    def choose(self, select: str, value: str) -> None:
        Select(self.find(select)).select_by_value(value)

    def type(self, *keys: str) -> None:
        ActionChains(self.chromium, duration=0).send_keys(*keys).perform()

    @property
    def said(self) -> str:
        text: str = self.find("#said").text
        return text

    @property
    def record(self) -> str:
        text: str = self.js("JSON.parse(sessionStorage.relaysow).record")
        return text

    @property
    def focused(self) -> int:
        """The pit that has the focus."""
        return int(self.js("document.activeElement.dataset.pit ?? -1"))

    def load(self, text: str) -> None:
        """Open a text in the field for it."""
        self.js("document.getElementById('pasted').value = arguments[0]", text)
        self.js("document.getElementById('open').requestSubmit()")
        self.wait(lambda: not self.find("#pasted").get_property("value"))

    def people(self) -> None:
        for player in (0, 1):
            self.choose(f"#seat-{player}", "human")

    def moved(self, record: str) -> None:
        """Wait until the game is so far."""
        self.wait(lambda: self.record == record)
        self.wait(lambda: not self.js("document.body.classList.contains('thinking')"))


@pytest.fixture
def page(chromium: webdriver.Chrome, server: Client) -> Iterator[Page]:
    """The page; in the end nothing but refusals that were expected is in its console."""
    chromium.switch_to.new_window("tab")
    page = Page(chromium, server)
    yield page
    log = chromium.get_log("browser")
    assert len(log) == page.complaints, log
    assert all("status of 422" in entry["message"] for entry in log), log
    for handle in chromium.window_handles[1:]:
        chromium.switch_to.window(handle)
        chromium.close()
    chromium.switch_to.window(chromium.window_handles[0])


def random_moves(rules: rs.Rules, seed: int) -> Iterator[tuple[rs.Game, Any, str]]:
    """A random game: before every move the game, the move, and the record after it."""
    game, chance = rs.Game(rules), Random(seed)
    while not game.is_over:
        move = game.legal_moves[chance.randrange(game.legal_moves.count)]
        later = rs.Game.from_record(game.record())
        later.push(move)
        yield game, move, later.record()
        game = later


@pytest.mark.slow
def test_a_whole_game_by_clicks(page: Page) -> None:
    page.open()
    page.press("#new")
    page.press("#setups button")  # 2×5 with 4
    for player in (0, 1):
        page.choose(f"#new-seat-{player}", "human")
    page.press("#new-game button.main")
    page.wait(lambda: not page.find("#new-game").is_displayed())
    record = ""
    for game, move, record in random_moves(rs.giuthi(pits=5, seeds=4), seed=1):
        assert page.said.endswith(board.state(game.position))
        ways = [one.direction for one in game.legal_moves if one.pit == move.pit]
        page.pit(move.pit).click()
        if len(ways) > 1:
            page.press(f'#tray button[value="{move.direction}"]')
        page.moved(record)
    game = rs.Game.from_record(record)
    assert game.is_over
    assert page.record == game.record()
    assert page.said.endswith(board.state(game.position)) or "game is over" in page.said
    stores = [page.find(f"#store-{player}").text for player in (0, 1)]
    assert stores == [str(store) for store in game.position.stores]


def go(page: Page, pit: int, n: int) -> None:
    """To a pit by the arrow keys."""
    here = page.focused
    assert here >= 0, "no pit has the focus"
    if (here < n) != (pit < n):
        page.type(Keys.ARROW_UP if here < n else Keys.ARROW_DOWN)
        here = 2 * n - 1 - here
    steps = (pit - here) * (1 if pit < n else -1)
    page.type(*[Keys.ARROW_RIGHT if steps > 0 else Keys.ARROW_LEFT] * abs(steps))
    assert page.focused == pit


def tab_to(page: Page, selector: str) -> None:
    """To a control by the Tab key."""
    for _ in range(60):
        if page.js("document.activeElement.matches(arguments[0])", selector):
            return
        page.type(Keys.TAB)
    raise AssertionError(f"Tab does not lead to {selector}")


@pytest.mark.slow
def test_a_whole_game_by_keyboard(page: Page) -> None:
    """Kiothi: redistributions, lifts, and everything else without a pointer."""
    rules = rs.kiothi(seeds=3, filled=3, pits=5)
    page.open()
    page.type(Keys.TAB)
    tab_to(page, "#new")
    page.type(Keys.ENTER)
    tab_to(page, "input[name=game]")
    page.type(Keys.ARROW_RIGHT)
    for name, value in (("seeds", "3"), ("filled", "3"), ("pits", "5")):
        tab_to(page, f"#size-{name}")
        page.type(Keys.CONTROL + "a" + Keys.NULL, value)
    for player in (0, 1):
        tab_to(page, f"#new-seat-{player}")
        page.type("a p")  # a person
    page.type(Keys.TAB)
    tab_to(page, "#new-game button.main")
    page.type(Keys.ENTER)
    page.wait(lambda: page.focused == 0)
    assert page.find("#game-name").text == rules_to_text(rules)
    record = ""
    for game, move, record in random_moves(rules, seed=5):
        if isinstance(move, rs.Redistribute):
            for pit in move.emptied:
                go(page, pit, 5)
                page.type(Keys.ENTER)
            hand = sum(move.placed)
            for pit, count in enumerate(move.placed):
                if count:
                    go(page, pit, 5)
                    hand -= count
                    # One too many is taken back.
                    page.type("+" * (count + (hand > 0)), "-" * (hand > 0))
                    assert (
                        f"now holds {game.position.pits[pit] * (pit not in move.emptied) + count}."
                        in page.said
                    )
            tab_to(page, "#redistribute")
            page.type(Keys.ENTER)
            page.moved(record)
            tab_to(page, ".pit")
            continue
        go(page, move.pit, 5)
        lifts = [one.lift for one in game.legal_moves if one.pit == move.pit]
        page.type(Keys.ENTER)
        if len(lifts) > 1:
            page.type(*[Keys.ARROW_LEFT] * (len(lifts) - 1 - lifts.index(move.lift)), Keys.ENTER)
        page.moved(record)
    assert rs.Game.from_record(record).is_over
    assert page.record == record


def test_moves_are_animated_unless_the_player_wants_less_motion(page: Page) -> None:
    for wanted, animated in (("no-preference", True), ("reduce", False)):
        page.open(prefers_reduced_motion=wanted)
        page.people()
        page.load("giuthi(pits=5,seeds=4)")
        page.pit(0).click()
        page.press('#tray button[value="ccw"]')
        if animated:
            page.wait(lambda: page.find("#skip").is_displayed())
            page.wait(lambda: "Lap 1: 4 seeds of South’s pit 1" in page.find("#legend").text)
            assert page.find("#store-0").text == "0"
            page.type(Keys.ESCAPE)
        page.wait(lambda: page.said.startswith("South: 1+, 3 laps."))
        assert not page.find("#skip").is_displayed()
        assert page.find("#store-0").text == "5"


def test_what_a_move_did_is_marked(page: Page) -> None:
    page.open()
    page.people()
    page.load("giuthi(pits=5,seeds=4)")
    page.pit(0).click()
    page.press('#tray button[value="ccw"]')
    page.wait(lambda: page.said.startswith("South: 1+, 3 laps."))
    labels = [page.pit(pit).get_attribute("aria-label") for pit in range(10)]
    assert labels[0] == "South’s pit 1: 2 seeds, lifted"
    assert labels[4] == "South’s pit 5: 0 seeds, 1 captured, last seed"
    assert labels[5] == "North’s pit 1: 0 seeds, 4 captured, cannot be played"
    assert page.pit(5).find_element(By.CSS_SELECTOR, ".count").text == "−4"
    page.load("kiothi 0,2,3,0,5,6,0,2,1,7;1,0,4,0,13,2,0,5,6,2 0,1 S 2,3,5;3,5,8 - 2")
    guarded = page.js(
        "[...document.querySelectorAll('.pit.guarded')].map(pit => Number(pit.dataset.pit))"
    )
    assert sorted(guarded) == [1, 2, 4, 12, 14, 17]
    assert page.pit(14).get_attribute("aria-label") == "North’s pit 5: 13 seeds, protected"


def test_undo_redo_and_looking_back(page: Page) -> None:
    page.open()
    page.people()
    page.load("giuthi(pits=5,seeds=4)")
    records = [page.record]
    for pit, way in ((0, "ccw"), (6, "cw")):
        page.pit(pit).click()
        page.press(f'#tray button[value="{way}"]')
        page.wait(lambda: page.record != records[-1])
        records.append(page.record)
    page.wait(lambda: page.find("#undo").is_enabled())
    page.press("#undo")
    page.moved(records[1])
    page.press("#redo")
    page.moved(records[2])
    page.press("#moves li:nth-child(2) .said")  # after the first move
    page.wait(lambda: page.find("#back").is_displayed())
    first = rs.Game.from_record(records[1]).position
    assert page.find("#position").get_property("value") == first.to_text()
    page.pit(6).click()
    assert page.said.startswith("This is an earlier position")
    page.press("#back")
    page.wait(lambda: not page.find("#back").is_displayed())
    page.press("#moves .begin .said")
    page.wait(lambda: page.find("#from-here").is_displayed())
    page.press("#from-here")
    page.moved(records[0])
    # The page loaded again goes on.
    page.press("#redo")
    page.moved(records[2])
    page.chromium.refresh()
    page.wait(lambda: page.said)
    assert page.record == records[2]


def test_text_goes_in_and_out(page: Page) -> None:
    page.open()
    page.people()
    text = "kiothi 0,2,3,0,5,6,0,2,1,7;1,0,4,0,13,2,0,5,6,2 0,1 S 2,3,5;3,5,8 - 2"
    page.load(text)
    assert page.find("#position").get_property("value") == rs.Position.from_text(text).to_text()
    page.press("#copy-position")
    page.wait(lambda: page.said == "The position is copied.")
    page.find("#pasted").send_keys("giuthi(pits=2)")
    page.press("#open button")
    page.complaints += 1
    page.wait(lambda: page.find("#open-error").text == "pits=2: must be 3…64 pits in each row")
    assert page.find("#position").get_property("value") == rs.Position.from_text(text).to_text()
    # The dialog says what is wrong with its rules, too.
    page.press("#new")
    page.press("#all-options summary")
    page.choose("#options select[name=extra_direction]", "opposite")
    page.choose("#options select[name=uncrossed]", "captures")
    page.press("#new-game button.main")
    page.complaints += 1
    page.wait(lambda: "contradicts uncrossed='captures'" in page.find("#new-error").text)
    page.press("#cancel")


def test_a_file_is_opened(page: Page, tmp_path: Path) -> None:
    """With any line ends; another encoding than UTF-8 is named."""
    page.open()
    record = rs.Record(rs.Game(rs.giuthi(5, 4)), {"South": "Wanjikũ"}).to_text()
    path = tmp_path / "game.txt"
    for content, error in (
        (record.encode("utf-16"), "game.txt is UTF-16: save it as UTF-8."),
        (record.encode("utf-16-le"), "game.txt is UTF-16: save it as UTF-8."),
        (record.replace("ũ", "ü").encode("latin-1"), "game.txt is not UTF-8: save it as UTF-8."),
        (f"\ufeff{record}".replace("\n", "\r\n").encode(), ""),
    ):
        path.write_bytes(content)
        page.find("#file").send_keys(str(path))
        page.wait(lambda error=error: page.find("#open-error").get_property("textContent") == error)
    page.wait(lambda: page.find("#game-name").text == "giuthi(pits=5,seeds=4)")


def test_why_a_pit_cannot_be_played_and_a_hint(page: Page) -> None:
    page.open()
    page.people()
    page.load("giuthi(pits=5,seeds=4) 1,4,4,4,4;4,4,4,4,4 3,0 S - - 2")
    page.pit(0).click()
    page.wait(lambda: page.said == "Illegal: pit 1 holds 1 seed: at least 2 must be lifted.")
    page.pit(7).click()
    assert page.said.startswith("North’s pit 3 is not yours to play.")
    page.press("#hint")
    page.wait(lambda: page.said.startswith("Hint: "))
    assert page.pit(page.focused).get_attribute("aria-label").endswith("the hint")


@pytest.mark.slow
def test_two_computers_play(page: Page) -> None:
    page.open()
    page.choose("#seat-0", "random")
    page.load("giuthi(pits=5,seeds=4)")
    page.press("#step")
    page.wait(lambda: len(rs.Game.from_record(page.record).moves) == 1)
    page.press("#run")
    page.wait(lambda: len(rs.Game.from_record(page.record).moves) > 3)
    page.press("#run")
    moves = len(rs.Game.from_record(page.record).moves)
    assert page.find("#run").text == "Let them play"
    assert len(rs.Game.from_record(page.record).moves) == moves
    page.press("#run")
    page.wait(lambda: "The game is over" in page.said)
    assert rs.Game.from_record(page.record).is_over


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("text", ["engehe", "kiothi", "giuthi", "giuthi(pits=64,seeds=7)"])
def test_a_phone(text: str, scheme: str, page: Page) -> None:
    """Nothing is wider than the window, and every pit can be touched."""
    page.open(360, 740, prefers_color_scheme=scheme)
    page.people()
    page.load(text)
    for button in ("#new", "#to-rules"):
        assert page.find(button).is_displayed()
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    boxes = page.js(
        "[...document.querySelectorAll('.pit')].map(pit => "
        "{ const box = pit.getBoundingClientRect(); return [box.left, box.right, box.width]; })"
    )
    assert len(boxes) == 2 * rules_from_text(text).pits
    for left, right, width in boxes:
        assert 0 <= left < right <= 360
        assert width >= 38
    page.js("location.hash = '#rules'")
    page.wait(lambda: page.find("#rules").is_displayed())
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


def test_every_control_has_a_name(page: Page) -> None:
    """As a screen reader is told by the browser."""
    page.open()
    page.people()
    page.load("kiothi 0,2,3,0,5,6,0,2,1,7;1,0,4,0,13,2,0,5,6,2 0,1 S 2,3,5;3,5,8 - 2")
    page.pit(5).click()
    kinds = ("button", "combobox", "textbox", "checkbox", "radio", "link", "spinbutton")
    tree = page.chromium.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    controls = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if not node["ignored"] and node["role"]["value"] in kinds
    ]
    assert len(controls) > 40
    assert [role for role, name in controls if not name.strip()] == []
    assert ("button", "South’s pit 2: 2 seeds, protected") in controls
    assert ("radio", "6") in controls
    (status,) = (node for node in tree if node.get("role", {}).get("value") == "status")
    assert any(
        one["name"] == "live" and one["value"]["value"] == "polite" for one in status["properties"]
    )


@pytest.mark.slow
def test_twenty_tabs_each_with_its_own_game(page: Page) -> None:
    """Moves of all of them in turn: no game sees another."""
    tabs: list[tuple[str, rs.Game, Random]] = []
    for number in range(20):
        if number:
            page.chromium.switch_to.new_window("tab")
        page.open()
        page.people()
        rules = rs.giuthi(pits=5 + number % 5, seeds=4)
        page.load(rules_to_text(rules))
        tabs.append((page.chromium.current_window_handle, rs.Game(rules), Random(number)))
    for _ in range(2):
        for handle, game, chance in tabs:
            page.chromium.switch_to.window(handle)
            move = game.legal_moves[chance.randrange(len(game.legal_moves))]
            ways = [one for one in game.legal_moves if one.pit == move.pit]
            game.push(move)
            page.pit(move.pit).click()
            if len(ways) > 1:
                page.press(f'#tray button[value="{move.direction}"]')
    for handle, game, _ in tabs:
        page.chromium.switch_to.window(handle)
        page.moved(game.record())
        assert page.chromium.get_log("browser") == []


def test_the_rules_of_every_game_with_sources(page: Page) -> None:
    page.open()
    page.press("#to-rules")
    page.wait(lambda: page.find("#rules").is_displayed())
    text = page.find("#rules").text
    for name in rs.RULE_SETS:
        assert name in text
    for source in ("Orde Browne", "Leakey", "Driedger", "Bernardi", "Needham", "Merker", "Murray"):
        assert source in text
    assert not page.find("#play").is_displayed()


def test_seeds_fall_where_the_engine_says(page: Page) -> None:
    """The one piece of the rules that the page has of its own: where a lap's seeds fall."""
    page.open()
    chance = Random(1)
    for rules in (rs.giuthi(pits=5, seeds=4), rs.giuthi_pratt(pits=5)):
        laps = [
            rs.Lap(chance.randrange(10), chance.randint(1, 40), chance.choice(("ccw", "cw")), 0)
            for _ in range(50)
        ]
        told = page.chromium.execute_async_script(
            "const [laps, skips, done] = arguments; import('/board.js').then(board => "
            "done(laps.map(lap => [...board.drops(lap, 10, skips)])))",
            [
                {"origin": lap.origin, "seeds": lap.seeds, "direction": lap.direction}
                for lap in laps
            ],
            rules.origin == "skipped",
        )
        assert told == [list(board.drops(rules, lap)) for lap in laps]


def test_many_lifts_are_typed(page: Page) -> None:
    page.open()
    page.people()
    page.load("giuthi(pits=5,seeds=4,lift=any) 40,0,0,0,0;1,1,1,1,1 0,0 S - - 2")
    page.pit(0).click()
    page.type("7")
    page.press('#tray button[value="cw"]')
    page.wait(lambda: page.said.startswith("South: 1x7-"))
    game = rs.Game.from_record(page.record)
    assert game.moves == (rs.Sow(0, 7, "cw"),)
