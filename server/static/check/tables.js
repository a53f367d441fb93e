// Lines -> rows of fields, tab- or comma-separated: scorer/_tables.py, and Python's csv module, for the browser.
import { dropBlankEnd, noteBlank, shorten, strip } from "./text.js";

const LONGEST_FIELD = 131072;

// The rows as [the line that it starts on, its fields]; blank lines and broken quotes are noted.
export function* readRows(lines, delimiter, problems, need) {
  if (delimiter === "comma") {
    yield* commaRows(lines, problems, need);
    return;
  }
  const end = dropBlankEnd(lines);
  for (const [index, line] of lines.entries()) {
    if (line === null) continue;
    if (strip(line)) yield [index + 1, line.split("\t").map(unquote)];
    else noteBlank(problems, index + 1, end, need, line);
  }
}

export function delimiterOf(lines, delimiter) {
  return delimiter ?? (lines.length && lines[0] !== null && lines[0].includes("\t") ? "tab" : "comma");
}

// Where the named columns are; a name that is missing or there twice is noted and left out.
export function findColumns([number, fields], names, problems) {
  const present = fields.map((field) => strip(field));
  const places = new Map();
  for (const name of names) {
    const count = present.filter((other) => other === name).length;
    if (count === 1) {
      places.set(name, present.indexOf(name));
    } else if (count) {
      const message = `the header has ${count} columns ${shorten(name)}; keep one of them`;
      problems.add(number, "duplicate_column", message, fields.join("\t"));
    } else {
      const message = `the header has no column ${shorten(name)}${meant(name, present)}`;
      problems.add(number, "missing_column", message, fields.join("\t"));
    }
  }
  return places;
}

function meant(name, present) {
  if (present.length === 1 && present[0].includes(";")) {
    return "; its columns are separated by semicolons: write tabs or commas instead";
  }
  const wanted = folded(name);
  const other = present.find((candidate) => folded(candidate) === wanted);
  if (other !== undefined) return `; it has ${shorten(other)}, and names are compared letter by letter`;
  return `; it has ${present.slice(0, 8).map(shorten).join(", ")}${present.length > 8 ? ", …" : ""}`;
}

// As Python's casefold: letter by letter, by way of the capital, but for the dotless i.
function folded(text) {
  const letters = Array.from(text, (char) => (char === "ı" ? char : char.toUpperCase().toLowerCase()));
  return letters.join("").replaceAll("_", "").replaceAll(" ", "");
}

function unquote(field) {
  const inner = strip(field);
  if (inner.length < 2 || !inner.startsWith('"') || !inner.endsWith('"')) return field;
  return inner.slice(1, -1).replaceAll('""', '"');
}

function* commaRows(lines, problems, need) {
  const end = dropBlankEnd(lines);
  for (let at = 0; at < lines.length; ) {
    const number = at + 1;
    const { fields, fault, next } = readRecord(lines, at);
    at = next;
    const line = lines[number - 1];
    if (fault) problems.add(number, "broken_quote", fault, line);
    else if (fields.length > 1 || (fields.length && strip(fields[0]))) yield [number, fields];
    else if (line !== null) noteBlank(problems, number, end, need, line);
  }
}

const TOO_LONG = "a field is longer than 131072 characters; is a quote not closed?";
const AFTER_QUOTE = 'there is text after a closing quote; write a quote inside a quoted field twice ("")';
const NEVER_CLOSED = "a quote opens here and is never closed; close it, or write a quote in a field twice";

// One record of csv.reader(strict=True): its fields, or its fault, and the line that the next one starts on.
function readRecord(lines, start) {
  const fields = [];
  let state = "record", field = "", length = 0, at = start;
  const save = () => {
    fields.push(field);
    [field, length, state] = ["", 0, "field"];
  };
  const add = (char) => {
    field += char;
    length += 1;
    return length <= LONGEST_FIELD;
  };
  for (; at < lines.length; at += 1) {
    for (const char of `${lines[at] ?? ""}\n`) {
      if (state === "quoted") {
        if (char === '"') state = "closed";
        else if (!add(char)) return { fault: TOO_LONG, next: at + 1 };
      } else if (char === "\n") {
        if (state !== "record") save();
        return { fields, next: at + 1 };
      } else if (state === "closed" && char === '"') {
        if (!add(char)) return { fault: TOO_LONG, next: at + 1 };
        state = "quoted";
      } else if (char === ",") {
        save();
      } else if (state === "closed") {
        return { fault: AFTER_QUOTE, next: at + 1 };
      } else if (char === '"' && state !== "plain") {
        state = "quoted";
      } else {
        if (!add(char)) return { fault: TOO_LONG, next: at + 1 };
        state = "plain";
      }
    }
  }
  return { fault: NEVER_CLOSED, next: at };
}
