"""Tables: against `solve`, against their own moves, and every kind of damage to their files."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
from game_graph import rings
from relaysow import _core, reference
from relaysow.options import CHOICES
from relaysow.rules import Rules
from relaysow.text.notation import rules_from_text
from test_solve import ENGEHE, KIOTHI, OPTION_SETS, name

TABLED = [
    options for options in OPTION_SETS if not {"extra_direction", "extra_pit"} & options.keys()
]


def small(**options: Any) -> Rules:
    return Rules(pits=3, setup=(1,) * 6, **options)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of several blocks, with totals of more and of fewer than one."""
    path = tmp_path_factory.mktemp("tables") / "giuthi.rsow"
    rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 11, path).close()
    return path


@pytest.mark.parametrize("options", TABLED, ids=name)
def test_a_table_holds_what_solve_finds(options: dict[str, Any], tmp_path: Path) -> None:
    rules = small(**options)
    chance = random.Random(1)
    with rs.Tablebase.build(rules, 6, tmp_path / "table", threads=2) as table:
        table.verify()
        assert len(table) == 924
        for ring in rings(3, 6):
            mover, stores = chance.randint(0, 1), (chance.randint(0, 4), chance.randint(0, 4))
            position = rs.Position(rules, ring, stores, mover)
            value, solved = table.probe(position), rs.solve(position)
            assert value.result == solved.result, position
            assert value.lead_to_win == solved.lead_to_win
            assert value.lead_to_draw == solved.lead_to_draw
            assert table.moves(position) == solved.moves


@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_solve_finds_the_same_with_a_table(options: dict[str, Any], tmp_path: Path) -> None:
    rules = small(**options)
    if options not in TABLED:
        table_of = small()
        position = rs.Position(rules, [2, 1, 0, 1, 2, 0])
        with (
            rs.Tablebase.build(table_of, 3, tmp_path / "table") as table,
            pytest.raises(ValueError, match=r"no value of .*: the table is of giuthi"),
        ):
            rs.solve(position, tablebase=table)
        return
    chance = random.Random(7)
    fewer = 0
    with rs.Tablebase.build(rules, 4, tmp_path / "table") as table:
        for ring in chance.sample(list(rings(3, 7, least=3)), 40):
            protected = [pit for pit in range(6) if ring[pit] and chance.random() < 0.3]
            stores = chance.randint(0, 3), chance.randint(0, 3)
            position = rs.Position(rules, ring, stores, protected=protected)
            if position.is_over:
                continue
            with_table, without = rs.solve(position, tablebase=table), rs.solve(position)
            assert with_table.moves == without.moves, position
            assert with_table.lead_to_win == without.lead_to_win
            assert with_table.lead_to_draw == without.lead_to_draw
            fewer += with_table.positions < without.positions
            here = position
            for move in with_table.line:
                assert move in rs.solve(here).best_moves
                here = here.play(move)
    assert fewer > 10


@pytest.mark.parametrize("rules", [rs.giuthi(pits=8, seeds=1), rs.engehe(pits=20, seeds=1)])
def test_wide_boards(rules: Rules, tmp_path: Path) -> None:
    chance = random.Random(2)
    with rs.Tablebase.build(rules, 3, tmp_path / "table") as table:
        table.verify()
        for _ in range(100):
            ring = [0] * (2 * rules.pits)
            for _ in range(3):
                ring[chance.randrange(len(ring))] += 1
            position = rs.Position(rules, ring, mover=chance.randint(0, 1))
            solved = rs.solve(position)
            value = table.probe(position)
            assert (value.lead_to_win, value.lead_to_draw) == (
                solved.lead_to_win,
                solved.lead_to_draw,
            )


@pytest.mark.parametrize(
    ("rules", "seeds"),
    [
        (rs.giuthi(pits=3, seeds=1, relay="onward"), 28),
        (rs.giuthi(pits=3, seeds=1, relay="onward", lift="any"), 21),
        (rs.giuthi(pits=4, seeds=1, relay="onward", origin="skipped"), 16),
    ],
)
def test_long_endless_sowings(rules: Rules, seeds: int, tmp_path: Path) -> None:
    # With a cap, even one out of reach, each is followed by itself.
    path, capped = tmp_path / "table", tmp_path / "capped"
    rs.Tablebase.build(rules, seeds, path, threads=2).close()
    rs.Tablebase.build(replace(rules, max_laps=10**9), seeds, capped).close()
    assert entries(path) == entries(capped)


