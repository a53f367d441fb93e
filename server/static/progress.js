// Looks again while the site works on something. Without this file the reader loads the page.
"use strict";

(() => {
  const bar = document.querySelector("progress[data-reload]");
  if (!bar) return;
  const words = document.getElementById("reload");
  if (words) words.textContent = bar.dataset.reload;
  const changed = (field) => field.checked !== field.defaultChecked || field.value !== field.defaultValue;
  const writing = () => [...document.querySelectorAll("main input, main textarea")].some(
    (field) => changed(field) || field === document.activeElement);  // a form that was begun is not lost
  let asked = -Infinity;
  const look = () => {
    if (document.hidden || writing() || Date.now() < asked + 60000) return;
    asked = Date.now();  // a second reload would break off the first, so that a slow answer never came
    location.reload();
  };
  setInterval(look, 1000 * (bar.dataset.seconds || 3));
  document.addEventListener("visibilitychange", look);
})();
