// The page on which annotators choose three sentences of reports: press a sentence, press a point, three times.
// Without this file the radio buttons do it all.
"use strict";

(() => {
  const form = document.querySelector("form[data-annotate]");
  const reports = form?.querySelector(".reports");
  if (!reports) return;
  const LETTERS = "defgijklmopqrstvwxyz"; // keys of sentences; a, b, c choose a slot, h, n and u do other things
  const step = form.querySelector(".step");
  const slots = [...form.querySelectorAll(".slot")];
  const sections = [...reports.querySelectorAll("section")];
  const tabs = [...reports.querySelectorAll(".tabs a")];
  const texts = reports.querySelector(".sentences");
  const lacking = form.querySelector(".lacking");
  const isWide = matchMedia("(min-width: 60rem)");
  const checked = (name) => form.querySelector(`input[name="${name}"]:checked`);
  const nameOf = (slot) => slot.dataset.slot;
  const stored = () => {
    try { return JSON.parse(sessionStorage.getItem(place)) ?? {}; } catch { return {}; }
  };
  const place = `assay-reports ${reports.dataset.reports}`;
  let active = null;
  let shown = 0;

  // Within an incident, the next page begins at the report and the places where this one ended.
  const tops = {};
  const note = () => { tops[shown] = isWide.matches ? texts.scrollTop : scrollY; };
  const scroll = () => {
    if (isWide.matches) texts.scrollTop = tops[shown] ?? 0;
    else if (shown in tops) scrollTo(0, tops[shown]);
  };
  const remember = () => {
    note();
    try { sessionStorage.setItem(place, JSON.stringify({ shown, tops })); } catch { /* it begins at the top */ }
  };

  // Letters choose the sentences from the first one on that is whole in view.
  const label = () => {
    const rows = [...sections[shown].querySelectorAll(".sentence")];
    const top = isWide.matches ? texts.getBoundingClientRect().top : 0;
    const first = Math.max(0, rows.findIndex((row) => row.getBoundingClientRect().top > top - 1));
    for (const [index, row] of rows.entries()) {
      const letter = LETTERS[index - first] ?? "";
      row.querySelector("p").dataset.key = letter;
      row.querySelector("kbd").textContent = letter;
    }
  };

  const show = (number) => {
    shown = number;
    for (const [index, section] of sections.entries()) {
      section.hidden = index !== shown;
      tabs[index].setAttribute("aria-selected", String(index === shown));
      tabs[index].tabIndex = index === shown ? 0 : -1;
      for (const text of section.querySelectorAll(".sentence p")) text.dataset.key = "";
    }
    scroll();
    label();
  };
  const turn = (index) => {
    note();
    show(index);
  };

  const choose = (slot) => {
    active = slot;
    for (const one of slots) {
      one.classList.toggle("active", one === active);
      for (const radio of one.querySelectorAll("input")) radio.dataset.key = one === active && radio.value.length === 1 ? radio.value : "";
    }
  };

  const isDone = (slot) => checked(nameOf(slot)) && checked(`${nameOf(slot)}_rating`);
  const update = () => {
    for (const slot of slots) {
      const sentence = checked(nameOf(slot))?.closest(".sentence");
      const rating = checked(`${nameOf(slot)}_rating`);
      const chosen = slot.querySelector(".chosen");
      chosen.textContent = sentence ? sentence.querySelector("p").textContent : chosen.dataset.empty;
      chosen.classList.toggle("empty", !sentence);
      slot.classList.toggle("done", Boolean(isDone(slot)));
      slot.querySelector(".meaning").textContent = rating?.parentElement.querySelector(".label")?.textContent ?? "";
    }
    for (const sentence of reports.querySelectorAll(".sentence")) {
      sentence.dataset.chosen = [...sentence.querySelectorAll("input:checked")].map((radio) => radio.name).join("");
    }
  };

  form.addEventListener("change", ({ target }) => {
    const slot = slots.find((one) => target.name === nameOf(one) || target.name === `${nameOf(one)}_rating`);
    if (!slot) return;
    if (target.name === nameOf(slot)) { // a sentence is chosen for one of the three only, and a rating is of a sentence
      for (const other of target.closest(".sentence").querySelectorAll("input:checked")) {
        if (other !== target) other.checked = false;
        const rating = checked(`${other.name}_rating`);
        if (rating) rating.checked = false;
      }
    }
    lacking.textContent = "";
    for (const marked of form.querySelectorAll(".missing")) marked.classList.remove("missing");
    update();
    choose(isDone(slot) ? slots.find((one) => !isDone(one)) ?? slot : slot);
  });
  reports.addEventListener("click", (event) => {
    const sentence = event.target.closest(".sentence");
    if (!sentence || event.target.closest("label") || String(getSelection())) return;
    sentence.querySelector(`input[name="${nameOf(active)}"]`).click();
  });
  for (const slot of slots) slot.querySelector(".chosen").addEventListener("click", () => {
    const section = checked(nameOf(slot))?.closest("section");
    choose(slot);
    if (!section) return;
    turn(sections.indexOf(section));
    checked(nameOf(slot)).closest(".sentence").scrollIntoView({ block: "nearest" });
  });
  for (const [index, tab] of tabs.entries()) tab.addEventListener("click", (event) => {
    event.preventDefault();
    turn(index);
  });
  reports.querySelector(".tabs").addEventListener("click", ({ target }) => { // by its key: the focus is on no tab then
    if (target === reports.querySelector(".tabs")) turn((shown + 1) % sections.length);
  });
  for (const moved of [texts, document]) moved.addEventListener("scroll", () => requestAnimationFrame(label), { passive: true });
  reports.querySelector(".tabs").addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    event.preventDefault();
    const next = tabs[(shown + move + tabs.length) % tabs.length];
    next.click();
    next.focus();
  });

  // What is lacking is said, outlined and scrolled to; other problems are the server's.
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    remember();
    if (event.submitter?.name) return; // "I cannot judge this"
    const slot = slots.find((one) => !isDone(one));
    if (!slot) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const words = checked(nameOf(slot)) ? lacking.dataset.rating : lacking.dataset.sentence;
    const missing = checked(nameOf(slot)) ? slot.querySelector(".scale") : slot.querySelector(".chosen");
    lacking.textContent = words.replace("{slot}", nameOf(slot));
    choose(slot);
    missing.classList.add("missing");
    missing.scrollIntoView({ block: "nearest" });
  }, true);

  const highlighting = reports.querySelector(".highlighting");
  if (highlighting) {
    const box = highlighting.querySelector("input");
    const apply = () => reports.classList.toggle("plain", !box.checked);
    highlighting.hidden = false;
    try { box.checked = localStorage.getItem("assay-highlights") !== "off"; } catch { /* they are on */ }
    apply();
    box.addEventListener("change", () => {
      try { localStorage.setItem("assay-highlights", box.checked ? "on" : "off"); } catch { /* until the next page */ }
      apply();
    });
  }
  const tablist = reports.querySelector(".tabs");
  tablist.setAttribute("role", "tablist");
  tablist.dataset.key = "n";
  tablist.tabIndex = -1;
  for (const [index, tab] of tabs.entries()) {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", sections[index].id);
    sections[index].setAttribute("role", "tabpanel");
  }
  for (const slot of slots) slot.querySelector(".chosen").hidden = slot.querySelector(".meaning").hidden = false;
  for (const sentence of reports.querySelectorAll(".sentence p")) sentence.tabIndex = -1;
  step.classList.add("live");
  const { shown: number = 0, tops: before = {} } = stored();
  Object.assign(tops, before);
  show(Math.min(number, sections.length - 1));
  update();
  choose(slots.find((one) => !isDone(one)) ?? slots[0]);
})();
