// Lets the field for several files take a whole folder, which HTML alone cannot say, and shows that files are read.
"use strict";

for (const field of document.querySelectorAll("input[type=file][data-folder]")) {
  field.webkitdirectory = true;
  field.form.addEventListener("submit", () => {
    field.form.querySelector("button[type=submit]").setAttribute("aria-busy", "true");
    field.form.querySelector("[role=status]").hidden = false;
  });
}
