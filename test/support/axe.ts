/**
 * axe-core, run in a page of a real browser.
 *
 * @module
 */
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: "minor" | "moderate" | "serious" | "critical";
  readonly nodes: readonly { readonly html: string }[];
}

/** The rules that the page violates, each with its first element. `where`: a context of axe, as JavaScript. */
export async function violationsOf(
  page: Page,
  { where = "document", isSeriousOnly = false } = {},
): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate(
    `axe.run(${where}).then(({ violations }) => violations)`,
  )) as readonly Violation[];
  return found
    .filter(({ impact }) => !isSeriousOnly || impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}
