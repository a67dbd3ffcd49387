/**
 * The pages of the docs: the reference, which is Swagger UI over the document and every error explained
 * under the anchor that a problem's `type` points to, and the guides. Decisions 1, 2 and 10.
 *
 * All addresses are relative, so the page works behind any prefix, and nothing on it asks another host.
 *
 * @module
 */
import { anchorOf, PROBLEMS } from "../http/errors.ts";
import { PROBLEM_CODES, PROBLEM_DOCS } from "../http/problem_docs.ts";
import { GUIDE_NAMES, GUIDES, type GuideName } from "./guide_texts.ts";

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

/** Starts Swagger UI on the server that the page came from, and jumps to the error asked for. */
export const PAGE_SCRIPT = `"use strict";
const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", shade);
shade();
const jump = () => {
  const asked = location.hash.startsWith("#errors") && document.getElementById(location.hash.slice(1));
  if (asked) asked.scrollIntoView();
};
const response = await fetch("docs/json");
const spec = await response.json();
// The public address may lie behind a proxy that this browser does not use.
spec.servers = [{ url: new URL(".", location.href).href.replace(/\\/$/, "") }];
SwaggerUIBundle({
  spec,
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: jump,
});
addEventListener("hashchange", jump);
`;

export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1f2937; --soft: #6b7280; --line: #e5e7eb; --ground: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --soft: #9ca3af; --line: #374151; --ground: #1c2022; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
.frame { max-width: 1460px; margin: 0 auto; padding: 0 20px; }
header.frame { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; padding-top: 20px; }
header strong { font-size: 20px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 14px; }
.guide { max-width: 820px; padding-bottom: 60px; }
.guide h1 { margin: 28px 0 8px; }
.guide h2 { margin-top: 36px; border-top: 1px solid var(--line); padding-top: 16px; }
.guide pre, .guide code { background: color-mix(in srgb, var(--soft) 12%, transparent); }
.guide code { padding: 1px 4px; border-radius: 3px; font-size: 0.9em; overflow-wrap: anywhere; }
.guide pre { padding: 12px; overflow-x: auto; }
.guide pre code { padding: 0; background: none; overflow-wrap: normal; }
.guide table { display: block; overflow-x: auto; border-collapse: collapse; }
.guide th, .guide td { border-bottom: 1px solid var(--line); padding: 6px 12px 6px 0; text-align: left; vertical-align: top; }
a { color: inherit; }
#errors { margin-bottom: 60px; }
#errors > p { color: var(--soft); }
article { border-top: 1px solid var(--line); padding: 12px 0; scroll-margin-top: 12px; }
article:target { background: color-mix(in srgb, gold 18%, transparent); }
article h3 { display: flex; gap: 12px; align-items: baseline; margin: 0; font-size: 16px; }
article h3 a { text-decoration: none; }
article h3 span { color: var(--soft); font-weight: normal; }
article p { margin: 4px 0 0; }
/* Of Swagger UI's own: no answer has links, and its light colours have too little contrast (WCAG 1.4.3). */
.swagger-ui .response-col_links { display: none; }
@media (prefers-color-scheme: light) {
  .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d5fa8; }
  .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1f7a4d; }
  .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6e63; }
  .swagger-ui .btn.execute { background-color: #1d5fa8; border-color: #1d5fa8; }
  .swagger-ui .btn.authorize { color: #1f7a4d; border-color: #1f7a4d; }
  .swagger-ui .btn.authorize svg { fill: #1f7a4d; }
  .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
}
`;

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
export function renderGuide(name: GuideName): string {
  const text = GUIDES[name].replace(/\]\(([a-z]+)\.md(#[^)]*)?\)/g, "]($1$2)");
  const html = Bun.markdown.html(text, { headings: { ids: true } });
  return renderFrame({
    title: `${titleOf(name)} · Feedgate`,
    root: "../..",
    main: `<main class="frame guide">\n${html}</main>`,
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
<h3><a href="#${anchor}"><code>${code}</code></a> <span>${statuses} · ${escapeHtml(title)}</span></h3>
<p>${renderText(when)}</p>
<p><b>What to do:</b> ${renderText(remedy)}</p>
</article>`;
}

/** Text with code in backticks. */
function renderText(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

/** Text between tags. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
