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
  const found = new Set();
  const lower = [...new Set(slugs.map((slug) => slug.toLowerCase()))];
  for (const slug of lower.sort((one, other) => other.length - one.length)) {
    if (!name.includes(slug)) continue;
    found.add(slug);
    name = name.replaceAll(slug, "\n");
  }
  return slugs.filter((slug) => found.has(slug.toLowerCase()));
}
