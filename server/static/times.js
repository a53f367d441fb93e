// Times in the reader's zone, and countdowns that go by the server's clock. Without this file nothing is missing.
"use strict";

(() => {
  const PARTS = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23", timeZoneName: "short" };
  const formats = ["en-US", "en-GB"].map((locale) => new Intl.DateTimeFormat(locale, PARTS));

  // As the server writes it: 15 Mar 2026, 13:00 CET. Each locale names the zones of its own parts of the world.
  function read(at) {
    const [american, british] = formats.map((format) =>
      Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value])));
    const zone = american.timeZoneName.startsWith("GMT") ? british.timeZoneName : american.timeZoneName;
    const seconds = at.getUTCSeconds() ? `:${String(at.getUTCSeconds()).padStart(2, "0")}` : "";
    return { ...american, clock: `${american.hour}:${american.minute}${seconds} ${zone}` };
  }

  function words(at) {
    const { day, month, year, clock } = read(at);
    return `${day} ${month} ${year}, ${clock}`;
  }

  // Beside the time in UTC: the day only if it is another one (server/views/times.py does the same).
  function beside(at) {
    const { day, month, year, clock } = read(at);
    if (at.getDate() === at.getUTCDate()) return clock;
    return at.getFullYear() === at.getUTCFullYear() ? `${day} ${month}, ${clock}` : `${day} ${month} ${year}, ${clock}`;
  }

  // The server's clock less the browser's, as this page came: the browser's may be wrong.
  const told = document.querySelector("meta[name=server-time]");
  const visit = performance.getEntriesByType("navigation")[0];
  const came = performance.timeOrigin + (visit ? visit.responseStart : 0);
  const ahead = told ? Date.parse(told.content) - came : 0;

  function plural(count, noun) {
    return count === 1 ? `${count} ${noun}` : `${count} ${noun}s`;
  }

  // As the server says it (server/views/times.py), and by the second in the last ten minutes.
  function until(seconds) {
    const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
    if (seconds <= 0) return "now; load this page again";
    if (minutes < 1) return `in ${seconds} s`;
    if (minutes < 10) return `in ${minutes} min ${seconds % 60} s`;
    if (hours < 1) return `in ${minutes} min`;
    if (hours < 48) return `in ${hours} h ${minutes % 60} min`;
    return days < 730 ? `in ${plural(days, "day")}` : `in ${Math.floor(days / 365)} years`;
  }

  function tick() {
    const now = Date.now() + ahead;
    for (const countdown of document.querySelectorAll("[data-until]")) {
      const left = until(Math.floor((Date.parse(countdown.dataset.until) - now) / 1000));
      if (countdown.textContent !== left) countdown.textContent = left;
    }
  }

  function show(time) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    const here = words(at);
    if (!time.title) time.title = here;
    const aoe = time.closest(".when")?.querySelector(".aoe");
    if (!aoe || aoe.parentNode.querySelector(".local") || at.getTimezoneOffset() === 0) return;
    const local = document.createElement("span");
    local.className = "local";
    local.textContent = ` · ${beside(at)}`;
    aoe.after(local);
  }

  document.querySelectorAll("time[datetime]").forEach(show);
  document.addEventListener("page:replaced", () => document.querySelectorAll("main time[datetime]").forEach(show));
  tick();
  setInterval(tick, 1000);
})();
