// Names of files: as the site cleans them (server/forms/submissions.py), and the level that one speaks of
// (server/domain/run_names.py).
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

export function isPrintable(char) {
  return char === " " || !UNPRINTABLE.test(char);
}

export function cleanFilename(name) {
  const last = name.split(/[/\\]/).pop();
  const printable = Array.from(last).filter(isPrintable).join("").trim();
  return Array.from(printable).slice(-200).join("") || "file";
}

// The slugs that a file's name holds: its own beginning alone, or wherever a longer slug does not stand.
export function levelsOf(name, slugs) {
  const lower = name.toLowerCase();
  const stem = lower.split(".")[0];
  if (slugs.includes(stem)) return [stem];
  const found = new Set();
  let rest = lower;
  for (const slug of [...slugs].sort((one, other) => other.length - one.length)) {
    if (!rest.includes(slug)) continue;
    found.add(slug);
    rest = rest.replaceAll(slug, "\n");
  }
  return slugs.filter((slug) => found.has(slug));
}
