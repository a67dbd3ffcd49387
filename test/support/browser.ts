/**
 * A real browser for pages: Chromium through playwright-core. It can reach only the gateway, and its complaints are
 * recorded.
 *
 * @module
 */
import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { whenBusy } from "./pace.ts";

/** The headless shell has the same engine without desktop windows, and takes about half the processor time. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const CHROMIUM =
  process.env.CHROMIUM_PATH ?? PROGRAMS.find((path) => existsSync(path)) ?? PROGRAMS[0];
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

/** The driver's own timeout of a step. A page that renders completely takes seconds of processor time. */
const STEP_MS_MAX = 30_000;

/** Without a browser, tests of pages are skipped, with a message. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  console.log(`pages: not driven in a browser, since there is no ${CHROMIUM} (see CHROMIUM_PATH)`);
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Opens a browser context of a new visitor, without cookies. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(whenBusy(STEP_MS_MAX));
  return context;
}

/**
 * How many times to press Tab before the element can have the focus: 0 if it has it. May be too few, for example if an
 * area that scrolls is a stop, too.
 */
const TABS_TO = `
  const { activeElement } = document;
  if (activeElement === target) return 0;
  const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(
    (each) => each.tabIndex >= 0 && !each.disabled && each.type !== "radio" && each.checkVisibility({ visibilityProperty: true }),
  );
  const from = stops.indexOf(activeElement);
  const isKnown = from >= 0 || (activeElement === document.body && location.hash === "");
  const tabs = stops.indexOf(target) - from;
  return isKnown && tabs > 0 ? tabs : 1;
`;

// A function that runs in the page, whose types are not among ours.
const tabsTo = new Function("target", TABS_TO) as (target: unknown) => number;

/** Presses Tab until the element has the focus. @throws if that takes more than `tabsMax` */
export async function tabTo(page: Page, target: Locator, tabsMax: number): Promise<void> {
  for (let tabs = 0; tabs < tabsMax; ) {
    const missing: number = await target.evaluate(tabsTo);
    if (missing === 0) return;
    for (let pressed = 0; pressed < missing; pressed += 1) await page.keyboard.press("Tab");
    tabs += missing;
  }
  throw new Error(`no Tab leads to ${target}`);
}

export interface Look {
  readonly width?: 1400 | 390;
  readonly scheme?: "light" | "dark";
  readonly hasJavaScript?: boolean;
}

/** Of a window, in pixels. */
const HEIGHTS = { 1400: 900, 390: 844 } as const;
/**
 * Scripts learn of a new size or scheme with the next frame, and what they draw then is laid out by the one after.
 * Colors may change gradually.
 */
const SETTLED = `(async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const running = () => document.getAnimations().filter((each) => each instanceof CSSTransition);
  for (let now = running(); now.length > 0; now = running()) {
    await Promise.allSettled(now.map((each) => each.finished));
  }
})()`;

/**
 * Opens each page, and shows it in each look. `isFirst`: whether the page was opened in this look; for the others, the
 * window is resized, and the scheme changed.
 */
export async function* inLooks(
  page: Page,
  addresses: readonly string[],
  looks: readonly Look[],
): AsyncGenerator<{ readonly address: string; readonly look: Look; readonly isFirst: boolean }> {
  const turns = [...looks];
  for (const address of addresses) {
    await page.goto(address);
    for (const [place, look] of turns.entries()) {
      if (place > 0) await changeLook(page, look);
      yield { address, look, isFirst: place === 0 };
    }
    // The next page is opened in the look that the window has.
    turns.reverse();
  }
}

async function changeLook(page: Page, { width = 1400, scheme = "light" }: Look): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHTS[width] });
  await page.emulateMedia({ colorScheme: scheme });
  await page.evaluate(SETTLED);
}

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console messages, script errors, dialogs, and requests to other hosts. */
  readonly complaints: readonly string[];
}

/** Opens a page whose complaints are recorded. */
export async function openWatched(
  browser: Browser,
  baseUrl: string,
  { width = 1400, scheme = "light", hasJavaScript = true }: Look = {},
): Promise<Watched> {
  const context = await newVisitor(browser, {
    viewport: { width, height: HEIGHTS[width] },
    colorScheme: scheme,
    javaScriptEnabled: hasJavaScript,
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
  page.on("dialog", (dialog) => {
    complaints.push(`${page.url()}: dialog ${dialog.message()}`);
    return dialog.dismiss();
  });
  return { context, page, complaints };
}
