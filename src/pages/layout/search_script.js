// Search as you type on the front page. The form's own page is asked for, so that answers are those that the form
// gives, and come from the same caches. Without JavaScript, or when an answer fails, the form works by itself.
const PAUSE_MS = 200;
const LETTERS_MIN = 2;
const KEPT_MAX = 50;

const form = document.querySelector("form.search");
const input = form.querySelector("input[type=search]");
const status = form.parentElement.querySelector("[role=status]");
/** Pages by their addresses, the newest last. */
const kept = new Map();
let timer;
let asking;

/** The address to which the form leads. */
function address() {
  const fields = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...fields]) if (value.trim() === "") fields.delete(name);
  const query = fields.toString();
  return new URL(query === "" ? "./" : `./?${query}`, form.action).href;
}

async function pageAt(url, signal) {
  const known = kept.get(url);
  if (known !== undefined) return known;
  const answer = await fetch(url, { headers: { Accept: "text/html" }, signal });
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  kept.set(url, page);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value);
  return page;
}

async function search() {
  const { length } = input.value.trim();
  if (length > 0 && length < LETTERS_MIN) return;
  const url = address();
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const page = await pageAt(url, signal);
    if (signal.aborted) return;
    const found = document.importNode(page.getElementById("found"), true);
    document.getElementById("found").replaceWith(found);
    document.dispatchEvent(new CustomEvent("renewed", { detail: found }));
    document.title = page.title;
    history.replaceState(history.state, "", url);
    status.textContent = found.querySelector("p")?.textContent ?? "";
  } catch {
    // The next letter asks again, and the form's button does.
    if (!signal.aborted) status.textContent = "Choose “Search” to see the results.";
  }
}

input.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
form.addEventListener("submit", () => {
  clearTimeout(timer);
  asking?.abort();
});
