// A page that updates while it is open: server-sent events say that it has changed, and the page is asked for again, as
// its visitor would. What is new goes into the page that is there, so that focus, scroll and what is open stay.
const main = document.querySelector("main[data-live]");
/** Shows instead that there is something new, on a page whose content is the answer to a form. */
const note = main.querySelector("[data-live-note]");
const RETRY_MS = 1_000;
const RETRIES_MAX = 3;

const sign = document.createElement("p");
sign.className = "wrap live";
sign.role = "status";
// It is there to be looked up. Reading out each update would drown the page.
sign.ariaLive = "off";
sign.hidden = true;
main.before(sign);

/** Parts that scripts have drawn, and what a person has set, stay as they are. */
const KEPT = new Set(["open", "hidden", "tabindex", "title", "checked", "value", "style"]);

function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    // The frame that the script put around code for its copy button.
    const code = old.nodeType === 1 && old.matches(".copy") && old.querySelector("pre");
    if (code && fresh.nodeName === "PRE") return morph(code, fresh);
    return old.replaceWith(document.importNode(fresh, true));
  }
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return undefined;
  }
  if (old.nodeName === "TIME" && old.dateTime === fresh.dateTime) return undefined;
  if (old.matches(".plot, select")) return undefined;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !KEPT.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const children = [...old.childNodes];
  const wanted = [...fresh.childNodes];
  for (const [place, child] of wanted.entries()) {
    if (children[place] === undefined) old.append(document.importNode(child, true));
    else morph(children[place], child);
  }
  for (const child of children.slice(wanted.length)) child.remove();
  return undefined;
}

async function renew(tries = 0) {
  const answer = await fetch(location.href, {
    cache: "no-cache",
    headers: { Accept: "text/html" },
  });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("main[data-live]");
  // The page is gone, or belongs to nobody who is signed in here.
  if (!answer.ok || fresh === null) return stop();
  if (fresh.dataset.live === main.dataset.live && tries < RETRIES_MAX) {
    // It came from memory, and is a moment older than the event.
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return renew(tries + 1);
  }
  morph(main, fresh);
  document.dispatchEvent(new CustomEvent("renewed", { detail: main }));
  const time = new Date().toLocaleTimeString(undefined, { timeStyle: "medium" });
  sign.textContent = `Live · updated ${time}`;
  return undefined;
}

/** Whether somebody has typed what is not sent yet. A newer page could put another element in its place. */
function isTypedIn() {
  return [...main.querySelectorAll("input, textarea")].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );
}

let events;
let isBusy = false;
let isAgain = false;

/** One at a time. Events in the meantime are one more. */
async function changed() {
  if (note) {
    note.hidden = false;
    return stop();
  }
  if (isBusy) {
    isAgain = true;
    return undefined;
  }
  if (isTypedIn()) return undefined;
  isBusy = true;
  try {
    do {
      isAgain = false;
      await renew();
    } while (isAgain);
  } catch {
    // The next event asks again.
  } finally {
    isBusy = false;
  }
  return undefined;
}

function start() {
  events = new EventSource(main.dataset.live);
  events.addEventListener("open", () => {
    sign.textContent ||= "Live";
    sign.hidden = false;
  });
  events.addEventListener("changed", changed);
  events.addEventListener("end", stop);
  events.addEventListener("error", () => {
    sign.hidden = true;
  });
}

function stop() {
  events?.close();
  events = undefined;
  sign.hidden = true;
  document.removeEventListener("visibilitychange", follow);
}

/** Nobody looks at a page that is hidden. */
function follow() {
  if (document.visibilityState === "visible") {
    if (events === undefined) start();
  } else {
    events?.close();
    events = undefined;
  }
}

document.addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => events?.close());
follow();