def entries(path: Path) -> bytes:
    """What follows the head of a table."""
    table = path.read_bytes()
    return table[24 + (int.from_bytes(table[20:24], "little") + 7) // 8 * 8 + 8 :]


def test_threads_do_not_matter(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "again"
    rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 11, path, threads=5).close()
    assert path.read_bytes() == built.read_bytes()
    assert len(path.read_bytes()) < 75_582 * 1.05  # a byte a position


def test_the_rules_of_a_table(built: Path, tmp_path: Path) -> None:
    with rs.Tablebase.open(built, rs.giuthi(pits=4, seeds=6)) as table:
        assert table.rules == rs.giuthi(pits=4, seeds=1)
        assert table.max_seeds == 11
        assert repr(table) == f"<Tablebase of giuthi(pits=4, seeds=1) to 11 seeds: {built}>"
        with pytest.raises(ValueError, match="16 seeds are on the ring: the table holds 11 at mo"):
            table.probe(rs.giuthi(pits=4, seeds=2).start())
        other = rs.Position(rs.giuthi(pits=4, seeds=1, chain="run"), [2] * 4 + [0] * 4)
        with pytest.raises(ValueError, match=r"the table is of giuthi\(pits=4, seeds=1\)"):
            table.probe(other)
        with pytest.raises(TypeError):
            table.probe(3)  # type: ignore[arg-type]
    with pytest.raises(rs.TablebaseError, match=r"it is of giuthi\(pits=4, seeds=1\), not gi"):
        rs.Tablebase.open(built, rs.giuthi(pits=4, seeds=1, repetition="stores"))
    kiothi = small(**KIOTHI, redistribution="one")
    with rs.Tablebase.build(kiothi, 3, tmp_path / "kiothi") as table:
        free = rs.Position(kiothi, [0, 1, 0, 1, 0, 1])
        assert table.probe(free).result == rs.solve(free).result
        with pytest.raises(ValueError, match="pits are protected"):
            table.probe(rs.Position(kiothi, [0, 1, 0, 1, 0, 1], protected=[1]))
        with pytest.raises(ValueError, match="a redistribution is due"):
            table.probe(rs.Position(kiothi, [0, 1, 0, 1, 0, 1], redistributions=1))


# Options by which only the opening differs: tables are the same whatever they say.
OF_THE_OPENING = ("setup", "protection", "redistribution")


def rules_that_differ() -> list[Any]:
    """Of every option, every other value beside the rules that `small` makes."""
    numbers: dict[str, tuple[Any, ...]] = {"minimum_lift": (1,), "max_laps": (1, 99, 10**12)}
    numbers["setup"] = ((2, 0, 1, 0, 0, 0),)
    pairs = []
    for option, values in {**CHOICES, **numbers}.items():
        for value in values:
            other = replace(small(), **{option: value})
            if other != small():
                pairs.append(pytest.param(option, other, id=f"{option}={value}"))
    told = {pair.values[0] for pair in pairs}
    assert told == {field.name for field in fields(Rules)} - {"pits"}
    return [*pairs, pytest.param("pits", Rules(pits=4, setup=(1,) * 8), id="pits=4")]


@pytest.mark.parametrize(("option", "other"), rules_that_differ())
def test_rules_share_a_table_only_if_they_differ_in_the_opening(
    option: str, other: Rules, tmp_path: Path
) -> None:
    """Whichever of the two rules the table is built by, in Python and in the core."""
    for its, asked in ((small(), other), (other, small())):
        path = tmp_path / f"{asked == other}"
        try:
            rs.Tablebase.build(its, 4, path).close()
        except ValueError as refusal:
            assert f"{option}={getattr(other, option)!r}" in str(refusal)
            assert its == other
            continue
        position = rs.Position(asked, ((2,) + (0,) * (asked.pits - 1)) * 2)
        with rs.Tablebase.open(path) as table:
            if option in OF_THE_OPENING:
                rs.Tablebase.open(path, asked).close()
                assert table.probe(position).result == rs.solve(position, tablebase=table).result
                continue
            with pytest.raises(ValueError, match=r"it is of .*\), not |" + f"{option}="):
                rs.Tablebase.open(path, asked)
            for use in (table.probe, partial(rs.solve, tablebase=table)):
                with pytest.raises(ValueError, match=r"the table is of .*\)$|" + f"^{option}="):
                    use(position)


def test_a_part_is_gone_on_with_however_its_rules_are_written(built: Path, tmp_path: Path) -> None:
    """As by an earlier version, before some rules had a name of their own or a default."""
    part, path = tmp_path / "table.part", tmp_path / "table"
    text = "giuthi(pits=4,seeds=1,end=both_stuck)"
    assert rules_from_text(text) == rs.giuthi(pits=4, seeds=1)
    whole = built.read_bytes()
    *_, begin = _core.read_table_head(whole)
    part.write_bytes(_core.table_head(4, 11, text) + whole[begin : begin + 5_000])
    totals: list[int] = []
    with rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 11, path, report=partial(note, totals)):
        assert totals[0] > 0
        assert entries(path) == entries(built)


