// The game on the page: what the player does, what the server says, what is shown.
//
// The server keeps nothing.  The record of the game is here, and goes with every request.

import { Board, PLAYERS, drops, element, seeds } from "./board.js";
import { showRules, title } from "./rules.js";

const $ = (id) => document.getElementById(id);
const KEPT = "relaysow";  // the names of what the browser keeps

let games = null;           // what the server tells of all games
let game = null;            // the game as the server told it last
let shown = null;           // what the board shows: the game, or the game after fewer moves
let undone = [];            // records that were taken back, to be redone
let seats = ["human", "greedy"];
let running = false;        // two computers play on
let busy = 0;               // grows with all that makes a running request or animation obsolete
let waiting = false;        // for the server
let hurry = null;           // ends the animation
let chosen = null;          // the pit whose choices the tray shows
let draft = null;           // a redistribution in the making
let hinted = null;          // the pit of a hint

const board = new Board($("board"), press, key);

// ---------------------------------------------------------------- server

async function ask(request, signal) {
  let response;
  try {
    response = await fetch("api/game", {
      method: "POST", signal, headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is relaysow serve still running?");
  }
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

let asking = null;

// One request at a time: a new one makes the one before obsolete.
async function change(request, { animated = false } = {}) {
  asking?.abort();
  hurry?.();
  const mine = ++busy, control = asking = new AbortController();
  waiting = true;
  complain("");
  refresh();
  try {
    const answer = await ask(request, control.signal);
    if (mine !== busy) return false;
    waiting = false;
    await adopt(answer, animated, mine);
    return mine === busy;
  } catch (error) {
    if (error.name === "AbortError" || mine !== busy) return false;
    waiting = false;
    running = false;
    refresh();
    throw error;
  }
}

const attempt = (promise, where = complain) =>
  promise.catch((error) => { where(error.message); return false; });

async function adopt(answer, animated, mine) {
  game = answer;
  chosen = draft = hinted = null;
  keep();
  if (animated) await animate(answer, mine);
  if (mine !== busy) return;
  show(game);
  next();
}

// ---------------------------------------------------------------- the course of a game

const isOver = () => game.outcome !== null;
const computers = () => seats.every((who) => who !== "human");
const myTurn = () => shown === game && !isOver() && !waiting && !hurry &&
  seats[game.mover] === "human";

function play(move) {
  undone = [];
  return attempt(change({ text: game.record, move }, { animated: true }));
}

function playComputer() {
  undone = [];
  return attempt(change({ text: game.record, policy: seats[game.mover] }, { animated: true }));
}

// Let a computer that is to move make its move.
function next() {
  if (shown !== game || isOver() || seats[game.mover] === "human") return;
  if (computers() && !running) return;
  const mine = busy;
  setTimeout(() => { if (mine === busy) playComputer(); }, computers() ? 150 : 250);
}

function undo() {
  if (!game.moves.length) return;
  let keepMoves = game.moves.length;
  do keepMoves--;
  while (keepMoves > 0 && !computers() && seats[game.moves[keepMoves].player] !== "human");
  running = false;
  undone.push(game.record);
  attempt(change({ text: game.record, keep: keepMoves }));
}

function redo() {
  if (undone.length) attempt(change({ text: undone.pop() }));
}

async function hint() {
  if (!myTurn()) return;
  const policy = games.policies.findLast((one) => one.startsWith("search")) ?? "greedy";
  const mine = busy;
  try {
    const answer = await ask({ text: game.record, policy });
    if (mine !== busy) return;
    const { text } = answer.moves.at(-1);
    if (game.redistribute) {
      draft = newDraft();
      for (const pit of answer.last.emptied) draft.emptied.add(pit);
      answer.last.placed.forEach((count, pit) => { if (count) draft.placed.set(pit, count); });
      refresh();
      say("Hint: a redistribution is laid out. Change it or make it.");
    } else {
      hinted = game.mover * game.options.pits + parseInt(text, 10) - 1;
      refresh();
      board.focus(hinted);
      say(`Hint: ${answer.last.told.replace(/^\w+: /, "")}`);
    }
  } catch (error) { complain(error.message); }
}

async function look(at) {
  if (at === game.moves.length) { hurry?.(); show(game); next(); return; }
  const mine = ++busy;
  asking?.abort();
  hurry?.();
  running = waiting = false;
  try {
    const answer = await ask({ text: game.record, keep: at });
    if (mine === busy) show(answer);
  } catch (error) { complain(error.message); }
}

async function begin(text, where) {
  undone = [];
  running = false;
  return attempt(change({ text }), where);
}

// ---------------------------------------------------------------- the board

function show(answer) {
  if (answer !== shown) draft = null;
  shown = answer;
  refresh();
  const { last, state } = shown;
  say([last?.told, state, shown.overlooked?.length
    ? `Overlooked when reading: ${shown.overlooked.join("; ")}.` : ""].filter(Boolean).join(" "));
}

// Draw all there is as it stands.
function refresh() {
  if (!shown) return;
  const n = shown.options.pits, { last } = shown;
  board.build(n);
  if (!hurry) {
    const pits = draft ? drafted() : shown.pits;
    board.fill(pits);
    pits.forEach((count, pit) => board.mark(pit, marks(pit, count)));
    board.hand(null);
  }
  shown.stores.forEach((store, player) => { $(`store-${player}`).textContent = store; });
  for (const player of [0, 1]) {
    const moves = shown.mover === player && shown.outcome === null;
    document.querySelector([".south", ".north"][player]).classList.toggle("moves", moves);
    $(`seat-${player}`).value = seats[player];
  }
  document.body.classList.toggle("thinking", waiting);
  $("game-name").textContent = shown.rules;
  $("position").value = shown.position;
  $("comment").textContent = shown.comment ? `“${shown.comment}”` : "";
  const viewing = shown !== game;
  $("undo").disabled = viewing || !game.moves.length;
  $("redo").disabled = viewing || !undone.length;
  $("hint").disabled = !myTurn();
  $("skip").hidden = !hurry;
  $("run").hidden = $("step").hidden = viewing || !computers() || isOver();
  $("run").textContent = running ? "Pause" : "Let them play";
  $("step").disabled = running || waiting;
  $("back").hidden = $("from-here").hidden = !viewing;
  if (!hurry) $("legend").replaceChildren(...legend(last));
  listMoves();
  showTray();
}

function marks(pit, count) {
  const { last, legal } = shown, classes = [], words = [`${board.name(pit)}: ${seeds(count)}`];
  const shielded = shown.protected.includes(pit);
  if (shielded) { classes.push("guarded"); words.push("protected"); }
  let badge = "", taken = null;
  if (last && !draft) {
    const captured = last.captured.find((one) => one.pit === pit);
    if (captured) {
      taken = captured.seeds === null ? " " : `−${captured.seeds}`;
      words.push(captured.seeds === null ? "captured" : `${captured.seeds} captured`);
    }
    if (last.emptied.includes(pit)) { classes.push("first"); words.push("emptied"); }
    if (last.placed[pit]) { badge = `+${last.placed[pit]}`; words.push(`${last.placed[pit]} placed`); }
    if (pit === last.end) { classes.push("last"); words.push("last seed"); }
    else if (pit === last.origins[0]) { classes.push("first"); words.push("lifted"); }
    else if (last.origins.includes(pit)) { classes.push("later"); words.push("lifted in a later lap"); }
  }
  let disabled = true, pressed = null;
  if (draft) {
    const own = owner(pit) === shown.mover;
    pressed = draft.emptied.has(pit);
    if (pressed) { classes.push("first"); words.push("emptied"); }
    if (draft.placed.get(pit)) {
      badge = `+${draft.placed.get(pit)}`;
      words.push(`${draft.placed.get(pit)} placed`);
    }
    disabled = choosing() ? !(own && shown.pits[pit]) : false;
  } else if (myTurn() && !shown.redistribute) {
    const moves = legal.filter((move) => move.pit === pit);
    disabled = !moves.length;
    if (!disabled) {
      classes.push("playable");
      const best = Math.max(...moves.map((move) => move.captures));
      if ($("captures").checked && best) { badge = `+${best}`; words.push(`can capture ${best}`); }
    } else if (owner(pit) === shown.mover) words.push("cannot be played");
  }
  if (pit === hinted) { classes.push("hinted"); words.push("the hint"); }
  if (pit === chosen) classes.push("chosen");
  return { classes, badge, taken, words: words.join(", "), disabled, pressed };
}

const owner = (pit) => Math.floor(pit / shown.options.pits);

function* legend(last) {
  const item = (kind, words) => element("span", { class: `key ${kind}` }, words);
  if (last && !draft) {
    if (last.emptied.length || last.origins.length) yield item("first", last.emptied.length ? "emptied" : "lifted");
    if (last.origins.length > 1) yield item("later", "lifted in later laps");
    if (last.end !== null) yield item("last", "last seed");
    if (last.captured.length) yield item("taken", "captured");
  }
  if (shown.protected.length) yield item("guarded", "protected");
}

function listMoves() {
  const turns = [];
  game.moves.forEach((move, at) => {
    if (turns.at(-1)?.turn !== move.turn) turns.push({ turn: move.turn, player: move.player, said: [] });
    const now = at + 1 === shown.moves.length;
    const text = move.text.includes("=") ? `${move.text.split("=")[0] || "none"}=…` : move.text;
    turns.at(-1).said.push(element("button", {
      type: "button", class: "said", "aria-current": now ? "step" : null,
      title: "Look at the position after this move", onclick: () => look(at + 1),
    }, text, ...(move.captured ? [element("small", {}, ` +${move.captured}`)] : [])));
  });
  const first = element("li", { class: "begin" }, element("button", {
    type: "button", class: "said", "aria-current": shown.moves.length ? null : "step",
    onclick: () => look(0) }, "Start"));
  $("moves").replaceChildren(first, ...turns.map(({ turn, player, said }) =>
    element("li", { value: turn }, element("span", { class: "by" }, `${turn}. ${PLAYERS[player]} `), ...said)));
  const current = $("moves").querySelector("[aria-current]");
  if (current && shown === game) $("moves").scrollTop = $("moves").scrollHeight;
}

function say(text) { $("said").textContent = text; }

function complain(text) { $("error").textContent = text; }

// ---------------------------------------------------------------- making a move

async function press(pit) {
  if (hurry) { hurry(); return; }
  if (shown !== game) { say("This is an earlier position: go back to the game, or go on from here."); return; }
  if (!myTurn()) return;
  if (shown.redistribute) { pressDraft(pit, 1); return; }
  const moves = shown.legal.filter((move) => move.pit === pit);
  hinted = null;
  if (owner(pit) !== shown.mover) { say(`${board.name(pit)} is not yours to play. ${shown.state}`); return; }
  if (!moves.length) { explain(pit); return; }
  if (moves.length === 1) { play(moves[0].text); return; }
  chosen = chosen === pit ? null : pit;
  refresh();
  if (chosen === null) return;
  const first = $("tray").querySelector("input:checked, input[type=number], button");
  first?.focus();
  if (first?.type === "number") first.select();
}

async function explain(pit) {
  const { options, pits, direction } = shown;
  const text = String(pit % options.pits + 1) +
    (options.lift === "any" ? `x${pits[pit] || 1}` : "") +
    (options.direction === "either" ? (direction === "cw" ? "-" : "+") : "");
  const mine = busy;
  try {
    const answer = await ask({ text: game.record, explain: text });
    if (mine === busy) say(answer.told);
  } catch (error) { complain(error.message); }
}

function key(pit, event) {
  if (event.key === "Escape") {
    if (hurry) hurry();
    else if (chosen !== null) { chosen = null; refresh(); }
    return;
  }
  const pressed = event.key.toLowerCase();
  if (pressed === "u") undo();
  else if (pressed === "h") hint();
  else if (draft && "+=-".includes(pressed)) pressDraft(pit, pressed === "-" ? -1 : 1, true);
  else if ("+=-".includes(pressed) && myTurn()) {
    const way = pressed === "-" ? "cw" : "ccw";
    const moves = shown.legal.filter((move) => move.pit === pit && (move.direction ?? "ccw") === way);
    if (moves.length === 1) play(moves[0].text);
    else press(pit);
  } else return;
  event.preventDefault();
}

function closeTray() {
  const pit = chosen;
  chosen = null;
  refresh();
  if (pit !== null) board.focus(pit);
}

// What there is to choose below the board.
function showTray() {
  const tray = $("tray");
  if (myTurn() && shown.redistribute) { draftTray(tray); return; }
  tray.hidden = chosen === null || !myTurn();
  if (tray.hidden) { tray.replaceChildren(); tray.dataset.pit = ""; return; }
  if (tray.dataset.pit === String(chosen)) return;
  tray.dataset.pit = chosen;
  const moves = shown.legal.filter((move) => move.pit === chosen);
  const lifts = [...new Set(moves.map((move) => move.lift))];
  const parts = [element("h3", {}, `${board.name(chosen)}, ${seeds(shown.pits[chosen])}`)];
  let lifted = () => lifts[0];
  if (lifts.length > 24) {
    const number = element("input", { type: "number", name: "lift", min: lifts[0],
      max: lifts.at(-1), value: lifts.at(-1), required: true });
    parts.push(element("label", { class: "line" }, "Seeds to lift ", number));
    lifted = () => Number(number.value);
  } else if (lifts.length > 1) {
    parts.push(element("fieldset", { class: "chips" }, element("legend", {}, "Seeds to lift"),
      ...lifts.map((lift) => element("label", {}, element("input", { type: "radio", name: "lift",
        value: lift, checked: lift === lifts.at(-1) }), element("span", {}, String(lift))))));
    lifted = () => Number(tray.elements.lift.value);
  }
  // South's counter-clockwise runs to the right, North's to the left.
  const right = shown.mover === 0 ? "ccw" : "cw";
  const ways = [...new Set(moves.map((move) => move.direction))];
  const words = { ccw: "counter-clockwise", cw: "clockwise" };
  const buttons = (ways.length === 1 ? ways : [right === "cw" ? "ccw" : "cw", right]).map((way) =>
    element("button", { class: "main", value: way ?? "" }, way === null ? "Sow"
      : way === right ? `${words[way]} →` : `← ${words[way]}`));
  parts.push(element("div", { class: "tools" }, ...buttons,
    element("button", { type: "button", onclick: closeTray }, "Cancel")));
  tray.replaceChildren(...parts);
  tray.onsubmit = (event) => {
    event.preventDefault();
    const way = (event.submitter ?? buttons[0]).value || null, lift = lifted();
    const move = moves.find((one) => one.lift === lift && one.direction === way);
    const pit = chosen;
    if (move) { board.focus(pit); play(move.text); }
    else say(`Lifting ${seeds(lift)} there is not a legal move.`);
  };
}

// ---------------------------------------------------------------- redistributions

function newDraft() { return { emptied: new Set(), placed: new Map(), enough: false, each: "1" }; }

const inHand = () => [...draft.emptied].reduce((sum, pit) => sum + shown.pits[pit], 0) -
  [...draft.placed.values()].reduce((sum, count) => sum + count, 0);

const choosing = () => draft.emptied.size < shown.redistribute.most && !draft.enough;

const drafted = () => shown.pits.map((count, pit) =>
  (draft.emptied.has(pit) ? 0 : count) + (draft.placed.get(pit) ?? 0));

function pressDraft(pit, sign, byKey = false) {
  if (choosing()) {
    if (owner(pit) !== shown.mover) say("Empty pits of your own row first.");
    else if (draft.emptied.has(pit)) draft.emptied.delete(pit);
    else if (!shown.pits[pit]) say(`${board.name(pit)} is empty.`);
    else draft.emptied.add(pit);
  } else {
    const back = sign < 0 || (!byKey && draft.back), there = draft.placed.get(pit) ?? 0;
    const most = back ? there : inHand();
    const count = Math.min(most, draft.each === "all" ? most : byKey ? 1 : Number(draft.each));
    draft.placed.set(pit, there + (back ? -count : count));
  }
  refresh();
  sayDraft(pit);
}

function sayDraft(pit) {
  const { most, least } = shown.redistribute, left = most - draft.emptied.size;
  if (choosing()) {
    const those = least < most ? "up to " : "";
    say(`Choose ${those}${left}${draft.emptied.size ? " more" : ""} of your pits to empty. ` +
      (draft.emptied.size ? `${seeds(inHand())} in hand.` : ""));
    return;
  }
  const there = pit === null ? "" : `${board.name(pit)} now holds ${drafted()[pit]}. `;
  say(`${there}${seeds(inHand())} in hand` +
    (inHand() ? ": place them in any pits." : ". The redistribution can be made."));
}

// Empty pits that are still to be chosen, and place what is in hand.
function fillDraft(place) {
  const n = shown.options.pits, first = shown.mover * n, any = (count) => Math.floor(Math.random() * count);
  while (choosing()) {
    const left = Array.from({ length: n }, (_, k) => first + k)
      .filter((pit) => shown.pits[pit] && !draft.emptied.has(pit));
    draft.emptied.add(left[any(left.length)]);
  }
  for (let hand = inHand(), k = 0; hand > 0; hand--, k++) {
    const pit = place === "even" ? first + k % n : any(2 * n);
    draft.placed.set(pit, (draft.placed.get(pit) ?? 0) + 1);
  }
  refresh();
  sayDraft(null);
}

function draftTray(tray) {
  const fresh = draft === null;
  draft ??= newDraft();
  tray.hidden = false;
  const { least } = shown.redistribute;
  const ready = draft.emptied.size >= least && inHand() === 0;
  const button = (words, action, more = {}) =>
    element("button", { type: "button", onclick: action, ...more }, words);
  if (fresh || tray.dataset.pit !== "draft") {
    tray.dataset.pit = "draft";
    const each = element("select", { id: "each", onchange: (event) => { draft.each = event.target.value; } },
      ...["1", "2", "5", "10", "all"].map((count) => element("option", { value: count }, count)));
    tray.replaceChildren(
      element("h3", {}, `${PLAYERS[shown.mover]}’s redistribution`),
      element("p", { id: "in-hand" }),
      element("div", { class: "tools" },
        button("Enough pits", () => { draft.enough = true; refresh(); sayDraft(null); }, { id: "enough" }),
        element("label", { class: "line" }, "Each press places ", each),
        button("Take back", () => { draft.back = !draft.back; refresh(); },
          { id: "take-back", "aria-pressed": "false" }),
        button("Evenly over my row", () => fillDraft("even"), { id: "even" }),
        button("At random", () => fillDraft("random"), { id: "at-random" }),
        button("Start again", () => { draft = newDraft(); $("each").value = "1"; refresh(); sayDraft(null); },
          { id: "start-again" }),
        element("button", { class: "main", id: "redistribute" }, "Redistribute")));
    tray.onsubmit = (event) => {
      event.preventDefault();
      if (!$("redistribute").disabled) {
        const n = shown.options.pits, placed = shown.pits.map((_, pit) => draft.placed.get(pit) ?? 0);
        const emptied = [...draft.emptied].sort((a, b) => a - b).map((pit) => pit % n + 1);
        play(`${emptied.join(",")}=${placed.join(",")}`);
      }
    };
  }
  $("in-hand").textContent = choosing()
    ? `Empty ${shown.redistribute.most - draft.emptied.size}` +
      `${draft.emptied.size ? " more" : ""} of your pits.`
    : `${seeds(inHand())} in hand${inHand() ? ": press pits to place them." : "."}`;
  $("enough").hidden = !choosing() || draft.emptied.size < least || least === shown.redistribute.most;
  $("take-back").setAttribute("aria-pressed", Boolean(draft.back));
  $("take-back").disabled = !draft.placed.size;
  $("redistribute").disabled = !ready;
  if (fresh) refresh();
}

// ---------------------------------------------------------------- animation

const still = matchMedia("(prefers-reduced-motion: reduce)");

async function animate(answer, mine) {
  const { last, options } = answer;
  const pace = $("pace").value === "auto" ? Number(!still.matches) : Number($("pace").value);
  if (!last || !pace || document.hidden) return;
  let skipped = false, wake = null;
  const skip = hurry = () => { skipped = true; wake?.(); };
  const pause = (time) => skipped ? null : new Promise((done) => {
    const timer = setTimeout(done, time * pace);
    wake = () => { clearTimeout(timer); done(); };
  });
  refresh();
  // The board as it was, without the marks of the move before.
  const pits = [...last.pits], ring = pits.length;
  board.fill(pits);
  pits.forEach((count, pit) => board.mark(pit, { words: `${board.name(pit)}: ${seeds(count)}`,
    disabled: true, classes: last.protected.includes(pit) ? ["guarded"] : [] }));
  last.stores.forEach((store, player) => { $(`store-${player}`).textContent = store; });
  const put = (pit, count) => { pits[pit] = count; board.set(pit, count); };
  const caption = (text) => $("legend").replaceChildren(text);
  const all = last.laps.reduce((sum, lap) => sum + lap.seeds, 0);
  const slowly = all <= 400, step = Math.min(170, 12_000 / all);
  const rest = Math.min(450, 6_000 / last.laps.length);
  for (const pit of last.emptied) {
    board.hand(pit);
    put(pit, 0);
    await pause(450);
  }
  for (const [pit, count] of last.placed.entries()) {
    if (!count || skipped) continue;
    board.hand(pit);
    put(pit, pits[pit] + count);
    await pause(350);
  }
  for (const [at, lap] of last.laps.entries()) {
    if (skipped || mine !== busy) break;
    caption(`Lap ${at + 1}: ${seeds(lap.seeds)} of ${board.name(lap.origin)}, ` +
      (lap.direction === "ccw" ? "counter-clockwise" : "clockwise"));
    board.hand(lap.origin);
    put(lap.origin, pits[lap.origin] - lap.seeds);
    await pause(rest);
    for (const pit of drops(lap, ring, options.origin === "skipped")) {
      put(pit, pits[pit] + 1);
      if (slowly && !skipped) { board.hand(pit); await pause(step); }
    }
    board.hand(lap.last);
    if (!slowly) await pause(rest);
  }
  if (last.more) { caption(`… and ${last.more.toLocaleString("en")} more laps`); await pause(800); }
  if (hurry === skip) hurry = null;
}

// ---------------------------------------------------------------- a new game

const seatName = (who) => {
  const [, by, number] = who.match(/^search:(\w+)=(\d+)$/) ?? [];
  const far = by === "depth" ? `${number} deep` : Number(number).toLocaleString("en");
  return who === "human" ? "a person" : `computer: ${by ? `search ${far}` : who}`;
};

const seatOptions = () => ["human", ...games.policies].map((who) =>
  element("option", { value: who }, seatName(who)));

const ruleSet = () => games.rule_sets.find((one) => one.name === $("new-game").querySelector("form").elements.game.value);

function buildDialog() {
  $("choose-game").append(...games.rule_sets.map((one, at) => element("label", { class: "choice" },
    element("input", { type: "radio", name: "game", value: one.name, checked: at === 0,
      onchange: chooseGame }), element("span", {}, title(one)))));
  $("options").append(...Object.entries(games.options).filter(([name]) => name !== "setup")
    .map(([name, { meaning, values }]) => {
      const choices = name === "minimum_lift" ? { 1: "", 2: "" } : values;
      const field = name === "max_laps"
        ? element("input", { type: "number", min: 1, name, placeholder: "no cap" })
        : element("select", { name }, ...Object.entries(choices).map(([value, effect]) =>
          element("option", { value }, effect ? `${value}: ${effect}` : value)));
      return element("label", { class: "stack" }, element("span", {}, element("b", {}, name.replaceAll("_", " ")),
        ` ${meaning}`), field);
    }));
  for (const player of [0, 1]) {
    $(`new-seat-${player}`).append(...seatOptions());
    $(`seat-${player}`).append(...seatOptions());
    $(`seat-${player}`).onchange = (event) => {
      seats[player] = event.target.value;
      running = false;
      busy++;
      asking?.abort();
      hurry?.();
      waiting = false;
      keep();
      show(game);
      next();
    };
  }
  chooseGame();
}

function chooseGame() {
  const one = ruleSet();
  $("reading").textContent = one.reading;
  $("setups").replaceChildren(...one.setups.map((setup) => element("button", { type: "button",
    onclick: () => {
      for (const [name, value] of Object.entries(setup)) $(`size-${name}`).value = value;
    } }, setup.filled ? `${setup.filled} pits of ${setup.seeds}` : `2×${setup.pits} · ${setup.seeds}`)));
  const words = { pits: "Pits in a row", seeds: "Seeds in a pit", filled: "Filled pits" };
  $("sizes").replaceChildren(...Object.entries(one.sizes).map(([name, value]) =>
    element("label", { class: "stack" }, words[name], element("input", { type: "number", value,
      id: `size-${name}`, name, required: true, min: name === "pits" ? games.limits.pits[0] : 0,
      max: name === "pits" ? games.limits.pits[1] : games.limits.seeds }))));
  const { elements } = $("new-game").querySelector("form");
  for (const [name, value] of Object.entries(one.options)) elements[name].value = value ?? "";
}

function rulesText() {
  const one = ruleSet(), said = [];
  const { elements } = $("new-game").querySelector("form");
  for (const [name, value] of Object.entries(one.sizes)) {
    if (elements[name].value !== String(value)) said.push(`${name}=${elements[name].value}`);
  }
  for (const [name, value] of Object.entries(one.options)) {
    const now = elements[name].value;
    if (now !== String(value ?? "")) said.push(`${name}=${now || "None"}`);
  }
  return said.length ? `${one.name}(${said.join(",")})` : one.name;
}

function openDialog() {
  $("new-error").textContent = "";
  seats.forEach((who, player) => { $(`new-seat-${player}`).value = who; });
  $("new-game").showModal();
}

// ---------------------------------------------------------------- text in and out

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    const area = $("position"), before = area.value;
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.value = before;
    say(`${what} copied.`);
  }
}

function save() {
  const address = URL.createObjectURL(new Blob([game.record], { type: "text/plain" }));
  element("a", { href: address, download: "game.txt" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

// The browser keeps the game of a tab, so that a page loaded again goes on with it, and the view.
function keep() {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ record: game?.record, seats }));
    localStorage.setItem(KEPT, JSON.stringify({ pace: $("pace").value,
      numbers: $("numbers").checked, captures: $("captures").checked }));
  } catch { /* where nothing may be kept */ }
}

