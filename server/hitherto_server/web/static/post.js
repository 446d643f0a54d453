// A button with data-post sends its data-body there: the API takes JSON alone, which no form can send.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-post]");
  if (!button) return;
  button.disabled = true;
  try {
    const reply = await fetch(button.dataset.post, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: button.dataset.body,
    });
    if (reply.ok) {
      location.reload();
      return;
    }
    const { message, mend } = (await reply.json()).error;
    tell(`${message}. ${mend}`);
  } catch {
    tell("The server does not answer.");
  }
  button.disabled = false;
});

function tell(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.hidden = false;
}
