// What counts as a number, and a sentence for each way of not being one: scorer/_numbers.py for the browser.
import { BLANKS, codePoint, firstInvisible, shorten, strip } from "./text.js";

const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
// Python's IGNORECASE takes the Turkish letters for an i, too.
const NOTHING = /^(?:[+-]?(?:nan|[iıİ]nf(?:[iıİ]n[iıİ]ty)?)|null|none|n\/?a|-|\?)$/i;
const PLAIN = "(?:[+-]?[0-9]+(?:\\.[0-9]*)?|[+-]?\\.[0-9]+)";
const SEPARATED = new RegExp(`^${PLAIN}(?:[ \\v\\f]+|[ ]*;[ ]*|,[ ]+)${PLAIN}$`);
const COMMA_COLUMNS = /^(?:[+-]?[0-9]*\.[0-9]+,[+-]?[0-9]*\.?[0-9]+|[+-]?[0-9]+,[0-9]*\.[0-9]+)$/;
const DECIMAL_COMMA = /^[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?$/;
const UNDERSCORE = /^[+-]?[0-9][0-9_.]*_[0-9_.]*$/;
const SUFFIX = /^([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdDlLjJ]$/;
const HEXADECIMAL = /^[+-]?0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?$/;
const QUOTES = "\"'`´‘’‚“”„«»";
const MINUSES = "−–—‐‑‒";
const LONGEST_SAMPLE = 30;
const LONGEST_NOTATION = 200;
// What Python calls numeric beside \p{N}: the ideographs that stand for numbers.
const IDEOGRAPHS = [
  String.raw`\u3405\u3483\u382a\u3b4d\u4e00\u4e03\u4e07\u4e09\u4e5d\u4e8c\u4e94\u4e96\u4ebf\u4ec0\u4edf\u4ee8`,
  String.raw`\u4f0d\u4f70\u5104\u5146\u5169\u516b\u516d\u5341\u5343-\u5345\u534c\u53c1-\u53c4\u56db\u58f1\u58f9`,
  String.raw`\u5e7a\u5efe\u5eff\u5f0c-\u5f0e\u5f10\u62fe\u634c\u67d2\u6f06\u7396\u767e\u8086\u842c\u8cae\u8cb3`,
  String.raw`\u8d30\u9621\u9646\u964c\u9678\u96f6\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd\u{20001}\u{20064}`,
  String.raw`\u{200e2}\u{20121}\u{2092a}\u{20983}\u{2098c}\u{2099c}\u{20aea}\u{20afd}\u{20b19}\u{22390}\u{22998}`,
  String.raw`\u{23b1b}\u{2626d}\u{2f890}`,
].join("");
const NUMERIC = new RegExp(`(?![0-9])[\\p{N}${IDEOGRAPHS}]`, "u");

export function readNumber(text) {
  if (!NUMBER.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

// A number as Python's repr writes it, and a whole one without its ".0".
export function numberWords(value) {
  const [digits, exponent] = Math.abs(value).toExponential().split("e");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const e = Number(exponent);
  if (e >= -4 && e < 16) {
    const all = digits.replace(".", "");
    if (e < 0) return `${sign}0.${"0".repeat(-e - 1)}${all}`;
    const whole = all.slice(0, e + 1).padEnd(e + 1, "0"), rest = all.slice(e + 1);
    return sign + (rest ? `${whole}.${rest}` : whole);
  }
  return `${sign}${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
}

// Code and sentence of why a text is not a number.
export function explain(text, what, wanted) {
  if (!text) return ["missing", `there is no ${what}; ${wanted}`];
  const long = text.length > LONGEST_NOTATION && Array.from(text).length > LONGEST_NOTATION;
  const rules = long
    ? [explainNothing, explainCharacters]
    : [explainNothing, explainNotation, explainCharacters, explainColumns];
  for (const rule of rules) {
    const found = rule(text, what, wanted);
    if (found) return [found[0], `${what} ${shorten(text)} ${found[1]}`];
  }
  return ["not_a_number", `${what} ${shorten(text)} is not a number; ${wanted}`];
}

function explainNothing(text, what, wanted) {
  if (NUMBER.test(text)) return ["not_finite", `is too large, not finite; ${wanted}`];
  if (NOTHING.test(text)) return ["no_number", `is not a number, and every item needs a ${what}; ${wanted}`];
  if (/^(?:#|\/\/|%)/.test(text)) return ["comment", "is a comment; remove the line"];
  return null;
}

function explainNotation(text, what, wanted) {
  if (text.endsWith("%")) return ["percent_sign", `has a percent sign; ${wanted}`];
  if (DECIMAL_COMMA.test(text)) {
    return ["decimal_comma", `has a decimal comma; write ${sample(text.replaceAll(",", "."), what)}`];
  }
  if (UNDERSCORE.test(text)) return ["underscore", `has an underscore; write ${sample(text.replaceAll("_", ""), what)}`];
  const suffixed = SUFFIX.exec(text);
  if (suffixed) return ["literal", `has a letter at its end; write ${sample(suffixed[1], what)}`];
  if (HEXADECIMAL.test(text)) return ["literal", `is hexadecimal; ${wanted}`];
  return null;
}

function explainCharacters(text, what, wanted) {
  if (QUOTES.includes(text[0]) || QUOTES.includes(text[text.length - 1])) {
    return ["quotes", `is in quotes; write ${sample(strip(text, QUOTES + BLANKS), what)}`];
  }
  const hidden = firstInvisible(text);
  if (hidden) return ["invisible_character", `has an invisible character, ${hidden}; remove it`];
  if (MINUSES.includes(text[0])) {
    return ["other_minus", `starts with U+${codePoint(text)}; write the minus as a hyphen, -`];
  }
  if (NUMERIC.test(text)) return ["other_digits", `has digits other than 0 to 9; ${wanted} in ASCII digits`];
  return null;
}

function explainColumns(text, what, wanted) {
  if (what === "score" && (SEPARATED.test(text) || COMMA_COLUMNS.test(text))) {
    return ["no_tab", "looks like two columns; put one tab between score and confidence"];
  }
  if (text.includes(",") && NUMBER.test(text.replaceAll(",", ""))) return ["comma", `has a comma; ${wanted} without it`];
  return null;
}

function sample(text, what) {
  const good = text.length <= LONGEST_SAMPLE && readNumber(text) !== null;
  return good ? text : `the ${what} as a plain number`;
}
