// Pickers of dates and times: they fill the text fields above them, which are what is sent.
// The time zone is chosen once: it is that of all pickers, and this browser remembers it.
"use strict";

(() => {
  const KEY = "picker-zone";
  const pickers = [...document.querySelectorAll(".picker")].map((box) => {
    const [picker, zones] = box.children;
    return { box, picker, zones, text: box.parentNode.querySelector("input[type=text]") };
  });

  function remembered() {
    try { return localStorage.getItem(KEY); } catch { return null; }
  }

  // How many milliseconds the chosen zone is ahead of UTC.
  function ahead(zone, at) {
    return (zone === "aoe" ? -720 : zone === "own" ? -at.getTimezoneOffset() : 0) * 60000;
  }

  function show({ picker, zones, text }) {
    const [, day, time, aoe] = text.value.trim().match(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)\S*(?: (AoE|UTC))?$/i) ?? [];
    const at = new Date(`${day}T${time}${aoe?.toLowerCase() === "aoe" ? "-12:00" : "Z"}`);
    picker.value = Number.isNaN(at.getTime()) ? "" :
      new Date(at.getTime() + ahead(zones.value, at)).toISOString().slice(0, 16);
  }

  function fill({ picker, zones, text }) {
    if (!picker.value) return;
    const local = new Date(picker.value), utc = Date.parse(`${picker.value}Z`);
    const at = zones.value === "own" ? local : new Date(utc - ahead(zones.value, local));
    if (!Number.isNaN(at.getTime())) text.value = at.toISOString().slice(0, 16).replace("T", " ");
  }

  function choose(zone) {
    for (const picker of pickers) {
      picker.zones.value = zone;
      show(picker);
    }
  }

  for (const picker of pickers) {
    picker.zones.options[2].text += ` (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
    picker.picker.addEventListener("input", () => fill(picker));
    picker.text.addEventListener("change", () => show(picker));
    picker.zones.addEventListener("change", () => {
      choose(picker.zones.value);
      try { localStorage.setItem(KEY, picker.zones.value); } catch { /* The choice lasts for this page. */ }
    });
    picker.box.hidden = false;
  }
  choose(["utc", "aoe", "own"].includes(remembered()) ? remembered() : "utc");
})();
