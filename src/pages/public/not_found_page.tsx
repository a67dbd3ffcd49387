/** @jsxImportSource preact */
/**
 * The page that is shown for a feed that does not exist or is not listed.
 *
 * @module
 */
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";

/** `root`: the way from the page's folder to the gateway's root. */
export function renderNotFound(frame: PageFrame): string {
  return renderPage({
    ...frame,
    title: "No such feed",
    isListed: false,
    root: "..",
    menu: PUBLIC_MENU,
    children: (
      <>
        <h1>No such feed</h1>
        <p class="lead">
          There is no listed feed at this address. It may have been renamed, or removed from the
          catalog.
        </p>
        <p>
          <a class="button" href="../">
            Browse all feeds
          </a>
        </p>
      </>
    ),
  });
}
