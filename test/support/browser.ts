/**
 * A real browser for pages: Chromium through playwright-core. It reaches the gateway only, and what it complains about
 * is kept.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Tests of pages are left out, and say so, where there is no browser. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  console.log(`pages: not driven in a browser, since there is no ${CHROMIUM} (see CHROMIUM_PATH)`);
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export interface Look {
  readonly width?: 1400 | 390;
  readonly scheme?: "light" | "dark";
  readonly hasJavaScript?: boolean;
}

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Messages of the browser's console, errors of scripts, and addresses of other hosts. */
  readonly complaints: readonly string[];
}

/** A page that is watched. */
export async function openWatched(
  browser: Browser,
  baseUrl: string,
  { width = 1400, scheme = "light", hasJavaScript = true }: Look = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme: scheme,
    javaScriptEnabled: hasJavaScript,
    reducedMotion: "reduce",
  });
  const complaints: string[] = [];
  const { host } = new URL(baseUrl);
  await context.route(
    (url) => url.host !== host && url.protocol !== "data:" && url.protocol !== "blob:",
    (route) => {
      complaints.push(`asked ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => complaints.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  return { context, page, complaints };
}
