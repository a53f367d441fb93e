// Checks a run file in the browser: what scorer/io.py says of it, with the same codes, lines and sentences. The
// browser's word is a courtesy, the server's decides. tests/golden/run_files.json and a differential test hold the two
// together.
import { dropIds, noteSwapped, readAligned } from "./aligned.js";
import { readKeyed } from "./keyed.js";
import { explain, numberWords, readNumber } from "./numbers.js";
import { Problems, decodeLines, first, shorten, shownLines } from "./text.js";

const NOT_ENTERED = new Set(["na", "n/a"]);
const NEIGHBOUR = 200;

// What is wrong with the bytes of a run file, each bad line between its neighbours, and what is odd about its scores.
// `facts`: n, ids, keyed ({id, score, confidence, delimiter} or null), scale ([low, high] or null), confidence_max.
export function checkRun(bytes, facts) {
  const problems = new Problems(), warnings = new Problems();
  const lines = decodeLines(bytes, problems);
  let cells = facts.keyed ? readKeyed(lines, problems, facts.keyed, facts.ids) : readAligned(lines, problems, facts.n);
  let scores = [];
  const notEntered = refuseNotEntered(cells, problems);
  if (notEntered === null) {
    if (!facts.keyed) cells = dropIds(cells, facts.ids, problems);
    scores = readValues(cells, lines, problems, warnings, facts);
    if (problems.count * 2 > lines.length) problems.explainedBy("keyed_file");
  }
  return {
    notEntered: notEntered === true,
    count: problems.count,
    problems: amongNeighbours(problems.sorted(), bytes),
    warnings: allWarnings(warnings, scores),
    lines: lines.length,
  };
}

// A run that says NA to every item: true, or false where more is wrong; null for every other run.
function refuseNotEntered(cells, problems) {
  if (!cells.length || !cells.every((cell) => cell !== null && NOT_ENTERED.has(cell[1].toLowerCase()))) return null;
  const message = "every score is NA: the run does not enter this level, and there is nothing to score";
  problems.add(null, "not_entered", `${message}; leave the file out, or write numbers`);
  return problems.count === 1;
}

function readValues(cells, lines, problems, warnings, facts) {
  const wanted = facts.scale ? `write one number ${range(facts.scale)}` : "write one number, such as 2.5";
  const read = (line, text, what, mend) => {
    const value = readNumber(text);
    if (value === null) problems.add(line, ...(problems.full ? ["", ""] : explain(text, what, mend)), lines[line - 1]);
    return value;
  };
  const scoreOf = (cell) => {
    if (cell === null) return null;
    const value = read(cell[0], cell[1], "score", wanted);
    if (value !== null && facts.scale && !(facts.scale[0] <= value && value <= facts.scale[1])) {
      const message = `score ${shorten(cell[1])} is outside the scale; scores go ${range(facts.scale)}`;
      warnings.add(cell[0], "outside_scale", message, lines[cell[0] - 1]);
    }
    return value;
  };
  const sure = `write one number ${range([0, facts.confidence_max])}`;
  const confidenceOf = (cell) => {
    if (cell === null || cell[2] === null) return null;
    const value = read(cell[0], cell[2], "confidence", sure);
    if (value !== null && !(value >= 0 && value <= facts.confidence_max)) {
      const message = `confidence ${shorten(cell[2])} is out of range; ${sure}`;
      problems.add(cell[0], "confidence_range", message, lines[cell[0] - 1]);
    }
    return value;
  };
  const scores = cells.map(scoreOf), confidences = cells.map(confidenceOf);
  if (!facts.keyed) noteSwapped(scores, confidences, facts.scale, facts.confidence_max, problems);
  return scores;
}

function range([low, high]) {
  return `from ${numberWords(low)} to ${numberWords(high)}`;
}

function allWarnings(warnings, scores) {
  const found = warnings.sorted();
  const hidden = warnings.count - found.length;
  if (hidden) {
    found.push({ line: null, code: "outside_scale", message: `and ${hidden} more scores outside the scale`, text: null });
  }
  if (scores.length > 1 && scores.every((score) => score !== null && score === scores[0])) {
    const fact = `every score is ${numberWords(scores[0])}: a run whose scores are all the same`;
    const message = `${fact} has no correlation, and a board shows a dash; write scores that differ`;
    found.unshift({ line: null, code: "constant_run", message, text: null });
  }
  return found;
}

function amongNeighbours(problems, bytes) {
  const lines = shownLines(bytes);
  const shown = (index) => (index >= 0 && index < lines.length ? first(lines[index], NEIGHBOUR) : null);
  return problems.map((problem) => {
    const alone = problem.line === null || problem.text === null;
    const [before, after] = alone ? [null, null] : [shown(problem.line - 2), shown(problem.line)];
    return { ...problem, before, after };
  });
}
