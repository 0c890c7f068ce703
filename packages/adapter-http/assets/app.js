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

// What a page shows of something under way is brought up to date for as long as the page says that there is such a thing.
const isInUse = (part) => {
  const selection = getSelection()
  return part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode))
}
const look = async () => {
  const answer = await fetch(location.pathname + location.search)
  if (!answer.ok || answer.redirected) return
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id)
    if (fresh === null) continue
    if (fresh.dataset.refresh === undefined) delete part.dataset.refresh
    if (fresh.innerHTML !== part.innerHTML && !isInUse(part)) part.replaceChildren(...fresh.childNodes)
  }
}
const keepLooking = () => {
  const under = document.querySelector("[data-refresh]")
  if (under === null) return
  setTimeout(async () => {
    if (!document.hidden) await look().catch(() => {})
    keepLooking()
  }, under.dataset.refresh * 1000)
}
keepLooking()
