// Uploading: files are dropped or chosen, checked at once, sent with their progress, and the result comes without a
// reload. Without this file the form does what forms do. The check is a courtesy: what was found can be sent anyway.
import { checkRun } from "./check/run.js";
import { cleanFilename, levelsOf } from "./upload/names.js";
import { isResult, putInPlace, renewToken, send, wordsOf } from "./upload/sending.js";
import { counted, fill, make, problemList, warningList } from "./upload/showing.js";

let current = null;

class Upload {
  constructor(form) {
    this.form = form;
    ({ checks: this.checks, words: this.words, names: this.named } =
      JSON.parse(document.getElementById(form.dataset.upload).textContent));
    this.input = form.querySelector("input[type=file]");
    this.target = form.querySelector("select[name=target]");
    this.button = form.querySelector("button[type=submit]");
    this.label = this.button.textContent;
    this.status = make("div", { role: "status", class: "checking" });
    this.findings = make("div", { class: "findings" });
    this.input.closest(".field").after(this.status);
    form.after(this.findings);
    this.input.before(make("p", { class: "hint" }, this.input.multiple ? this.words.drop_many : this.words.drop));
    this.input.closest(".field").classList.add("drop");
    this.entries = [];
    this.input.addEventListener("click", () => { this.input.value = ""; });
    this.input.addEventListener("change", () => this.take([...this.input.files]));
    this.target?.addEventListener("change", () => this.take(this.entries.map((entry) => entry.file)));
    form.addEventListener("submit", (event) => this.submit(event));
  }

  drop(files) {
    if (files.length > 1 && !this.input.multiple) {
      this.taken = this.entries = [];
      this.input.value = "";
      this.show();
      this.say("bad", this.words.one_file, ...this.toWholeRun());
      return;
    }
    this.input.files = files;
    this.take([...files]);
  }

  toWholeRun() {
    const link = this.form.dataset.wholeRun;
    return link ? [" ", make("a", { href: link }, this.words.whole_run)] : [];
  }

  async take(files) {
    if (!files.length) return;
    const taken = this.taken = files.map((file) => ({ file, name: cleanFilename(file.name) }));
    for (const entry of taken) await this.read(entry);
    if (this.taken !== taken) return;
    for (const entry of taken) this.checkTwice(entry, taken);
    if (this.named) taken.sort((one, other) => this.place(one) - this.place(other));
    this.entries = taken;
    document.querySelectorAll("main [data-refusal]").forEach((refusal) => refusal.remove());
    this.show();
  }

  async read(entry) {
    if (this.named && /\.zip$/i.test(entry.name)) {
      entry.zip = true;
      entry.bytes = entry.file;
      return;
    }
    entry.check = this.checkFor(entry);
    if (entry.check && entry.file.size > entry.check.limit) {
      const limit = Math.floor(entry.check.limit / 1000);
      entry.never = fill(this.words.too_large, { level: entry.check.title, limit });
      return;
    }
    try {
      entry.bytes = new Uint8Array(await entry.file.arrayBuffer());
    } catch {
      entry.never = fill(this.words.unreadable, { file: entry.name });
      return;
    }
    if (entry.check) entry.said = checkRun(entry.bytes, entry.check);
  }

  checkFor(entry) {
    if (!this.named) return this.target ? this.checks[this.target.value] : Object.values(this.checks)[0];
    const slugs = this.named, levels = levelsOf(entry.name, slugs);
    const values = { file: entry.name, levels: (levels.length ? levels : slugs).join(", ") };
    if (levels.length === 1) {
      const check = this.checks[levels[0]];
      if (!check.takes) entry.fault = fill(this.words.none_left, { ...values, level: check.title });
      return check;
    }
    entry.fault = fill(levels.length ? this.words.several : this.words.nameless, values);
    return null;
  }

  checkTwice(entry, entries) {
    const same = entries.filter((one) => one.check && one.check === entry.check);
    if (!this.named || same.length < 2) return;
    entry.fault = fill(this.words.twice, { files: same.map((one) => one.name).join(", "), level: entry.check.title });
    entry.said = entry.never = undefined;
  }

