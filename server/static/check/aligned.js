// Files whose line X answers item X: scorer/_aligned.py for the browser, and scorer/_swapped.py below.
import { readNumber } from "./numbers.js";
import { BLANKS, SEPARATOR_CODE, counted, dropBlankEnd, first, noteBlank, shorten, strip, stripEnd } from "./text.js";

const WORD = /^[A-Za-z_][A-Za-z0-9_ .()/]*$/;
const NEEDED = "every item needs a score, also where the gold has none";
const NO_HEADER = new Set(["nan", "inf", "infinity", "null", "none", "na", "n/a"]);
const SCORE_WORDS = new Set(
  ["score", "scores", "similarity", "sim", "pred", "prediction", "predictions", "gold", "rating", "value"]);
const MOSTLY = 0.9;

// One [line number, score, confidence or null] a line; null where the line has been noted.
export function readAligned(lines, problems, n) {
  const header = noteHeader(lines, problems, n);
  const end = Math.max(dropBlankEnd(lines), Math.min(n + header, lines.length));
  let blank = NEEDED;
  if (lines.length) {
    if (surplusIsBlank(lines.slice(0, end), n + header)) {
      blank = `remove it: without the empty lines the run has its ${counted(n, "line")}`;
    } else {
      noteLength(lines.slice(0, end), problems, n, header);
    }
  }
  return lines.slice(header).map((line, index) => cellsOf(line, index + 1 + header, end, problems, blank));
}

function surplusIsBlank(lines, wanted) {
  if (lines.length <= wanted) return false;
  return lines.filter((line) => line !== null && !strip(line)).length === lines.length - wanted;
}

function cellsOf(line, number, end, problems, blank) {
  if (line === null) return null;
  const text = stripEnd(line);
  if (!text) {
    noteBlank(problems, number, end, blank, line);
    return null;
  }
  const fields = text.split("\t");
  if (fields.length <= 2) return [number, strip(fields[0]), fields.length === 2 ? strip(fields[1]) : null];
  const message = `${fields.length} columns; write a score, or a score, one tab and a confidence`;
  problems.add(number, "too_many_columns", message, line);
  return null;
}

function noteLength(lines, problems, n, header) {
  const found = lines.length - header;
  if (found === n) return;
  const below = header ? " below its first" : "";
  const counts = `the run has ${counted(found, "line")}${below} and there ${n === 1 ? "is" : "are"} ${counted(n, "item")}`;
  const mend = "write one line for each item, in order";
  if (found < n) {
    problems.add(null, "too_few_lines", `${counts}: ${span(found + 1, n)} missing; ${mend}`);
  } else {
    const start = header + n + 1;
    const extra = span(start, lines.length);
    problems.add(start, "too_many_lines", `${counts}: ${extra} too many; ${mend}`, lines[start - 1]);
  }
}

function noteHeader(lines, problems, n) {
  if (problems.has(SEPARATOR_CODE)) return 1;
  const words = headerWords(lines);
  if (!words.length) return 0;
  const known = SCORE_WORDS.has(words[0].toLowerCase());
  if (words.length === 1 && !known && dropBlankEnd(lines) - 1 !== n) return 0;
  if (words.length > 2 || (words.length === 2 && !known)) {
    const message = "looks like the header of a keyed file; write one value a line, in the order of the items";
    problems.add(1, "keyed_file", message, lines[0]);
  } else {
    problems.add(1, "header_line", "looks like a header; an aligned file has none: remove the line", lines[0]);
  }
  return 1;
}

function headerWords(lines) {
  if (!lines.length || !lines[0]) return [];
  const line = first(strip(lines[0]), 1000);
  const words = line.split(line.includes("\t") ? "\t" : ",").map((field) => strip(field, `${BLANKS}"`));
  return words.every((word) => WORD.test(word) && !NO_HEADER.has(word.toLowerCase())) ? words : [];
}

function span(start, last) {
  return start === last ? `line ${start} is` : `lines ${start} to ${last} are`;
}

// Cells without a column of the items' ids, which is noted; the scores beside it can be read on.
export function dropIds(cells, ids, problems) {
  const known = new Set((ids ?? []).filter((id) => readNumber(id) === null));
  if (!known.size || problems.has("keyed_file")) return cells;
  for (const name of ["first", "second"]) {
    const found = cells.map((cell) => (cell === null || cell[2] === null ? null : turned(cell, name)));
    const named = found.filter((cell) => cell !== null && known.has(cell[2])).length;
    if (named >= Math.max(1, MOSTLY * cells.length)) {
      const message = `the ${name} column holds the ids of the items, which an aligned run has not: remove it`;
      problems.add(null, "ids_column", message + firstAstray(found, ids));
      return found.map((cell) => (cell === null ? null : [cell[0], cell[1], null]));
    }
  }
  return cells;
}

function turned(cell, name) {
  return name === "first" ? [cell[0], cell[2], cell[1]] : cell;
}

function firstAstray(cells, ids) {
  for (let index = 0; index < Math.min(cells.length, ids.length); index += 1) {
    const cell = cells[index];
    if (cell !== null && cell[2] !== ids[index]) {
      const there = `line ${cell[0]} has ${shorten(cell[2])} where ${shorten(ids[index])} is due`;
      return `; ${there}, mend the order too`;
    }
  }
  return "";
}

// Note that score and confidence look swapped: each would do as the other, and not as itself.
export function noteSwapped(scores, confidences, scale, confidenceMax, problems) {
  if (!problems.has("confidence_range")) return;
  const [low, high] = scale ?? [-Infinity, Infinity];
  const swapped = scores.every((score, index) =>
    score !== null && confidences[index] !== null && score >= 0 && score <= confidenceMax &&
    confidences[index] >= low && confidences[index] <= high);
  if (!swapped) return;
  const message = "every second column would do as a score, and every first one as a confidence: are they";
  problems.add(null, "swapped_columns", `${message} swapped? the score comes first`);
}
