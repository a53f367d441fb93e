// Annotators' pages: number keys, a slider, drafts, retries, and how long a page was in front.
// Without this file the forms work all the same.
"use strict";

(() => {
  const RETRY_SECONDS = 60; // the longest pause between two tries
  const KEYS_AFTER = 250; // milliseconds: the second press of a double press is not meant for the next page
  const stored = (storage, name, value) => {
    try { // a browser may forbid storage
      if (value === undefined) return window[storage].getItem(name);
      if (value === null) window[storage].removeItem(name);
      else window[storage].setItem(name, value);
    } catch { /* then nothing is remembered */ }
    return null;
  };

  const choice = document.querySelector("[data-keys-choice]");
  if (choice) {
    const box = choice.querySelector("input");
    choice.hidden = false;
    box.checked = stored("localStorage", "assay-keys") !== "off";
    box.addEventListener("change", () => stored("localStorage", "assay-keys", box.checked ? null : "off"));
  }
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // an old page would send an old ticket
  });
  (document.querySelector("[data-problems]") ?? document.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });

  const keysOn = stored("localStorage", "assay-keys") !== "off";
  const previous = document.querySelector("[data-previous]");
  const form = document.querySelector("form[data-annotate]");
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
      const button = form.querySelector("button:not([name]), button[aria-current]");
      if (button) form.requestSubmit(button); // an answer that is there already is sent again, to go on
    }
  });
  if (!form) return;

  const radios = [...form.querySelectorAll("input[type=radio]")];
  const choices = [...form.querySelectorAll("input[type=radio], input[type=checkbox]")];
  const draftName = `assay-answer ${location.pathname}`;
  const fields = () => [form.elements.comment, form.elements.reason].filter(Boolean);
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
  const note = (kind) => { form.elements.input.value = kind; };
  document.addEventListener("keydown", () => note("key"), true);
  document.addEventListener("pointerdown", (event) => note(event.pointerType === "touch" ? "touch" : "pointer"), true);

  // A slider over the radio buttons of a scale, without a thumb until something is chosen.
  const points = radios.filter((radio) => radio.name === "value" && radio.value !== "cannot");
  if (points.length) {
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: points.length - 1, step: 1, tabIndex: -1 });
    slider.setAttribute("aria-hidden", "true"); // the radio buttons are there for keyboards and screen readers
    const show = () => {
      const place = points.findIndex((radio) => radio.checked);
      slider.classList.toggle("untouched", place < 0);
      if (place >= 0) slider.value = place;
    };
    const choose = () => {
      points[slider.value].click();
      show();
    };
    slider.addEventListener("input", choose);
    slider.addEventListener("click", choose); // also where it stood
    form.addEventListener("change", (event) => { if (event.target !== slider) show(); });
    form.querySelector(".radios").before(slider);
    show();
  }

  // What was entered is kept until it is saved.
  const draft = stored("sessionStorage", draftName);
  if (draft) {
    const { chosen, texts } = JSON.parse(draft);
    const waiting = choices.filter((one) => chosen[one.name] === one.value && !one.checked);
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
    const checked = choices.filter((one) => one.checked);
    const chosen = Object.fromEntries(checked.map((one) => [one.name, one.value]));
    stored("sessionStorage", draftName, JSON.stringify({ chosen, texts }));
  });

  // Send the form, again and again until the server has it; it stores each answer once.
  let pending = null;
  let timer = 0;
  const fallBack = (submitted) => {
    for (const [name, value] of submitted) {
      if (form.elements[name]?.type === "submit" || form.elements[name]?.[0]?.type === "submit") {
        const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
        form.append(field); // the pressed button, which `submit` leaves out
      }
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
