// Comfort only: every page works without it.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy)
    // Without TLS there is no clipboard: what is selected can be copied by hand.
    if (navigator.clipboard === undefined) return source.select()
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    button.textContent = "Copied"
  })
}
for (const menu of document.querySelectorAll("details.account")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false
  })
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") menu.open = false
  })
}
