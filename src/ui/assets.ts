/**
 * The files that pages need: one stylesheet, one small script, the script of charts. In the executable, too.
 *
 * @module
 */
import chartScript from "uplot/dist/uPlot.iife.min.js" with { type: "file" };
import chartStyles from "uplot/dist/uPlot.min.css" with { type: "file" };
import icon from "./icon.svg" with { type: "file" };
import script from "./page_script.js" with { type: "file" };
import styles from "./styles.css" with { type: "file" };

const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";

/** A file by the name under which it is served: its place, and its media type. */
export const UI_FILES = {
  "page.css": { path: styles, type: STYLES },
  "page.js": { path: script, type: SCRIPT },
  "chart.css": { path: chartStyles, type: STYLES },
  "chart.js": { path: chartScript, type: SCRIPT },
  "icon.svg": { path: icon, type: "image/svg+xml" },
} as const;