def test_what_cannot_be_built(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    for options, why in (
        ({"repetition": "score"}, "repetition='score'"),
        ({"extra_direction": "opposite"}, "extra_direction='opposite'"),
        ({"extra_pit": "not_origin"}, "extra_pit='not_origin'"),
    ):
        with pytest.raises(ValueError, match=why):
            rs.Tablebase.build(small(**options), 4, path)
    rules = rs.giuthi()
    with pytest.raises(ValueError, match=r"max_seeds=14: building needs 3,.*, memory=1,000,000,0"):
        rs.Tablebase.build(rules, 14, path, memory=10**9)
    with pytest.raises(ValueError, match="2³¹ positions or more"):
        rs.Tablebase.build(rules, 40, path)
    with pytest.raises(ValueError, match="max_seeds=126: must be 0…125"):
        rs.Tablebase.build(rules, 126, path)
    with pytest.raises(ValueError, match="threads=0"):
        rs.Tablebase.build(rules, 2, path, threads=0)
    with pytest.raises(TypeError, match=r"memory must be an integer, not 1e\+20"):
        rs.Tablebase.build(rules, 2, path, memory=1e20)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rules must be Rules, not 'giuthi'"):
        rs.Tablebase.build("giuthi", 2, path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileExistsError, match="remove it to build it again"):
        rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 11, built)


def test_verify_refuses_threads_that_build_refuses(built: Path) -> None:
    with rs.Tablebase.open(built) as table:
        for threads in (0, -1, 1025, 10**30):
            with pytest.raises(ValueError, match=f"threads={threads}: must be 1…1024"):
                table.verify(threads=threads)


def note(totals: list[int], total: int, *_: float) -> None:
    """Notes a total that was built."""
    totals.append(total)


def test_a_build_goes_on_from_wherever_it_was_cut_off(built: Path, tmp_path: Path) -> None:
    whole = built.read_bytes()
    chance = random.Random(3)
    cuts = [0, 1, 8, len(whole) - 1, len(whole), *chance.sample(range(len(whole)), 15)]
    for cut in cuts:
        path = tmp_path / f"cut{cut}"
        totals: list[int] = []
        Path(f"{path}.part").write_bytes(whole[:cut])
        with rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 11, path, report=partial(note, totals)):
            assert path.read_bytes() == whole
        assert not Path(f"{path}.part").exists()
        assert totals == list(range(totals[0], 12)) if cut < len(whole) else not totals
    assert len(totals) < 12


def test_the_part_of_another_build_is_kept(built: Path, tmp_path: Path) -> None:
    part = tmp_path / "table.part"
    part.write_bytes(built.read_bytes())
    with pytest.raises(rs.TablebaseError, match="of another build"):
        rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 10, tmp_path / "table")
    assert part.read_bytes() == built.read_bytes()


def read_all(path: Path) -> list[rs.Value]:
    """The values of all positions of a table."""
    with rs.Tablebase.open(path) as table:
        return [
            table.probe(rs.Position(table.rules, ring))
            for ring in rings(table.rules.pits, table.max_seeds)
        ]


def test_a_flipped_bit_never_yields_a_value(tmp_path: Path) -> None:
    path, damaged = tmp_path / "table", tmp_path / "damaged"
    rs.Tablebase.build(small(**ENGEHE), 6, path).close()
    whole = path.read_bytes()
    assert len(read_all(path)) == 924
    chance = random.Random(4)
    for at in [*range(24), *chance.sample(range(len(whole)), 100)]:
        changed = bytearray(whole)
        changed[at] ^= 1 << chance.randrange(8)
        damaged.write_bytes(changed)
        with pytest.raises(rs.TablebaseError):
            read_all(damaged)
        with pytest.raises(rs.TablebaseError), rs.Tablebase.open(damaged) as table:
            table.verify()


def test_a_file_cut_short_or_grown_is_refused(built: Path, tmp_path: Path) -> None:
    whole = built.read_bytes()
    damaged = tmp_path / "damaged"
    chance = random.Random(5)
    for cut in [0, 7, len(whole) - 1, *chance.sample(range(len(whole)), 100)]:
        damaged.write_bytes(whole[:cut])
        with pytest.raises(rs.TablebaseError, match=f"^{damaged}: "):
            rs.Tablebase.open(damaged)
    damaged.write_bytes(whole + bytes(8))
    with pytest.raises(rs.TablebaseError, match="8 bytes follow its end"):
        rs.Tablebase.open(damaged)
    damaged.write_bytes(whole[:8] + b"\2" + whole[9:])
    with pytest.raises(rs.TablebaseError, match="of version 2: this relaysow reads version 1"):
        rs.Tablebase.open(damaged)
    with pytest.raises(rs.TablebaseError, match="no table of relaysow"):
        rs.Tablebase.open(__file__)


