// Bytes -> lines, and what can be wrong with them: scorer/_text.py for the browser. The same words, the same order.
import { explainForeign } from "./foreign.js";

export const BLANKS = " \t\v\f";
export const SEPARATOR_CODE = "separator_line";
export const MAX_PROBLEMS = 100;

const SHOWN = 40;
const INVISIBLE = /[\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const SEPARATOR_LINE = /^"?[sS\u017f][eE][pP]=[^\n]?"?$/u;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const WINDOWS = new TextDecoder("windows-1252");

export class Problems {
  kept = [];
  count = 0;

  get full() {
    return this.kept.length >= MAX_PROBLEMS;
  }

  add(line, code, message, text = null) {
    this.count += 1;
    if (!this.full) this.kept.push({ line, code, message, text });
  }

  has(code) {
    return this.kept.some((problem) => problem.code === code);
  }

  explainedBy(code) {
    const explanation = this.kept.filter((problem) => problem.code === code);
    if (explanation.length) [this.kept, this.count] = [explanation, explanation.length];
  }

  sorted() {
    return [...this.kept].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  }
}

// The first characters of a text: as Python counts them, not as UTF-16 does.
export function first(text, count) {
  return Array.from(text.slice(0, 2 * count)).slice(0, count).join("");
}

export function strip(text, chars = BLANKS) {
  let start = 0, end = text.length;
  while (start < end && chars.includes(text[start])) start += 1;
  while (end > start && chars.includes(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

export function stripEnd(text) {
  let end = text.length;
  while (end && BLANKS.includes(text[end - 1])) end -= 1;
  return text.slice(0, end);
}

export function counted(count, noun) {
  return count === 1 ? `${count} ${noun}` : `${count} ${noun}s`;
}

export function codePoint(char) {
  return char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

export function shorten(text) {
  const start = first(text, SHOWN);
  const cut = start.length < text.length ? `${start}…` : text;
  const mark = cut.includes('"') && !cut.includes("'") ? "'" : '"';
  const spelled = cut.replace(new RegExp(INVISIBLE, "gu"), (char) => `\\u${codePoint(char).toLowerCase()}`);
  return `${mark}${spelled}${mark}`;
}

export function firstInvisible(text) {
  const found = INVISIBLE.exec(text);
  return found && `U+${codePoint(found[0])}`;
}

export function decodeLines(bytes, problems) {
  const refusal = wholeFile(bytes);
  if (refusal) {
    problems.add(null, ...refusal);
    return [];
  }
  return splitLines(withoutMark(bytes)).map((raw, index) => decode(raw, index + 1, problems));
}

// Every line as it is shown beside a bad one: what is no text is replaced, and a byte order mark stays.
export function shownLines(bytes) {
  return splitLines(bytes).map((raw) => UTF8.decode(raw));
}

export function dropBlankEnd(lines) {
  let n = lines.length;
  while (n && lines[n - 1] !== null && !strip(lines[n - 1])) n -= 1;
  return n;
}

export function noteBlank(problems, number, contentEnd, need, text) {
  if (number > contentEnd) problems.add(number, "blank_last_line", "blank line at the end; remove it", text);
  else problems.add(number, "empty_line", `empty line; ${need}`, text);
}

// At LF, CR LF and CR only, as bytes.splitlines does.
function splitLines(bytes) {
  const lines = [];
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== 0x0a && bytes[at] !== 0x0d) continue;
    lines.push(bytes.subarray(start, at));
    if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 1;
    start = at + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

function withoutMark(bytes) {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function wholeFile(bytes) {
  if (withoutMark(bytes).every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))) {
    const fact = bytes.length ? "has nothing but blank lines" : "is empty";
    return ["empty_file", `the file ${fact}; is it the right one?`];
  }
  return explainForeign(bytes);
}

function decode(raw, number, problems) {
  const at = firstBroken(raw);
  const text = UTF8.decode(raw);
  if (at >= 0) {
    const byte = raw[at].toString(16).toUpperCase().padStart(2, "0");
    const place = `byte 0x${byte} at column ${at + 1}${meant(raw[at])}`;
    problems.add(number, "not_utf8", `${place} is not UTF-8; save the file as UTF-8`, text);
    return null;
  }
  if (text.includes("\0")) {
    problems.add(number, "nul", "the line has a NUL byte; write plain text", text);
    return null;
  }
  if (number === 1 && SEPARATOR_LINE.test(text)) {
    problems.add(1, SEPARATOR_CODE, "this line is one that Excel adds for itself; remove it", text);
    return null;
  }
  return text;
}

function meant(byte) {
  const char = WINDOWS.decode(Uint8Array.of(byte));
  return /[\x7f-\xa0\xad]/.test(char) ? "" : ` (${char} in Windows-1252)`;
}

// Where the first sequence begins that is not UTF-8 (Unicode 15, table 3-7); -1 if there is none.
function firstBroken(raw) {
  for (let at = 0; at < raw.length; ) {
    const lead = raw[at];
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const length = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
    if (!length || at + length > raw.length) return at;
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (raw[at + 1] < low || raw[at + 1] > high) return at;
    for (let next = 2; next < length; next += 1) if (raw[at + next] >> 6 !== 2) return at;
    at += length;
  }
  return -1;
}
