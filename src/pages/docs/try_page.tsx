/** @jsxImportSource preact */
/**
 * `/docs/try`: Swagger UI for the OpenAPI document, which sends requests from the browser. There is one page for each
 * kind of caller, because Swagger UI is slow on long documents.
 *
 * @module
 */
import { PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { GUIDE_HEADERS } from "./guide_pages.tsx";
import { type GroupName, groupsOf } from "./reference_document.ts";
import type { Reference } from "./reference_pages.tsx";

/** Swagger UI sets styles on elements, so styles can't be confined to files. */
export const TRY_HEADERS = {
  ...GUIDE_HEADERS,
  "Content-Security-Policy": GUIDE_HEADERS["Content-Security-Policy"].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ),
};

/** `root` leads from the page to the gateway's address. */
export function renderTryPage(
  current: GroupName,
  { document, frame }: Pick<Reference, "document" | "frame">,
  root: string,
): string {
  const groups = groupsOf(document);
  const operations = groups
    .filter(({ name }) => name === current)
    .flatMap(({ sections }) => sections)
    .flatMap(({ routes }) => routes)
    .map(({ operationId }) => operationId);
  return renderPage({
    ...frame,
    title: "Try operations",
    description: "Send requests to the gateway from the browser.",
    root,
    menu: PUBLIC_MENU,
    current: "docs",
    head: (
      <>
        <link rel="stylesheet" href={`${root}/docs/assets/swagger-ui.css`} />
        <link rel="stylesheet" href={`${root}/docs/assets/try_page.css`} />
        <script src={`${root}/docs/assets/swagger-ui-bundle.js`} defer />
        <script src={`${root}/docs/assets/try_page.js`} type="module" />
      </>
    ),
    children: (
      <>
        <p class="crumbs">
          <a href={`${root}/docs`}>API reference</a>
        </p>
        <h1>Try operations</h1>
        <p class="lead">
          Choose “Authorize” to enter a key, open an operation, then choose “Try it out”. Requests
          are real: a paid read is charged.
        </p>
        <nav class="parts" aria-label="Callers">
          {groups.map(({ name, title }) => (
            <a
              href={`${root}/docs/try/${name}`}
              aria-current={name === current ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <div id="api" data-root={root} data-operations={operations.join(" ")}>
          <noscript>
            This page needs JavaScript. <a href={`${root}/docs`}>The reference</a> works without it.
          </noscript>
        </div>
      </>
    ),
  });
}
