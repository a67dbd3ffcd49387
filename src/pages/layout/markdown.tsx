/** @jsxImportSource preact */
/**
 * Renders untrusted Markdown, such as a feed's readme, with Bun's own parser. HTML is shown as text: each piece is
 * escaped here, regardless of how the parser classifies it. Links lead only to http, https and mailto, send no
 * referrer, and pass on no search rank. Nothing is loaded, so an image is replaced by its text.
 *
 * The parser's time grows with the square of the nesting of quotes and lists, the only input that costs more than its
 * length. A text that is nested more deeply than any real one is shown unformatted, and so is one that is too long to
 * read.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { RENDERED_READMES_CHARS_MAX } from "../../limits.ts";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
/** Headings of a readme stand below those of the page. */
const LEVELS_DOWN = 2;
const LEVEL_MAX = 6;
const NESTING_MAX = 8;
/** A line that opens one container more than that. Lists that nest by indentation need ever longer lines. */
const NESTED_TOO_DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){${NESTING_MAX + 1}}`,
  "m",
);
const PARSED = { noHtmlBlocks: true, noHtmlSpans: true, autolinks: true } as const;

/** More is shown as it is. The dearest text of this length takes some 20 ms. */
const RENDERED_LENGTH_MAX = 32_000;

/** A readme stays the same for many visits. */
const rendered = new LRUCache<string, string>({
  maxSize: RENDERED_READMES_CHARS_MAX,
  sizeCalculation: (html, text) => html.length + text.length,
});

export function Markdown({ of }: { readonly of: string }) {
  const text = withoutInvisible(of);
  if (text.trim() === "") return null;
  if (NESTED_TOO_DEEP.test(text)) return <Plain of={text} />;
  const end = renderedEnd(text);
  const head = text.slice(0, end);
  const html = rendered.get(head) ?? Bun.markdown.render(head, CALLBACKS, PARSED);
  rendered.set(head, html);
  const first = <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
  if (end === text.length) return first;
  return (
    <>
      {first}
      <Plain of={text.slice(end).trim()} />
    </>
  );
}

function Plain({ of }: { readonly of: string }) {
  return (
    <pre class="markdown" tabindex={0}>
      {of}
    </pre>
  );
}

/** Where the part of a text that is rendered ends: at a paragraph's end, if there is one. */
function renderedEnd(text: string): number {
  if (text.length <= RENDERED_LENGTH_MAX) return text.length;
  const paragraphEnd = text.lastIndexOf("\n\n", RENDERED_LENGTH_MAX);
  return paragraphEnd > 0 ? paragraphEnd : RENDERED_LENGTH_MAX;
}

const CALLBACKS: Bun.markdown.RenderCallbacks = {
  text: (text) => Bun.escapeHTML(text),
  html: (text) => Bun.escapeHTML(text),
  heading: (children, { level }) => {
    const name = `h${Math.min(level + LEVELS_DOWN, LEVEL_MAX)}`;
    return `<${name}>${children}</${name}>`;
  },
  paragraph: tag("p"),
  blockquote: tag("blockquote"),
  strong: tag("strong"),
  emphasis: tag("em"),
  strikethrough: tag("del"),
  codespan: tag("code"),
  hr: () => "<hr>",
  code: (children) => `<pre tabindex="0"><code>${children}</code></pre>`,
  list: (children, { ordered, start = 1 }) =>
    ordered ? `<ol start="${start}">${children}</ol>` : `<ul>${children}</ul>`,
  listItem: (children, { checked }) => {
    const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
    return `<li>${box}${children}</li>`;
  },
  table: (children) =>
    `<section class="scroll" aria-label="Table" tabindex="0"><table>${children}</table></section>`,
  thead: tag("thead"),
  tbody: tag("tbody"),
  tr: tag("tr"),
  th: tag("th"),
  td: tag("td"),
  link: (children, { href }) => {
    const url = URL.parse(href);
    if (url === null || !SCHEMES.has(url.protocol)) return children;
    return `<a href="${Bun.escapeHTML(url.href)}" rel="nofollow ugc noopener noreferrer">${children}</a>`;
  },
  image: (children) => children,
};

function tag(name: string): (children: string) => string {
  return (children) => `<${name}>${children}</${name}>`;
}
