// Files that are no UTF-8 text at all: scorer/_foreign.py for the browser.
const UNPACK = "unpack it first";
const EXPORT = "export it as plain text";
const KINDS = [
  ["\x1f\x8b", "a gzip archive", UNPACK],
  ["PK\x05\x06", "an empty zip archive", "is it the right one?"],
  ["BZh", "a bzip2 archive", UNPACK],
  ["\xfd7zXZ\x00", "an xz archive", UNPACK],
  ["\x28\xb5\x2f\xfd", "a zstandard archive", UNPACK],
  ["7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK],
  ["Rar!\x1a\x07", "a rar archive", UNPACK],
  ["\xd0\xcf\x11\xe0", "an Office document", EXPORT],
  ["%PDF-", "a PDF document", EXPORT],
  ["{\\rtf", "a rich text document", "save it as plain text"],
  ["\x93NUMPY", "a NumPy array", "write it out as text, one value a line"],
  ["SQLite format 3\x00", "an SQLite database", EXPORT],
  ["\x89PNG", "a picture", "is it the right file?"],
  ["\xff\xd8\xff", "a picture", "is it the right file?"],
];
const ZIP = "PK\x03\x04";
const TABLE = "save it as tab-separated text in UTF-8";
const PLAIN = "save it as plain text in UTF-8";
const INSIDE = [
  ["xl/", "an Excel workbook", TABLE],
  ["opendocument.spreadsheet", "an OpenDocument spreadsheet", TABLE],
  ["word/", "a Word document", PLAIN],
  ["opendocument.text", "an OpenDocument text", PLAIN],
];
const HTML = /^[ \t\n\r\f\v]*<(?:!doctype html|html)[ \t\n\r\f\v>]/i;
const WIDE_MARKS = [
  ["\xff\xfe\x00\x00", "UTF-32"],
  ["\x00\x00\xfe\xff", "UTF-32"],
  ["\xff\xfe", "UTF-16"],
  ["\xfe\xff", "UTF-16"],
];
const SAMPLE = 2000;
const TINY = 100;

// Code and sentence of what a file is if it is no text in UTF-8 or a like encoding; else null.
export function explainForeign(bytes) {
  const sample = bytes.subarray(0, SAMPLE);
  const text = String.fromCharCode(...sample);
  if (text.startsWith(ZIP)) return explainZip(bytes);
  for (const [magic, name, mend] of KINDS) {
    if (text.startsWith(magic)) return ["packed_file", `this is ${name}; ${mend}`];
  }
  if (HTML.test(text)) {
    return ["web_page", "this is a web page; download the file itself, not the page that shows it"];
  }
  const wide = wideName(text, sample);
  if (wide) return ["utf16", `this is ${wide}; save it as UTF-8`];
  if (zeros(sample, 0, 1) * (sample.length > TINY ? 10 : 3) > sample.length) {
    return ["binary_file", `this is no text; ${EXPORT} in UTF-8`];
  }
  return null;
}

function explainZip(bytes) {
  const all = new TextDecoder("latin1").decode(bytes);
  for (const [mark, name, mend] of INSIDE) {
    if (all.includes(mark)) return ["packed_file", `this is ${name}; ${mend}`];
  }
  return ["packed_file", `this is a zip archive; ${UNPACK}`];
}

function wideName(text, sample) {
  for (const [mark, name] of WIDE_MARKS) if (text.startsWith(mark)) return name;
  const whole = sample.length >= 4 ? sample.subarray(0, Math.floor(sample.length / 4) * 4) : sample;
  const often = [0, 1, 2, 3].map((place) => (zeros(whole, place, 4) * 8 > whole.length ? "1" : "0")).join("");
  if (often === "0111" || often === "1110") return "UTF-32";
  return often === "0101" || often === "1010" ? "UTF-16" : null;
}

function zeros(bytes, start, step) {
  let count = 0;
  for (let at = start; at < bytes.length; at += step) count += bytes[at] === 0;
  return count;
}
