// Annotators' pages: number keys, a ruler, drafts, retries, a code to copy, and how long a page was in front.
// Without this file the forms work all the same.
"use strict";

(() => {
  const RETRY_SECONDS = 60; // the longest pause between two tries
  const PRESS_ANSWERS = 24; // pixels: where steps of a ruler are so far apart, a press on it answers
  const KEYS_AFTER = 250; // milliseconds: the second press of a double press is not meant for the next page
  const stored = (storage, name, value) => {
    try { // a browser may forbid storage
      if (value === undefined) return window[storage].getItem(name);
      if (value === null) window[storage].removeItem(name);
      else window[storage].setItem(name, value);
    } catch { /* then nothing is remembered */ }
    return null;
  };

  // Draw a horizontal ruler for the radio buttons of a long scale, which stay for keyboards and screen readers.
  const drawRuler = (form, radios) => {
    const last = radios.length - 1;
    const values = radios.map((radio) => Number(radio.value));
    const labels = radios.map((radio) => radio.parentElement.querySelector(".label"));
    const apart = [1, 5, 10, 20, 50].find((step) => (values[last] - values[0]) / step <= 10);
    const majors = values.map((value, place) => place === 0 || place === last || labels[place] || value % apart === 0);
    const add = (parent, name, text = "") => {
      const element = document.createElement(name);
      element.textContent = text;
      parent.append(element);
      return element;
    };
    const ruler = add(form.querySelector(".long"), "div");
    ruler.className = "ruler";
    ruler.setAttribute("aria-hidden", "true");
    const track = add(ruler, "div");
    track.className = "track";
    const pointer = add(track, "b");
    const shown = add(track, "output");
    const words = add(ruler, "div");
    words.className = "words";
    const center = (place) => 10 + (80 * place) / last; // percent of the ruler: the track has margins
    const write = (places, describe) => places.forEach((place, index) => {
      const before = index ? (center(place) - center(places[index - 1])) / 2 : 10;
      const after = index < places.length - 1 ? (center(places[index + 1]) - center(place)) / 2 : 10;
      const half = Math.min(before, after, 10);
      const word = add(words, "span");
      word.style.cssText = `margin-left: ${center(place) - half}%; width: ${2 * half}%`;
      word.append(describe(place));
    });
    for (const place of values.keys()) {
      const tick = add(track, "i");
      tick.style.left = `${(100 * place) / last}%`;
      tick.classList.toggle("major", Boolean(majors[place]));
    }
    const places = [...values.keys()];
    write(places.filter((place) => majors[place]), (place) => radios[place].value);
    write(places.filter((place) => labels[place]), (place) => labels[place].cloneNode(true));

    const [less, next, more] = form.querySelectorAll(".sending [data-step], .sending [type=submit]:not([name])");
    const chosen = () => radios.findIndex((radio) => radio.checked);
    const show = (place) => {
      pointer.hidden = shown.hidden = place < 0;
      pointer.style.left = shown.style.left = `${(100 * place) / last}%`;
      shown.textContent = radios[place]?.value;
      less.disabled = more.disabled = place < 0;
    };
    const choose = (place) => {
      radios[place].focus({ preventScroll: true });
      radios[place].click();
      show(place);
    };
    const move = (step) => choose(Math.max(0, Math.min(last, chosen() + step)));
    const placeOf = (event) => {
      const { left, width } = track.getBoundingClientRect();
      return Math.max(0, Math.min(last, Math.round((last * (event.clientX - left)) / width)));
    };
    const pressAnswers = () => !form.dataset.waits && track.clientWidth / last >= PRESS_ANSWERS;
    const fit = () => { less.hidden = more.hidden = pressAnswers(); };
    ruler.addEventListener("pointerdown", (event) => {
      ruler.setPointerCapture(event.pointerId);
      show(placeOf(event));
    });
    ruler.addEventListener("pointermove", (event) => show(placeOf(event)));
    ruler.addEventListener("pointerleave", () => show(chosen()));
    ruler.addEventListener("pointercancel", () => show(chosen()));
    ruler.addEventListener("click", (event) => {
      choose(placeOf(event));
      if (pressAnswers()) form.requestSubmit(next);
    });
    less.addEventListener("click", () => move(-1));
    more.addEventListener("click", () => move(1));
    form.querySelector(".long").addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!step) return;
      event.preventDefault(); // by itself, the browser would go on from the last point to the first one
      move(step);
    });
    form.addEventListener("change", () => show(chosen()));
    addEventListener("resize", fit);
    form.querySelector(".answering").classList.add("pinned");
    fit();
    show(chosen());
  };

  // A field for a text of one line: Enter sends it, its words are counted, and a paste is noted.
  const takeText = (field, isReady, note) => {
    const wanted = document.getElementById("words");
    const count = () => {
      const number = field.value.split(/\s+/).filter(Boolean).length;
      wanted.querySelector("b").textContent = number;
      wanted.classList.toggle("off", number > 0 && (number < wanted.dataset.least || number > wanted.dataset.most));
    };
    if (wanted) {
      wanted.querySelector("[hidden]").hidden = false;
      field.addEventListener("input", count);
      count();
    }
    field.selectionStart = field.value.length;
    field.addEventListener("paste", () => note("paste"));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      if (isReady() && !event.repeat) field.form.requestSubmit(); // no double press sends a text that was asked about
    });
  };

  const form = document.querySelector("form[data-annotate]");
  const choice = document.querySelector("[data-keys-choice]");
  if (choice) {
    const box = choice.querySelector("input");
    choice.hidden = false;
    box.checked = stored("localStorage", "assay-keys") !== "off";
    box.addEventListener("change", () => stored("localStorage", "assay-keys", box.checked ? null : "off"));
  }
  for (const time of document.querySelectorAll("body.annotate time")) { // in the browser's zone, where it has another time
    if (Number(new Date(time.dateTime.slice(0, 19))) === Date.parse(time.dateTime)) continue;
    const local = new Date(time.dateTime).toLocaleString(document.documentElement.lang,
      { dateStyle: "medium", timeStyle: "short" });
    time.append(` (${local})`);
  }
  for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.nextElementSibling.textContent = button.dataset.copied;
    });
  }
  if (form && !form.querySelector(".choosing") && matchMedia("(min-width: 80rem)").matches) document.querySelector(".guide")?.setAttribute("open", "");
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // an old page would send an old ticket
  });
  if (!document.querySelector("[autofocus]")) {
    (document.querySelector("[data-problems]") ?? document.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });
  }

  const keysOn = stored("localStorage", "assay-keys") !== "off";
  const previous = document.querySelector("[data-previous]");
  let ready = false;
  setTimeout(() => {
    ready = true;
    for (const element of document.querySelectorAll("[data-keys-hint], form kbd")) element.hidden = !keysOn;
  }, KEYS_AFTER);
  document.addEventListener("keydown", (event) => {
    const other = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("textarea");
    if (!keysOn || !ready || other) return;
    // A Czech keyboard gives digits of the top row with Shift only: then the place of the key decides.
    const digit = event.code.match(/^Digit([0-9])$/)?.[1];
    const find = (key) => key && form?.querySelector(`[data-key="${CSS.escape(key)}"]`);
    const answer = find(event.key) ?? find(digit);
    if (answer) {
      event.preventDefault();
      answer.focus();
      answer.click();
    } else if (event.key === "u") {
      previous?.click();
    } else if (event.key === "Enter" && form && !event.target.closest("a, button, input, summary")) {
      const button = form.querySelector("[type=submit]:not([name]), button[aria-current]");
      if (button) form.requestSubmit(button); // an answer that is there already is sent again, to go on
    }
  });
  if (!form) return;

  const radios = [...form.querySelectorAll("input[type=radio]")];
  const draftName = `assay-answer ${location.pathname}`;
  const fields = () => [...form.querySelectorAll("textarea")];
  const status = form.querySelector(".saving");

  // How long the page was in front, and what was used last.
  const inFront = () => document.visibilityState === "visible" && document.hasFocus();
  let since = inFront() ? performance.now() : null;
  let visible = 0;
  const measure = () => {
    const now = performance.now();
    if (since !== null) visible += now - since;
    since = inFront() ? now : null;
  };
  document.addEventListener("visibilitychange", measure);
  addEventListener("focus", measure);
  addEventListener("blur", measure);
  const note = (kind) => { // that a text was pasted stays noted
    if (form.elements.input.value !== "paste") form.elements.input.value = kind;
  };
  document.addEventListener("keydown", () => note("key"), true);
  document.addEventListener("pointerdown", (event) => note(event.pointerType === "touch" ? "touch" : "pointer"), true);

  if (form.querySelector(".long")) drawRuler(form, radios.filter((radio) => radio.name === "value"));
  form.addEventListener("change", ({ target }) => { // no text is both the best and the worst one
    const same = radios.find((radio) => radio.checked && radio.name !== target.name && radio.value === target.value && form.elements.best);
    if (same && target.checked) same.checked = false;
  });

  // What was entered is kept until it is saved.
  const draft = stored("sessionStorage", draftName);
  if (draft) {
    const { chosen, texts } = JSON.parse(draft);
    const waiting = radios.filter((one) => chosen[one.name] === one.value && !one.checked);
    let changed = waiting.length > 0;
    waiting.forEach((one) => one.click());
    fields().forEach((field) => {
      if (texts[field.name] && texts[field.name] !== field.value) {
        field.value = texts[field.name];
        changed = true;
      }
    });
    if (changed) status.textContent = status.dataset.restored;
  }
  form.addEventListener("input", () => {
    const texts = Object.fromEntries(fields().map((field) => [field.name, field.value]));
    const checked = radios.filter((one) => one.checked);
    const chosen = Object.fromEntries(checked.map((one) => [one.name, one.value]));
    stored("sessionStorage", draftName, JSON.stringify({ chosen, texts }));
  });

  if (form.elements.written) takeText(form.elements.written, () => ready, note);

  // Send the form, again and again until the server has it; it stores each answer once.
  let pending = null;
  let timer = 0;
  const fallBack = (submitted) => {
    for (const element of form.elements) element.disabled = true;
    for (const [name, value] of submitted) { // with the pressed button, which `submit` leaves out
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    form.submit();
  };
  const post = async (submitted) => {
    const response = await fetch(form.action, {
      method: "POST", body: new URLSearchParams(submitted), headers: { Accept: "application/json" },
    });
    if (response.ok) return (await response.json()).location;
    if (response.status >= 500 || response.status === 429) throw new Error("unavailable");
    return null;
  };
  const send = async (seconds) => {
    const submitted = pending;
    clearTimeout(timer);
    try {
      const address = await post(submitted);
      if (pending !== submitted) return; // another answer was given meanwhile, and is being sent
      pending = null;
      if (address === null) {
        fallBack(submitted); // the page that comes says what is wrong
      } else {
        stored("sessionStorage", draftName, null);
        location.assign(address);
      }
    } catch {
      if (pending !== submitted) return;
      status.textContent = status.dataset.unsaved;
      timer = setTimeout(() => send(Math.min(2 * seconds, RETRY_SECONDS)), 1000 * seconds);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    measure();
    form.elements.visible_ms.value = Math.round(visible);
    pending = new FormData(form);
    if (event.submitter?.name) {
      pending.set(event.submitter.name, event.submitter.value);
      for (const button of form.querySelectorAll("button.point")) { // on a slow line it shows what was pressed
        button.classList.toggle("second", button !== event.submitter);
      }
    }
    send(1);
  });
  addEventListener("online", () => { if (pending) send(1); });
  addEventListener("beforeunload", (event) => { if (pending) event.preventDefault(); });
})();
