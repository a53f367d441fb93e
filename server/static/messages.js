// Moves the messages to the place that the address names, where they are seen. Without this file they stay on top.
"use strict";

(() => {
  const place = document.getElementById(location.hash.slice(1))?.closest("main > * *, main > article");
  (place?.querySelector("h3") ?? place)?.after(...document.querySelectorAll("main > .note[role]"));
})();
