// The board: two rows of pits, as buttons, drawn in as many blocks as the window asks for.

const SVG = "http://www.w3.org/2000/svg";
const MAX_DOTS = 12;
// How so many seeds are laid out: in rows, so that they can be counted at a glance.
const ROWS = [
  [], [1], [2], [1, 2], [2, 2], [2, 1, 2], [3, 3], [2, 3, 2], [3, 2, 3], [3, 3, 3],
  [3, 4, 3], [4, 3, 4], [4, 4, 4],
];
const NARROWEST = 40, WIDEST = 84, MOST_COLUMNS = 25;
export const PLAYERS = ["South", "North"];

export const seeds = (count) => (count === 1 ? "1 seed" : `${count} seeds`);

export const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

const shape = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const dots = (count) =>
  ROWS[count].map((row, i, rows) => Array.from({ length: row }, (_, j) =>
    `M${9 * (j - (row - 1) / 2)} ${9.5 * (i - (rows.length - 1) / 2)}h.01`).join("")).join("");

// The pits into which a lap's seeds fall, in order.
export function* drops(lap, ring, skips) {
  const step = lap.direction === "ccw" ? 1 : ring - 1;
  let pit = lap.origin;
  for (let seed = 0; seed < lap.seeds; seed++) {
    pit = (pit + step) % ring;
    if (skips && pit === lap.origin) pit = (pit + step) % ring;
    yield pit;
  }
}

export class Board {
  #pits = []; #n = 0; #columns = 0; #current = 0;

