// Files with a header that names their columns and an id in each row: scorer/_keyed.py for the browser.
import { delimiterOf, findColumns, readRows } from "./tables.js";
import { shorten, strip } from "./text.js";

const LISTED = 5;

// The cells of each item that has a good row, in the order of the items.
export function readKeyed(lines, problems, format, ids) {
  if (!lines.length || lines[0] === null) return [];
  const table = readRows(lines, delimiterOf(lines, format.delimiter), problems, "every item needs a row");
  const header = table.next().value;
  if (header === undefined) return [];
  const names = [format.id, format.score, format.confidence].filter((name) => name !== null);
  const places = findColumns(header, names, problems);
  if (places.size < new Set(names).size) return [];
  const wanted = new Set(ids), seen = new Map(), rows = new Map();
  for (const [number, fields] of table) {
    const found = strip(fields[places.get(format.id)] ?? "");
    const fault = faultOf(fields, found, header[1].length, seen, wanted);
    if (found && !seen.has(found)) seen.set(found, number);
    if (fault) {
      problems.add(number, ...fault, lines[number - 1]);
      continue;
    }
    const confidence = format.confidence === null ? "" : strip(fields[places.get(format.confidence)]);
    rows.set(found, [number, strip(fields[places.get(format.score)]), confidence || null]);
  }
  noteMissing(seen, ids, problems);
  return ids.filter((id) => rows.has(id)).map((id) => rows.get(id));
}

function faultOf(fields, found, width, seen, wanted) {
  if (fields.length < width || fields.slice(width).some((field) => strip(field))) {
    const counts = `${fields.length} ${fields.length === 1 ? "column" : "columns"} and the header has ${width}`;
    const point = fields.length > width ? ", and decimals with a point" : "";
    return ["wrong_columns", `${counts}; write one field for each column${point}`];
  }
  if (!found) return ["missing_id", "the row has no id; write the id of its item"];
  if (seen.has(found)) {
    const message = `item ${shorten(found)} has a row already, on line ${seen.get(found)}; keep one of them`;
    return ["duplicate_id", message];
  }
  if (!wanted.has(found)) {
    const whole = found.endsWith(".0") ? found.slice(0, -2) : found;
    const mend = wanted.has(whole) ? `did you mean ${shorten(whole)}?` : "use the ids of the items";
    return ["unknown_id", `there is no item ${shorten(found)}; ${mend}`];
  }
  return null;
}

function noteMissing(seen, ids, problems) {
  const missing = ids.filter((id) => !seen.has(id));
  if (!missing.length) return;
  const listed = missing.slice(0, LISTED).map(shorten).join(", ");
  const more = missing.length > LISTED ? ` and ${missing.length - LISTED} more` : "";
  const have = `${missing.length} of ${ids.length} items ${missing.length === 1 ? "has" : "have"} no row`;
  problems.add(null, "missing_ids", `${have}: ${listed}${more}; write one row for each item`);
}
