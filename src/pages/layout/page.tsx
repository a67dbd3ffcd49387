/** @jsxImportSource preact */
/**
 * The layout of all pages for people: head, header, main, footer.
 *
 * Pages are rendered on the server. All addresses are relative to `root`, so that a page works under any prefix, and no
 * page loads anything from another host.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { assetUrl, type UiFileName } from "./assets.ts";

/** A link of a menu. */
export interface MenuLink {
  /** Below the gateway's root, without a leading slash. */
  readonly path: string;
  readonly text: string;
}

export interface PageProps extends PageFrame {
  /** Before " · Feedgate" in the title of the window. */
  readonly title: string;
  /** For search engines. @default none */
  readonly description?: string;
  /** The one address under which search engines list the page. @default none */
  readonly canonical?: string;
  /** Whether search engines may list the page. @default true */
  readonly isListed?: boolean;
  /** The way from the page's folder to the gateway's root, without a trailing slash: `.`, `..`. */
  readonly root: string;
  readonly menu: readonly MenuLink[];
  /** The path of the link in the menu that the page is below. */
  readonly current?: string;
  /** At the right of the header: who is signed in. */
  readonly who?: ComponentChildren;
  /** More of the head. */
  readonly head?: ComponentChildren;
  /** Whether there are charts, which take another script. @default false */
  readonly hasCharts?: boolean;
  /** The address of the events that say that the page has changed (`live_events.ts`). @default none */
  readonly live?: string | undefined;
  readonly children: ComponentChildren;
}

/** What the gateway is, in a sentence. */
export const WHAT_IT_IS =
  "Feedgate is a gateway through which providers push JSON feeds, and AI agents find, read and pay for them.";

/** The menu of public pages. */
export const PUBLIC_MENU: readonly MenuLink[] = [
  { path: "", text: "Catalog" },
  { path: "docs/guides", text: "Guides" },
  { path: "docs", text: "API reference" },
];

/** What all pages of a gateway have in common, and its settings decide. */
export interface PageFrame {
  /** Menu links beside those of the pages themselves, such as the console's. @default none */
  readonly more?: readonly MenuLink[];
}

/** The link to the console, in menus of pages outside it. */
export const CONSOLE_LINK: MenuLink = { path: "console", text: "Console" };

/** Where a stranger begins, if the gateway lets everybody join. */
export const JOIN_LINK: MenuLink = { path: "console/sign-in", text: "Get a key" };

interface Gateway {
  readonly hasConsole: boolean;
  /** Whether everybody may join. @default false */
  readonly canJoin?: boolean;
}

/** The frame of a gateway's pages. */
export function pageFrame({ hasConsole, canJoin = false }: Gateway): PageFrame {
  if (!hasConsole) return {};
  return { more: [...(canJoin ? [JOIN_LINK] : []), CONSOLE_LINK] };
}

/** The way from the folder of a page with this path to the gateway's root: `.`, `..`, `../..`. */
export function rootOf(path: string): string {
  return (
    path
      .split("/")
      .slice(1, -1)
      .map(() => "..")
      .join("/") || "."
  );
}

/** The page as HTML. */
export function renderPage(props: PageProps): string {
  return `<!doctype html>\n${renderToString(<Page {...props} />)}\n`;
}

function Page(props: PageProps) {
  const { title, description, canonical, root, head, hasCharts = false, ...body } = props;
  const { isListed = true, more = [] } = props;
  const asset = (name: UiFileName) => assetUrl(root, name);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === "Feedgate" ? title : `${withoutInvisible(title)} · Feedgate`}</title>
        {description !== undefined && <meta name="description" content={description} />}
        {!isListed && <meta name="robots" content="noindex" />}
        {canonical !== undefined && <link rel="canonical" href={canonical} />}
        <link rel="icon" type="image/svg+xml" href={asset("icon.svg")} />
        <link rel="stylesheet" href={asset("page.css")} />
        {hasCharts && <link rel="stylesheet" href={asset("chart.css")} />}
        {hasCharts && <script src={asset("chart.js")} defer />}
        <script src={asset("page.js")} type="module" />
        {props.live !== undefined && <script src={asset("live.js")} type="module" />}
        {head}
      </head>
      <Body root={root} {...body} menu={[...body.menu, ...more]} />
    </html>
  );
}

type BodyProps = Pick<PageProps, "root" | "menu" | "current" | "who" | "live" | "children">;

function Body({ root, menu, current, who, live, children }: BodyProps) {
  return (
    <body>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="wrap">
          <a class="brand" href={`${root}/`}>
            Feedgate
          </a>
          <nav aria-label="Pages">
            {menu.map(({ path, text }) => (
              <a href={`${root}/${path}`} aria-current={path === current ? "page" : undefined}>
                {text}
              </a>
            ))}
          </nav>
          {who !== undefined && <div class="who">{who}</div>}
        </div>
      </header>
      <main id="main" class="wrap" data-live={live}>
        {children}
      </main>
      <footer class="foot">
        <div class="wrap">
          <nav aria-label="About this gateway">
            <a href={`${root}/docs/guides/connect`}>Connect an agent</a>
            <a href={`${root}/docs/guides/providers`}>Publish a feed</a>
            <a href={`${root}/docs`}>API reference</a>
            <a href={`${root}/openapi.json`}>OpenAPI</a>
            <a href={`${root}/llms.txt`}>llms.txt</a>
          </nav>
        </div>
      </footer>
    </body>
  );
}
