// Previews of texts in Markdown, below their fields: the server renders them as it does on pages.
for (const box of document.querySelectorAll(".rendered")) {
  const [button, shown] = box.children;
  const text = box.parentNode.querySelector("textarea");
  button.addEventListener("click", async () => {
    const token = text.form.querySelector("input[name=csrf_token]").value;
    try {
      const answer = await fetch(box.dataset.url, {
        method: "POST", body: new URLSearchParams({ csrf_token: token, text: text.value }),
      });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      shown.innerHTML = (await answer.json()).html; // cleaned by the server
    } catch {
      shown.textContent = box.dataset.failed;
    }
    shown.hidden = false;
  });
  box.hidden = false;
}