  // `press(pit)` and `key(pit, event)` are told what the user does.
  constructor(place, press, key) {
    this.place = place;
    this.press = press;
    this.key = key;
    place.addEventListener("keydown", (event) => this.#keydown(event));
    new ResizeObserver(() => this.#arrange()).observe(place);
  }

  build(n) {
    if (n === this.#n) return;
    this.#n = n;
    this.#columns = 0;
    this.#current = 0;
    this.#pits = Array.from({ length: 2 * n }, (_, pit) => this.#make(pit));
    this.#arrange();
  }

  name(pit) { return `${PLAYERS[Math.floor(pit / this.#n)]}’s pit ${pit % this.#n + 1}`; }

  focus(pit) {
    this.#select(pit);
    this.#pits[pit].button.focus();
  }

  #make(pit) {
    const picture = shape("svg", { viewBox: "-25 -25 50 50", "aria-hidden": "true" });
    const parts = {};
    for (const [part, tag, attributes] of [
      ["hole", "circle", { r: 21 }], ["seeds", "path", {}], ["count", "text", { y: 6 }],
      ["ring", "circle", { r: 21 }],
      ["guard", "path", { d: "M-17 -18h-6v36h6M17 -18h6v36h-6" }],
      ["cross", "path", { d: "M-9 -9l-7 -7M9 -9l7 -7M-9 9l-7 7M9 9l7 7" }],
      ["badge", "text", { x: 23, y: 22 }],
    ]) {
      parts[part] = shape(tag, { class: part, ...attributes });
      picture.append(parts[part]);
    }
    const button = element("button", { type: "button", class: "pit", tabindex: -1,
      "data-pit": pit, onclick: () => { this.#select(pit); this.press(pit); } }, picture);
    const label = element("span", { class: "label", "aria-hidden": "true" },
      String(pit % this.#n + 1));
    const north = pit >= this.#n;
    const cell = element("div", { class: "cell" });
    cell.append(...(north ? [label, button] : [button, label]));
    return { button, cell, ...parts };
  }

  #arrange() {
    const n = this.#n, room = this.place.clientWidth - 26;
    if (!n || room < NARROWEST) return;
    const most = Math.max(3, Math.min(MOST_COLUMNS, Math.floor(room / NARROWEST)));
    const blocks = Math.ceil(n / most), columns = Math.ceil(n / blocks);
    const pit = Math.min(WIDEST, Math.floor(room / columns));
    this.place.style.setProperty("--pit", `${pit}px`);
    this.place.parentElement.style.setProperty("--board", `${pit * columns + 22}px`);
    if (columns === this.#columns) return;
    this.#columns = columns;
    const focused = this.place.contains(document.activeElement) ? document.activeElement : null;
    this.place.replaceChildren(...Array.from({ length: blocks }, (_, block) => {
      const first = Math.floor(n * block / blocks), end = Math.floor(n * (block + 1) / blocks);
      const part = (north) => {
        const row = element("div", { class: "pits", role: "group", "aria-label":
          `${PLAYERS[Number(north)]}’s pits ` +
          (north ? `${n - first} to ${n - end + 1}` : `${first + 1} to ${end}`) });
        for (let column = first; column < end; column++) {
          const pit = north ? 2 * n - 1 - column : column;
          row.append(this.#pits[pit].cell);
          this.#pits[pit].block = { block, first, end };
        }
        return row;
      };
      const open = (block > 0 ? " goes-on-left" : "") + (block < blocks - 1 ? " goes-on-right" : "");
      return element("div", { class: `block${open}` }, part(true), part(false));
    }));
    this.#select(this.#current);
    focused?.focus();
  }

  #select(pit) {
    this.#pits[this.#current]?.button.setAttribute("tabindex", -1);
    this.#current = pit;
    this.#pits[pit].button.setAttribute("tabindex", 0);
  }

  #keydown(event) {
    const pit = Number(event.target.closest(".pit")?.dataset.pit ?? NaN);
    if (Number.isNaN(pit) || event.ctrlKey || event.altKey || event.metaKey) return;
    const n = this.#n, north = pit >= n, column = north ? 2 * n - 1 - pit : pit;
    const { first, end } = this.#pits[pit].block;
    const at = (isNorth, c) => (isNorth ? 2 * n - 1 - c : c);
    let to = null;
    if (event.key === "ArrowLeft" && column > 0) to = at(north, column - 1);
    else if (event.key === "ArrowRight" && column < n - 1) to = at(north, column + 1);
    else if (event.key === "Home") to = at(north, 0);
    else if (event.key === "End") to = at(north, n - 1);
    else if (event.key === "ArrowUp") {
      if (!north) to = at(true, column);
      else if (first > 0) to = at(false, Math.max(0, column - (end - first)));
    } else if (event.key === "ArrowDown") {
      if (north) to = at(false, column);
      else if (end < n) to = at(true, Math.min(n - 1, column + (end - first)));
    } else {
      this.key(pit, event);
      return;
    }
    event.preventDefault();
    if (to !== null) this.focus(to);
  }

  // Show so many seeds in every pit.
  fill(pits) { pits.forEach((count, pit) => this.set(pit, count)); }

  set(pit, count) {
    const { seeds: path, count: text, button } = this.#pits[pit];
    path.setAttribute("d", count <= MAX_DOTS ? dots(count) : "");
    text.textContent = count || "";
    button.classList.toggle("many", count > MAX_DOTS);
    text.classList.toggle("long", count > 999);
  }

  // Mark pits: `marks` gives each a set of classes, a badge and the words of its label.
  mark(pit, { classes = [], badge = "", taken = null, words, disabled, pressed = null }) {
    const parts = this.#pits[pit], many = parts.button.classList.contains("many");
    parts.button.className = ["pit", ...(many ? ["many"] : []), ...classes].join(" ");
    parts.badge.textContent = badge;
    if (taken) {
      parts.count.textContent = taken;
      parts.button.classList.add("taken");
    }
    parts.button.setAttribute("aria-label", words);
    parts.button.setAttribute("title", words);
    parts.button.setAttribute("aria-disabled", disabled);
    if (pressed === null) parts.button.removeAttribute("aria-pressed");
    else parts.button.setAttribute("aria-pressed", pressed);
  }

  // The hand over a pit while a move is sown.
  hand(pit) {
    this.place.querySelector(".pit.hand")?.classList.remove("hand");
    if (pit !== null) this.#pits[pit].button.classList.add("hand");
  }
}
