// Filters the systems that may be compared in place, as the form does by a new page; what is ticked stays.
"use strict";

(() => {
  const form = document.querySelector("form[data-choose]");
  const find = form?.elements.q;
  if (!find) {
    return;
  }
  const status = form.querySelector("[data-found]");
  const choices = [...form.querySelectorAll(".choice")];
  if (find.value) {
    return; // the server has left out the others, and says so
  }

  const filter = () => {
    const sought = find.value.trim().toLowerCase();
    for (const choice of choices) {
      const name = choice.textContent.trim().replace(/\s+/g, " ").toLowerCase();
      choice.hidden = !name.includes(sought) && !choice.querySelector("input").checked;
    }
    const found = choices.filter((choice) => !choice.hidden).length;
    status.textContent = sought ? status.dataset.found.replace("{found}", found).replace("{rows}", choices.length) : "";
  };

  find.addEventListener("input", filter);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.closest(".find")) event.preventDefault();
    else find.disabled = true; // the address names the chosen systems alone
  });
  addEventListener("pageshow", () => {
    find.disabled = false;
    filter();
  });
})();