function kept() {
  try {
    return { ...JSON.parse(localStorage.getItem(KEPT)), ...JSON.parse(sessionStorage.getItem(KEPT)) };
  } catch { return {}; }
}

// ---------------------------------------------------------------- the page

function turnPage() {
  const rules = location.hash.startsWith("#rules");
  $("play").hidden = rules;
  $("rules").hidden = !rules;
  $("to-play").toggleAttribute("aria-current", !rules);
  $("to-rules").toggleAttribute("aria-current", rules);
  $("new").hidden = rules;
  document.title = rules ? "Rules and sources · relaysow" : "relaysow";
  const section = location.hash.includes("/") ? $(location.hash.slice(1)) : null;
  if (section) section.scrollIntoView();
  else scrollTo(0, 0);
}

async function main() {
  try {
    games = await (await fetch("api/games")).json();
  } catch {
    document.body.append(element("p", { class: "notice", role: "alert" },
      "The server does not answer. Is relaysow serve still running?"));
    return;
  }
  showRules($("rules"), games);
  buildDialog();
  const before = kept();
  const known = (who) => who === "human" || games.policies.includes(who);
  if (Array.isArray(before.seats) && before.seats.length === 2 && before.seats.every(known)) seats = before.seats;
  if (before.pace) $("pace").value = before.pace;
  $("numbers").checked = Boolean(before.numbers);
  $("captures").checked = Boolean(before.captures);
  const numbers = () => $("board").classList.toggle("numbers", $("numbers").checked);
  numbers();
  addEventListener("hashchange", turnPage);
  turnPage();
  $("new").onclick = openDialog;
  $("cancel").onclick = () => $("new-game").close();
  $("new-game").querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    const wanted = [0, 1].map((player) => $(`new-seat-${player}`).value), former = seats;
    seats = wanted;
    if (await begin(rulesText(), (text) => { $("new-error").textContent = text; })) {
      $("new-game").close();
      board.focus(0);
    } else seats = former;
  };
  $("open").onsubmit = async (event) => {
    event.preventDefault();
    const text = $("pasted").value;
    if (await begin(text, (words) => { $("open-error").textContent = words; })) {
      $("open-error").textContent = $("pasted").value = "";
      $("play").scrollIntoView();
    }
  };
  $("file").onchange = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    let text = "", error = "";
    if (file.size > 120_000) error = `${file.name} is too long.`;
    else {
      const bytes = new Uint8Array(await file.arrayBuffer());
      let encoding = bytes[0] >= 0xfe || bytes.subarray(0, 4).includes(0) ? "UTF-16" : "";
      if (!encoding) {
        try {
          text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        } catch { encoding = "not UTF-8"; }
      }
      if (encoding) error = `${file.name} is ${encoding}: save it as UTF-8.`;
    }
    $("pasted").value = text;
    $("open-error").textContent = error;
    event.target.value = "";
    if ($("pasted").value) $("open").requestSubmit();
  };
  $("skip").onclick = () => hurry?.();
  $("run").onclick = () => {
    running = !running;
    if (running) { refresh(); next(); } else { busy++; asking?.abort(); waiting = false; hurry?.(); show(game); }
  };
  $("step").onclick = playComputer;
  $("undo").onclick = undo;
  $("redo").onclick = redo;
  $("hint").onclick = hint;
  $("back").onclick = () => look(game.moves.length);
  $("from-here").onclick = () => {
    undone = [game.record];
    attempt(change({ text: game.record, keep: shown.moves.length }));
  };
  $("copy-position").onclick = () => copy(shown.position, "The position is");
  $("copy-record").onclick = () => copy(game.record, "The record is");
  $("save").onclick = save;
  $("numbers").onchange = () => { numbers(); keep(); };
  $("captures").onchange = () => { refresh(); keep(); };
  $("pace").onchange = keep;
  $("tray").onkeydown = (event) => {
    if (event.key === "Escape" && chosen !== null) closeTray();
  };
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hurry?.(); });
  if (!before.record || !await begin(before.record, () => {})) await begin("giuthi");
}

main();
