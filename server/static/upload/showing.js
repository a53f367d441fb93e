// What was found in a file, as the site's own pages show it: templates/submissions/_problems.html in the browser.
import { first } from "../check/text.js";
import { isPrintable } from "./names.js";

const LINE_SHOWN = 200;
const WARNINGS_SHOWN = 5;

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function fill(words, values) {
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The form of a sentence that goes with a count, in the language of the page: it came for 1, 2 and 5.
export function counted(forms, count, values = {}) {
  const rules = new Intl.PluralRules(document.documentElement.lang || "en");
  const like = ["1", "2", "5"].find((number) => rules.select(Number(number)) === rules.select(count));
  return fill(forms[like ?? "5"], { num: count, ...values });
}

export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?]$/.test(text) ? "" : ".");
}

// Every bad line: its number, what is wrong with it, and the line with its white space made visible.
export function problemList(said, words) {
  const parts = [];
  if (said.count > said.problems.length) {
    parts.push(make("p", {}, fill(words.first_problems, { shown: said.problems.length, count: said.count })));
  }
  parts.push(make("ol", { class: "problems" }, ...said.problems.map((problem) => problemItem(problem, words))));
  if (said.problems.some((problem) => problem.text !== null)) parts.push(legend(words));
  return parts;
}

export function warningList(warnings, words) {
  const items = warnings.map((one) =>
    make("li", {}, one.line === null ? sentence(one.message) : `${fill(words.line, { line: one.line })}: ${one.message}.`));
  const parts = [make("ul", {}, ...items.slice(0, WARNINGS_SHOWN))];
  const more = items.slice(WARNINGS_SHOWN);
  if (more.length) {
    const summary = make("summary", {}, fill(words.more, { num: more.length }));
    parts.push(make("details", {}, summary, make("ul", {}, ...more)));
  }
  return parts;
}

function problemItem(problem, words) {
  const place = problem.line === null ? words.whole_file : fill(words.line, { line: problem.line });
  const item = make("li", {},
    make("p", {}, make("strong", {}, place), " ", make("span", {}, sentence(problem.message))));
  if (problem.text === null) return item;
  const context = make("pre");
  const row = (number, tag, attributes, text) => context.append(
    make("span", { class: "number", "aria-hidden": "true" }, String(number)), make(tag, attributes, ...visible(text)));
  if (problem.before !== null && problem.line > 1) row(problem.line - 1, "span", { class: "neighbour" }, problem.before);
  row(problem.line, "code", {}, problem.text);
  if (problem.after !== null) row(problem.line + 1, "span", { class: "neighbour" }, problem.after);
  item.append(context);
  return item;
}

function legend(words) {
  const mark = (text) => make("span", { class: "ws" }, text);
  const [tab, blank] = [words.tab, words.blank];
  return make("p", { class: "muted" }, mark("→"), ` ${tab}, `, mark("·"), ` ${blank}.`);
}

function visible(text) {
  const shown = first(text, LINE_SHOWN);
  const parts = Array.from(shown, (char) => {
    if (char === "\t") return [make("span", { class: "ws" }, "→"), "\t"];
    if (char === " ") return [make("span", { class: "ws" }, "·")];
    if (isPrintable(char)) return [char];
    const code = char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return [make("span", { class: "ws named" }, `U+${code}`)];
  });
  if (shown.length < text.length) parts.push([make("span", { class: "ws" }, "…")]);
  return parts.flat();
}
