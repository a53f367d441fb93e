// Uploading: files are dropped or chosen, the site checks them at once, and they are sent with a progress bar while
// the page stays. Without this script the form does what forms do, and its second button asks for the check.
import { isResult, putInPlace, renewToken, send, wordsOf } from "./sending.js";

let current = null;

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

class Upload {
  constructor(form) {
    this.form = form;
    this.words = JSON.parse(document.getElementById("words").textContent);
    this.input = form.querySelector("input[type=file]");
    this.button = form.querySelector("button[type=submit]");
    this.findings = document.getElementById("findings");
    this.status = make("div", { role: "status", class: "checking" });
    this.input.closest(".field").after(this.status);
    this.input.before(make("p", { class: "hint" }, this.input.multiple ? this.words.drop_many : this.words.drop));
    this.input.closest(".field").classList.add("drop");
    form.querySelector("button[formaction]")?.remove(); // what is chosen is checked at once
    this.files = [];
    this.input.addEventListener("click", () => { this.input.value = ""; });
    this.input.addEventListener("change", () => this.take([...this.input.files]));
    form.addEventListener("submit", (event) => this.submit(event));
  }

  drop(files) {
    if (files.length > 1 && !this.input.multiple) {
      const link = this.form.dataset.wholeRun;
      const other = link ? [" ", make("a", { href: link }, this.words.whole_run)] : [];
      this.say("bad", this.words.one_file, ...other);
      return;
    }
    this.input.files = files;
    this.take([...files]);
  }

  // The files as they are now, so that the check and the upload send the same bytes.
  async take(files) {
    if (!files.length) return;
    this.files = [];
    this.findings?.replaceChildren();
    document.querySelectorAll("main [data-rejection]").forEach((rejection) => rejection.remove());
    const limit = Number(this.form.dataset.limit) || Infinity;
    if (files.reduce((sum, file) => sum + file.size, 0) > limit) {
      this.say("bad", this.words.too_large);
      return;
    }
    const taken = this.taken = [];
    try {
      for (const file of files) taken.push([new Blob([await file.arrayBuffer()]), file.name]);
    } catch {
      this.say("bad", this.words.unreadable);
      return;
    }
    if (this.taken !== taken) return;
    this.files = taken;
    this.status.replaceChildren();
    if (this.form.dataset.check) this.check(taken);
  }

  async check(taken) {
    const note = this.progress(this.words.checking, this.words.checking);
    try {
      await this.renewed();
      const answer = await send(this.form.dataset.check, this.fields(), note);
      if (this.taken !== taken || this.sending) return;
      const findings = answer.document?.getElementById("findings");
      if (!findings?.childElementCount) {
        this.fail(answer, this.form.dataset.check);
        return;
      }
      this.findings.replaceChildren(...document.adoptNode(findings).childNodes);
      const title = this.findings.querySelector("h2").textContent;
      this.status.replaceChildren(make("p", { class: "sr-only" }, title));
    } catch {
      if (this.taken === taken && !this.sending) this.complain(this.words.unchecked);
    }
  }

  async submit(event) {
    if (!this.files.length) return;
    event.preventDefault();
    if (this.sending) return;
    this.sending = this.button.disabled = true;
    const note = this.progress(this.words.sending, this.words.scoring);
    try {
      await this.renewed();
      const answer = await send(this.form.action, this.fields(), note);
      if (isResult(answer, this.form)) start(putInPlace(answer));
      else this.fail(answer, this.form.action);
    } catch {
      this.complain(this.words.broken);
    }
  }

  // A CSRF token is no longer valid once the person has signed in again.
  async renewed() {
    if (this.failed) await renewToken(this.form);
  }

  fields() {
    const fields = new FormData(this.form);
    fields.delete(this.input.name);
    for (const [bytes, name] of this.files) fields.append(this.input.name, bytes, name);
    return fields;
  }

  // A bar that says how far the sending is, and then what the site does.
  progress(sending, then) {
    const bar = make("progress", { max: "100", value: "0", "aria-label": sending });
    const far = make("span", {}, sending);
    this.say("", make("p", {}, far), bar);
    return (percent) => {
      bar.value = percent;
      far.textContent = percent < 100 ? sending : then;
    };
  }

  fail(answer, address) {
    const elsewhere = answer.url.pathname !== new URL(address, location.href).pathname;
    const signedOut = elsewhere || answer.document?.querySelector("[data-signed-out]");
    this.complain(signedOut ? this.words.signed_out : this.words.answered.replace("{words}", wordsOf(answer)));
  }

  complain(words) {
    const wasSending = this.sending;
    this.sending = this.button.disabled = false;
    this.failed = true;
    this.say("bad", make("p", {}, words), ...(wasSending ? [make("p", {}, this.words.kept)] : []));
    if (wasSending) this.button.focus();
  }

  say(kind, ...parts) {
    this.status.replaceChildren(make("div", { class: `note ${kind}` }, ...parts));
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
