/**
 * The pages of the docs: the reference, which is Swagger UI over the document and every error explained
 * under the anchor that a problem's `type` points to, and the guides. Decisions 1, 2 and 10.
 *
 * All addresses are relative, so the page works behind any prefix, and nothing on it asks another host.
 *
 * @module
 */

import { PROBLEM_CODES, PROBLEM_DOCS } from "../api/problem_docs.ts";
import { anchorOf, PROBLEMS } from "../http/errors.ts";
import {
  GUIDE_NAMES,
  GUIDE_TOPICS,
  type GuideName,
  type GuidePlace,
  guideText,
} from "./guide_texts.ts";

/** Swagger UI sets styles on elements, so styles can't be confined to files. */
export const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "public, no-cache",
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
} as const;

interface Frame {
  readonly title: string;
  /** The way from the page's folder to the gateway's root, without a trailing slash. */
  readonly root: string;
  /** More of the head. @default nothing */
  readonly head?: string;
  /** Between menu and end. */
  readonly main: string;
}

/** A page of the docs: the same look and menu for all. */
export function renderFrame({ title, root, head = "", main }: Frame): string {
  const guides = GUIDE_NAMES.map(
    (name) => `<a href="${root}/docs/guides/${name}">${titleOf(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" href="${root}/docs/assets/favicon-32x32.png">
${head}<link rel="stylesheet" href="${root}/docs/assets/page.css">
</head>
<body>
<header class="frame">
<strong>Feedgate</strong>
<nav><a href="${root}/docs">Reference</a> ${guides.join(" ")}</nav>
</header>
${main}
</body>
</html>
`;
}

/** The reference, the same for every deployment. */
export function renderPage(): string {
  return renderFrame({
    title: "Feedgate API",
    root: ".",
    head: `<link rel="stylesheet" href="./docs/assets/swagger-ui.css">
<script src="./docs/assets/swagger-ui-bundle.js" defer></script>
<script src="./docs/assets/page.js" type="module"></script>
`,
    main: `<main>
<p class="frame"><a href="./docs/json">OpenAPI document</a> <a href="#errors">Errors</a></p>
<div id="api"><noscript class="frame">The API is described in <a href="./docs/json">the OpenAPI document</a>.</noscript></div>
<section id="errors" class="frame">
<h2>Errors</h2>
<p>Every error is a problem document (RFC 9457, <code>application/problem+json</code>). Decide by <code>code</code>; <code>detail</code> says what to do in the case at hand.</p>
${PROBLEM_CODES.map(renderProblem).join("\n")}
</section>
</main>`,
  });
}

/** A guide. In the repository the guides link one another as files. */
export function renderGuide(name: GuideName, place: GuidePlace): string {
  const text = guideText(name, place).replace(/\]\(([a-z]+)\.md(#[^)]*)?\)/g, "]($1$2)");
  const html = Bun.markdown.html(text, { headings: { ids: true } });
  return renderFrame({
    title: `${titleOf(name)} · Feedgate`,
    root: "../..",
    main: `<main class="frame guide">\n${html}</main>`,
  });
}

/** What `/docs/guides` lists. */
export function renderGuideIndex(): string {
  const items = GUIDE_NAMES.map(
    (name) =>
      `<dt><a href="./guides/${name}">${titleOf(name)}</a></dt><dd>${GUIDE_TOPICS[name]}</dd>`,
  );
  return renderFrame({
    title: "Guides · Feedgate",
    root: "..",
    main: `<main class="frame guide">
<h1>Guides</h1>
<dl>
${items.join("\n")}
</dl>
<p>All routes, parameters and errors are in <a href="./">the reference</a>.</p>
</main>`,
  });
}

/** In the menu. */
function titleOf(name: GuideName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function renderProblem(code: (typeof PROBLEM_CODES)[number]): string {
  const { status, title } = PROBLEMS[code];
  const { when, remedy } = PROBLEM_DOCS[code];
  const anchor = anchorOf(code);
  const statuses = code === "KEY_INVALID" ? "401 or 403" : status;
  return `<article id="${anchor}">
<h3><a href="#${anchor}"><code>${code}</code></a> <span>${statuses} · ${Bun.escapeHTML(title)}</span></h3>
<p>${renderText(when)}</p>
<p><b>What to do:</b> ${renderText(remedy)}</p>
</article>`;
}

/** Text with code in backticks. */
function renderText(text: string): string {
  return Bun.escapeHTML(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}
