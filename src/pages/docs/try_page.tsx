/** @jsxImportSource preact */
/**
 * `/docs/try`: Swagger UI over the OpenAPI document, which sends requests from the browser. Decisions 1.
 *
 * @module
 */
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { GUIDE_HEADERS } from "./guide_pages.tsx";

/** Swagger UI sets styles on elements, so styles can't be confined to files. */
export const TRY_HEADERS = {
  ...GUIDE_HEADERS,
  "Content-Security-Policy": GUIDE_HEADERS["Content-Security-Policy"].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ),
};

export function renderTryPage(frame: PageFrame): string {
  return renderPage({
    ...frame,
    title: "Try operations",
    description: "Send requests to the gateway from the browser.",
    root: "..",
    menu: PUBLIC_MENU,
    current: "docs",
    head: (
      <>
        <link rel="stylesheet" href="./assets/swagger-ui.css" />
        <link rel="stylesheet" href="./assets/try_page.css" />
        <script src="./assets/swagger-ui-bundle.js" defer />
        <script src="./assets/try_page.js" type="module" />
      </>
    ),
    children: (
      <>
        <p class="crumbs">
          <a href="../docs">API reference</a>
        </p>
        <h1>Try operations</h1>
        <p class="lead">
          Choose “Authorize” to enter a key, open an operation, then choose “Try it out”. Requests
          are real: a paid read is charged.
        </p>
        <div id="api">
          <noscript>
            This page needs JavaScript. <a href="../docs">The reference</a> works without it.
          </noscript>
        </div>
      </>
    ),
  });
}
