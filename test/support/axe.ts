/**
 * axe-core, run in a page of a real browser.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** The minified version, because each page compiles it. */
const SOURCE = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: "minor" | "moderate" | "serious" | "critical";
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * The rules that the page violates, each with its first violating element. `where`: a context of axe, as JavaScript.
 */
export async function violationsOf(
  page: Page,
  { where = "document", isSeriousOnly = false } = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(SOURCE);
  const found = (await page.evaluate(
    `axe.run(${where}, { resultTypes: ["violations"], selectors: false }).then(({ violations }) => violations)`,
  )) as readonly Violation[];
  return found
    .filter(({ impact }) => !isSeriousOnly || impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}
