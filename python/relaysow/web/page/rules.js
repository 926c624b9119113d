// The page of rules and sources, from what the package knows of its games.

import { element } from "./board.js";

export const title = ({ name, title }) => {
  const reading = name.split("_").slice(1).join(" ");
  return reading ? `${title} (${reading[0].toUpperCase()}${reading.slice(1)})` : title;
};

export function showRules(place, games) {
  const sets = Object.keys(games.games).map((game) => games.rule_sets.filter((one) => one.game === game));
  place.append(
    element("h2", {}, "Rules and sources"),
    element("p", {}, "Where the sources differ, each reading is an option: the named rule sets below are readings of their own, and a new game may mix them."),
    element("nav", { "aria-label": "Games" }, ...sets.flatMap(([first], at) =>
      [...(at ? [" · "] : []), element("a", { href: `#rules/${first.game}` }, first.title)])),
    ...sets.map((of) => section(of, games)),
    glossary(games.options));
}

function section(sets, games) {
  const [first] = sets, { about, play, sources } = games.games[first.game];
  return element("section", { id: `rules/${first.game}`, class: "card" },
    element("h3", {}, first.title),
    element("p", {}, about),
    element("h4", {}, "How it is played"),
    element("ol", {}, ...play.map((step) => element("li", {}, step))),
    element("h4", {}, "Readings"),
    element("dl", {}, ...sets.flatMap((one) => [
      element("dt", {}, title(one), " ", element("code", {}, one.name)),
      element("dd", {}, one.reading, ...different(one, first))])),
    element("details", {}, element("summary", {}, `Every rule of ${first.title}`),
      element("dl", {}, ...Object.entries(first.options).flatMap(([name, value]) => {
        const { meaning, values } = games.options[name];
        return [element("dt", {}, `${name.replaceAll("_", " ")}: ${value ?? "none"}`),
          element("dd", {}, values[value] ? `${meaning}: ${values[value]}` : meaning)];
      }))),
    element("h4", {}, "Sources"),
    element("ul", {}, ...sources.map((source) => element("li", {}, source))));
}

function different(one, first) {
  const changed = Object.entries(one.options).filter(([name, value]) => value !== first.options[name]);
  if (!changed.length) return [];
  return [` Differs from ${first.name} in: `, element("code", {},
    changed.map(([name, value]) => `${name}=${value}`).join(", ")), "."];
}

function glossary(options) {
  return element("section", { class: "card" }, element("h3", {}, "All options"),
    element("dl", {}, ...Object.entries(options).flatMap(([name, { meaning, values }]) => [
      element("dt", {}, element("code", {}, name)),
      element("dd", {}, `${meaning[0].toUpperCase()}${meaning.slice(1)}.`,
        ...(Object.keys(values).length ? [element("ul", {}, ...Object.entries(values).map(([value, effect]) =>
          element("li", {}, element("code", {}, value), `: ${effect}`)))] : []))])));
}
