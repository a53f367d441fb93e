// Names of files: as the site cleans them (server/forms/submissions.py), and the level that one speaks of
// (scorer/run_names.py).
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

export function isPrintable(char) {
  return char === " " || !UNPRINTABLE.test(char);
}

export function cleanFilename(name) {
  const last = name.split(/[/\\]/).pop();
  const printable = Array.from(last).filter(isPrintable).join("").trim();
  return Array.from(printable).slice(-200).join("") || "file";
}

// The slugs that a file's name holds, in the order of the levels.
export function levelsOf(name, slugs) {
  const path = name.replaceAll("\\", "/").toLowerCase();
  const found = named(path.split("/").pop(), slugs);
  return found.length ? found : named(path, slugs);
}

function named(name, slugs) {
  const stem = name.split(".")[0];
  const alone = slugs.filter((slug) => slug.toLowerCase() === stem);
  if (alone.length) return alone;
  const lower = slugs.map((slug) => slug.toLowerCase());
  return slugs.filter((slug) => standsIn(name, slug.toLowerCase(), lower));
}

// Whether a slug stands in a name, and not only within a longer one.
function standsIn(name, slug, slugs) {
  const longer = slugs.filter((each) => each.length > slug.length);
  const over = longer.flatMap((each) => places(each, slug).map((before) => [each, before]));
  return places(name, slug).some(
    (at) => !over.some(([each, before]) => at >= before && name.startsWith(each, at - before)),
  );
}

function places(text, part) {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(part, at));
}