def test_verify_finds_a_wrong_entry_behind_right_checksums(tmp_path: Path) -> None:
    # A table of other rules under the head of these.
    rules, other = small(), small(end="last_mover_sweeps")
    paths = [tmp_path / "table", tmp_path / "other"]
    for path, its in zip(paths, (rules, other), strict=True):
        rs.Tablebase.build(its, 8, path).close()
    head = paths[0].read_bytes().removesuffix(entries(paths[0]))
    mixed = tmp_path / "mixed"
    mixed.write_bytes(head + entries(paths[1]))
    with (
        rs.Tablebase.open(mixed) as table,
        pytest.raises(rs.TablebaseError, match=r"entry .* of total .* is not what its moves lead"),
    ):
        table.verify()


def test_a_closed_table(built: Path) -> None:
    table = rs.Tablebase.open(built)
    position = rs.Position(table.rules, [2, 0, 1, 0, 0, 1, 1, 0])
    table.close()
    table.close()
    for use in (
        lambda: table.probe(position),
        lambda: len(table),
        table.verify,
        lambda: rs.solve(position, tablebase=table),
        lambda: rs.analyse(position, depth=1, tablebase=table),
    ):
        with pytest.raises(ValueError, match=rf"^{re.escape(str(built))}: the table is closed$"):
            use()


def test_a_path_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "table.rsow"
    rs.Tablebase.build(small(), 3, os.fsencode(path)).close()
    with rs.Tablebase.open(os.fsencode(path)) as table:
        assert table.path == str(path)


def test_build_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^path='': must name a file$"):
        rs.Tablebase.build(small(), 2, "")
    path = tmp_path / "missing" / "table"
    with pytest.raises(FileNotFoundError) as caught:
        rs.Tablebase.build(small(), 2, path)
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("odd", [None, "start", reference.Position(small(), [1] * 6)])
def test_probe_of_no_position(built: Path, odd: Any) -> None:
    with (
        rs.Tablebase.open(built) as table,
        pytest.raises(TypeError, match=r"^position must be a Position, not "),
    ):
        table.probe(odd)


@pytest.mark.campaign
def test_twenty_kills_change_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, relaysow as rs; "
        "rs.Tablebase.build(rs.giuthi(pits=6, seeds=1), 11, sys.argv[1])"
    )
    whole = tmp_path / "whole"
    subprocess.run([sys.executable, "-c", program, str(whole)], check=True)
    chance = random.Random(6)
    kills = 0
    for round_number in range(200):
        path = tmp_path / f"killed{round_number}"
        while not path.exists():
            build = subprocess.Popen([sys.executable, "-c", program, str(path)])
            try:
                build.wait(chance.uniform(0.2, 1.5) * (1 + kills % 4))
            except subprocess.TimeoutExpired:
                build.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
                build.wait()
                kills += 1
        assert path.read_bytes() == whole.read_bytes()
        path.unlink()
        if kills >= 20:
            return
    raise AssertionError(f"{kills} kills only")


@pytest.mark.campaign
@pytest.mark.parametrize("repetition", ["draw", "stores"])
def test_twelve_seeds_on_eight_pits(repetition: str, tmp_path: Path) -> None:
    begin = time.process_time()
    rules = rs.giuthi(repetition=repetition)
    assert rs.Tablebase.memory(rules, 12) < 2**30
    with rs.Tablebase.build(rules, 12, tmp_path / "table") as table:
        assert time.process_time() - begin < 80  # 40 s on two cores
        assert len(table) == 30_421_755
        assert Path(table.path).stat().st_size < len(table) * 1.001
        table.verify()


@pytest.mark.campaign
def test_fourteen_seeds_on_eight_pits(tmp_path: Path) -> None:
    # In no more memory than is allowed where none is named.
    with rs.Tablebase.build(rs.giuthi(), 14, tmp_path / "table") as table:
        assert len(table) == 145_422_675
        assert Path(table.path).stat().st_size < len(table) * 1.001


@pytest.mark.campaign
def test_sowings_past_the_laps_after_which_a_signal_is_looked_for(tmp_path: Path) -> None:
    rules = rs.engehe(pits=3, seeds=1)
    assert rs.Position(rules, [3, 10, 4, 10, 7, 11], (0, 0)).sow(rs.Sow(0)).period == 66_336
    with rs.Tablebase.build(rules, 45, tmp_path / "table") as table:
        table.verify()
