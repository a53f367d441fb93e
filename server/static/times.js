// Times in the reader's zone, and countdowns that go by the server's clock. Without this file nothing is missing.
// Its words are those of the page (server/web/times.py).
"use strict";

(() => {
  const WORDS = JSON.parse(document.querySelector("meta[name=time-words]").content);
  const PARTS = { day: "numeric", month: "numeric", year: "numeric", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23", timeZoneName: "short" };
  const formats = ["en-US", "en-GB"].map((locale) => new Intl.DateTimeFormat(locale, PARTS));

  function fill(words, values) {
    return words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  // The form of a sentence that goes with a count, in the language of the page: it came for 1, 2 and 5.
  function counted(forms, count) {
    const rules = new Intl.PluralRules(document.documentElement.lang || "en");
    const like = ["1", "2", "5"].find((number) => rules.select(Number(number)) === rules.select(count));
    return fill(forms[like ?? "5"], { num: count });
  }

  // As the server writes it: 15 Mar 2026, 13:00 CET. Each locale names the zones of its own parts of the world.
  function read(at) {
    const [american, british] = formats.map((format) =>
      Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value])));
    const zone = american.timeZoneName.startsWith("GMT") ? british.timeZoneName : american.timeZoneName;
    const values = { ...american, month: WORDS.months[american.month - 1] };
    return { ...values, time: `${american.hour}:${american.minute} ${zone}` };
  }

  function words(at) {
    const values = read(at);
    return fill(WORDS.moment, { ...values, day: fill(WORDS.day, values) });
  }

  // Beside the time in UTC: the day only if it is another one (server/web/times.py does the same).
  function beside(at) {
    const values = read(at);
    if (at.getDate() === at.getUTCDate()) return values.time;
    const day = at.getFullYear() === at.getUTCFullYear() ? WORDS.day_of_year : WORDS.day;
    return fill(WORDS.moment, { ...values, day: fill(day, values) });
  }

  // The server's clock less the browser's, as this page came: the browser's may be wrong.
  const serverTime = document.querySelector("meta[name=server-time]");
  const visit = performance.getEntriesByType("navigation")[0];
  const came = performance.timeOrigin + (visit ? visit.responseStart : 0);
  const ahead = serverTime ? Date.parse(serverTime.content) - came : 0;

  // As the server says it (server/web/times.py), and by the second in the last ten minutes.
  function until(seconds) {
    const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
    if (seconds <= 0) return WORDS.past;
    if (minutes < 1) return fill(WORDS.seconds, { seconds });
    if (minutes < 10) return fill(WORDS.soon, { minutes, seconds: seconds % 60 });
    if (hours < 1) return fill(WORDS.minutes, { minutes });
    if (hours < 48) return fill(WORDS.hours, { hours, minutes: minutes % 60 });
    return days < 730 ? counted(WORDS.days, days) : counted(WORDS.years, Math.floor(days / 365));
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
    if (!time.title || !WORDS.has_zone) time.title = here; // instead of the site's zone
    const aoe = time.closest(".when")?.querySelector(".aoe");
    const shown = aoe?.parentNode.querySelector(".local");
    if (!aoe || (shown && WORDS.has_zone) || at.getTimezoneOffset() === 0) return;
    shown?.remove();
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
