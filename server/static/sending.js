// Sends a form without leaving the page, says how far it is, and puts the answer in the page's place.

// The answer as {status, url, document}; rejects with "broken" where none came.
export function send(address, fields, note) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "document";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) note(Math.floor((100 * event.loaded) / event.total));
    });
    request.addEventListener("load", () =>
      resolve({ status: request.status, url: new URL(request.responseURL), document: request.response }));
    request.addEventListener("error", () => reject(new Error("broken")));
    request.addEventListener("abort", () => reject(new Error("broken")));
    request.send(fields);
  });
}

// Get a new CSRF token for the form: the old one is no longer valid once the person has signed in again.
export async function renewToken(form) {
  const answer = await fetch(form.action, { credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = page.querySelector("main form input[name=csrf_token]");
  const own = form.querySelector("input[name=csrf_token]");
  if (token && own) own.value = token.value;
}

// Whether an answer is a page of the upload or of its result: others would take the chosen files away.
export function isResult(answer, form) {
  const main = answer.document?.querySelector("main");
  if (!main || answer.status >= 500) return false;
  const stayed = answer.url.pathname === new URL(form.action).pathname;
  return stayed ? Boolean(main.querySelector("[data-upload], [data-rejection]")) : Boolean(main.querySelector("[data-result]"));
}

// What a page that is no result says: its heading and its first sentences.
export function wordsOf(answer) {
  const main = answer.document?.querySelector("main");
  const parts = [...(main?.querySelectorAll("h1, h1 ~ p") ?? [])].slice(0, 2);
  return parts.map((part) => part.textContent.trim().replace(/\s+/g, " ")).join(": ");
}

export function putInPlace(answer) {
  const main = document.adoptNode(answer.document.querySelector("main"));
  document.querySelector("main").replaceWith(main);
  document.title = answer.document.title;
  if (answer.url.href !== location.href) history.pushState({ placed: true }, "", answer.url);
  document.dispatchEvent(new CustomEvent("page:replaced"));
  const heading = main.querySelector("[data-rejection] h2, [data-outcome] h2") ?? main.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus();
  heading.scrollIntoView({ block: "center" });
  return main;
}
