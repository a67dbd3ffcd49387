/**
 * The files that pages need: a stylesheet, a small script, the script of charts, and the outline of the world. They are
 * also part of the executable.
 *
 * The name under which a file is served contains a hash of its content, so browsers can cache it permanently.
 *
 * @module
 */
import chartScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyles from "uplot/dist/uPlot.min.css" with { type: "text" };
import { keysOf, mapTable } from "../../lib/records.ts";
import icon from "./icon.svg" with { type: "text" };
import liveScript from "./live_script.js" with { type: "text" };
import script from "./page_script.js" with { type: "text" };
import searchScript from "./search_script.js" with { type: "text" };
import styles from "./styles.css" with { type: "text" };
import world from "./world.svg" with { type: "text" };

const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";
const SVG = "image/svg+xml";
const HASH_LENGTH = 12;

interface UiFile {
  readonly text: string;
  readonly type: string;
}

const UI_FILES = {
  "page.css": { text: styles, type: STYLES },
  "page.js": { text: script, type: SCRIPT },
  "live.js": { text: liveScript, type: SCRIPT },
  "search.js": { text: searchScript, type: SCRIPT },
  "chart.css": { text: chartStyles, type: STYLES },
  "chart.js": { text: chartScript, type: SCRIPT },
  "icon.svg": { text: icon, type: SVG },
  // Countries of Natural Earth (1:110m, through npm world-atlas 2.0.2), public domain, rounded to half a degree.
  "world.svg": { text: world, type: SVG },
} as const satisfies Record<string, UiFile>;

export type UiFileName = keyof typeof UI_FILES;

/** `page.css` as `page.3fe1….css`. */
const SERVED_NAMES = mapTable(UI_FILES, ({ text }, name) => {
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
  return name.replace(".", `.${hash}.`);
});

/** Files by the names under which they are served. */
export const SERVED_FILES: ReadonlyMap<string, UiFile> = new Map(
  keysOf(UI_FILES).map((name) => [SERVED_NAMES[name], UI_FILES[name]]),
);

/** The address of a file. `root` is the way from the page's folder to the gateway's root, without a trailing slash. */
export function assetUrl(root: string, name: UiFileName): string {
  return `${root}/assets/${SERVED_NAMES[name]}`;
}
