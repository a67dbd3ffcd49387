// What pages of the docs can do better with JavaScript: lead old anchors of errors on, and search the guides.

// A problem's address names an error on the overview. Its row is on a page of its own.
const leadOn = () => {
  const line = document.getElementById(location.hash.slice(1));
  if (line?.matches(".moved")) location.replace(line.querySelector("a").href);
};
leadOn();
addEventListener("hashchange", leadOn);

const FOUND_MAX = 12;
const SNIPPET_LENGTH = 140;
/** Of a word in the heading, beside those of the text, which count up to this often. */
const HEADING_SCORE = 20;
const TEXT_HITS_MAX = 5;

/** Places in a text where a word begins with what was typed. */
const hitsOf = (text, word) => [
  ...text.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape?.(word) ?? escaped(word)}`, "giu"),
  ),
];
const escaped = (word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Sections that have all words, best first. A word counts by how few sections have it. */
function find(sections, words) {
  const counted = sections.map((section) => ({
    section,
    hits: words.map((word) => {
      const heads = hitsOf(`${section.title} ${section.heading}`, word).length;
      const texts = hitsOf(section.text, word).length;
      return heads * HEADING_SCORE + Math.min(texts, TEXT_HITS_MAX);
    }),
  }));
  const worths = words.map((_, place) => {
    const having = counted.filter(({ hits }) => hits[place] > 0).length;
    return Math.log(1 + sections.length / Math.max(having, 1));
  });
  const scoreOf = ({ hits }) =>
    hits.reduce((sum, hit, place) => sum + worths[place] * Math.sqrt(hit), 0);
  return counted
    .filter(({ hits }) => hits.every((hit) => hit > 0))
    .sort((one, other) => scoreOf(other) - scoreOf(one))
    .map(({ section }) => section);
}

/** A text in which the words stand out, as nodes, because nothing here is HTML. */
function marked(text, words) {
  const nodes = [];
  const hits = words
    .flatMap((word) => hitsOf(text, word).map(({ index }) => [index, index + word.length]))
    .sort(([a], [b]) => a - b);
  let at = 0;
  for (const [from, to] of hits) {
    if (from < at) continue;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    nodes.push(text.slice(at, from), mark);
    at = to;
  }
  return [...nodes, text.slice(at)];
}

/** The part of a text around the first hit. */
function snippet(text, words) {
  const first = Math.min(...words.flatMap((word) => hitsOf(text, word).map(({ index }) => index)));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", first - 40) + 1) : 0;
  const part = text.slice(from, from + SNIPPET_LENGTH);
  return `${from > 0 ? "… " : ""}${part}${from + SNIPPET_LENGTH < text.length ? " …" : ""}`;
}

for (const box of document.querySelectorAll("search[data-index]")) {
  const input = box.querySelector("input");
  const found = box.querySelector(".found");
  const list = box.querySelector("ol");
  const status = box.querySelector("[role=status]");
  const { index, guides } = box.dataset;
  let loading;
  const load = () => {
    loading ??= fetch(index)
      .then((answer) => answer.json())
      .catch(() => {
        // Asked again with the next letter.
        loading = undefined;
        return [];
      });
    return loading;
  };

  const show = async () => {
    const query = input.value.trim();
    const words = query
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .filter(Boolean);
    const sections = words.length > 0 ? find(await load(), words) : [];
    // Another letter was typed while the index was on its way.
    if (input.value.trim() !== query) return;
    found.hidden = words.length === 0;
    status.textContent =
      sections.length === 0
        ? `No guide contains “${query}”.`
        : `${sections.length} ${sections.length === 1 ? "section" : "sections"}`;
    list.replaceChildren(
      ...sections.slice(0, FOUND_MAX).map(({ guide, title, heading, id, text }) => {
        const link = document.createElement("a");
        link.href = `${guides}/${guide}${id === "" ? "" : `#${id}`}`;
        const head = document.createElement("b");
        head.append(...marked(heading === title ? title : `${title}: ${heading}`, words));
        const part = document.createElement("span");
        part.append(...marked(snippet(text, words), words));
        link.append(head, part);
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
  };

  const linkAt = (step) => {
    const links = [...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + step;
    return next < 0 ? input : links[next];
  };
  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      linkAt(event.key === "ArrowDown" ? 1 : -1)?.focus();
    } else if (event.key === "Enter" && document.activeElement === input) {
      list.querySelector("a")?.click();
    } else if (event.key === "Escape") {
      input.value = "";
      found.hidden = true;
      input.focus();
    }
  });
  // A link to a section of this page closes the list, as one to another page does.
  list.addEventListener("click", () => {
    found.hidden = true;
  });
  box.hidden = false;
}