  // By the task's levels, then what is for none: as the site lists them (server/services/whole_runs.py).
  place(entry) {
    const at = this.named.findIndex((slug) => this.checks[slug] === entry.check);
    return at < 0 ? this.named.length : at;
  }

  show() {
    this.findings.replaceChildren(...this.entries.flatMap((entry) => this.found(entry)));
    const bad = this.entries.filter((entry) => entry.never || entry.fault || entry.said?.count);
    const never = this.entries.some((entry) => entry.never);
    this.button.disabled = never;
    this.button.classList.toggle("second", bad.length > 0);
    this.button.textContent = bad.length && !never ? this.words.anyway : this.label;
    this.button.hidden = never;
    const lines = this.entries.map((entry) => make("p", {}, ...this.summary(entry)));
    const odd = this.entries.some((entry) => entry.said?.warnings.length);
    this.say(bad.length ? "bad" : odd ? "" : "good", ...lines,
      make("p", { class: "muted" }, bad.length ? this.words.mend : this.words.unsent));
  }

  summary(entry) {
    const level = this.named && entry.check ? ` → ${entry.check.title}` : "";
    return [make("strong", { class: "any" }, entry.name + level), ": ", this.verdict(entry)];
  }

  verdict(entry) {
    if (entry.never || entry.fault) return entry.never ?? entry.fault;
    if (entry.zip) return this.words.zip;
    if (entry.said.notEntered) return this.words.not_entered;
    if (entry.said.count) return counted(this.words.problems, entry.said.count);
    if (entry.said.warnings.length) return counted(this.words.warnings, entry.said.warnings.length);
    return counted(entry.check.keyed ? this.words.good_items : this.words.good_lines, entry.check.n);
  }

  found(entry) {
    const { count = 0, warnings = [] } = entry.said ?? {};
    const title = this.entries.length > 1 ? [make("h2", { class: "any" }, entry.name)] : [];
    if (count) return [...title, ...problemList(entry.said, this.words)];
    if (!warnings.length) return [];
    const note = make("section", { class: "note" }, make("h2", {}, counted(this.words.warnings, warnings.length)),
      make("p", {}, this.words.as_it_is), ...warningList(warnings, this.words));
    return [...title, note];
  }

  say(kind, ...parts) {
    this.status.replaceChildren(make("div", { class: `note ${kind}` }, ...parts));
  }

  async submit(event) {
    if (!this.entries.length) return;
    event.preventDefault();
    if (this.sending) return;
    this.sending = this.button.disabled = true;
    const bar = make("progress", { max: "100", value: "0", "aria-label": this.words.sending });
    const far = make("span", {}, this.words.sending);
    this.say("", make("p", {}, far), bar);
    try {
      if (this.failed) await renewToken(this.form);
      const answer = await send(this.form, this.fields(), (percent) => {
        bar.value = percent;
        far.textContent = percent < 100 ? this.words.sending : this.words.scoring;
      });
      if (isResult(answer, this.form)) {
        start(putInPlace(answer));
        return;
      }
      const signedOut = answer.url.pathname !== new URL(this.form.action).pathname;
      this.fail(signedOut ? this.words.signed_out : fill(this.words.answered, { words: wordsOf(answer) }));
    } catch {
      this.fail(this.words.broken);
    }
  }

  fields() {
    const fields = new FormData(this.form);
    fields.delete(this.input.name);
    for (const entry of this.entries) fields.append(this.input.name, new Blob([entry.bytes]), entry.file.name);
    return fields;
  }

  fail(words) {
    this.sending = this.button.disabled = false;
    this.failed = true;
    this.say("bad", make("p", {}, words), make("p", {}, this.words.kept));
    this.button.focus();
  }
}

function start(place) {
  const form = place.querySelector("form[data-upload]");
  current = form && new Upload(form);
}

// A file that misses its place must not take the page away, and whichever place it finds is the right one.
document.addEventListener("dragover", (event) => {
  if (!current || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  current.form.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) current?.form.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  if (!current || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  current.form.classList.remove("over");
  if (!current.sending) current.drop(event.dataTransfer.files);
});
window.addEventListener("popstate", () => location.reload());
start(document);
