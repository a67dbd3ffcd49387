/** @jsxImportSource preact */
/**
 * A stranger's Markdown, such as a feed's readme, by Bun's own parser. HTML in it is shown as text: each piece is
 * escaped here, whatever the parser takes it for. Links lead to http, https and mailto only, say nobody where they
 * were followed, and lend no rank. Nothing is loaded, so an image is its words.
 *
 * @module
 */
import { withoutInvisible } from "../lib/invisible_text.ts";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
/** Headings of a readme stand below those of the page. */
const LEVELS_DOWN = 2;
const LEVEL_MAX = 6;
const PARSED = { noHtmlBlocks: true, noHtmlSpans: true, autolinks: true } as const;

export function Markdown({ of }: { readonly of: string }) {
  const html = Bun.markdown.render(withoutInvisible(of), CALLBACKS, PARSED);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
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
