import { expect, test } from "bun:test";
import { Glob } from "bun";
import { checkDetail, sentencesOf } from "../support/problem_detail.ts";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));
/** `detail:`, or a function that takes one, and the text after it. */
const DETAIL =
  /(?:\bdetail:|\bunavailable\(|\binvalidParameter\(|\bunsupported\()\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;
const PLACEHOLDER = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g;

test("every detail that the sources write has at most two sentences", async () => {
  const details: string[] = [];
  for (const path of new Glob(
    "src/{api,http,read,push,feeds,accounts,purchases,routes,oauth,topups,mcp,pages}/**/*.ts",
  ).scanSync(ROOT)) {
    const source = await Bun.file(ROOT + path).text();
    for (const [, quoted, template] of source.matchAll(DETAIL)) {
      const text = quoted ?? template ?? "";
      // Otherwise it is a part of a sentence, which the tests that get it look at whole.
      if (text.endsWith(".")) details.push(text.replace(PLACEHOLDER, "1"));
    }
  }
  expect(details.length).toBeGreaterThan(40);
  expect(details.filter((detail) => sentencesOf(detail).length > 2)).toEqual([]);
});

test("a third sentence, or a detail without its end, is noticed", () => {
  const problem = { code: "INTERNAL", request_id: "1" };
  for (const detail of ["One. Two. Three.", "No end", 'One "a. B". Two? Three.']) {
    expect(() => checkDetail({ ...problem, detail })).toThrow("INTERNAL");
  }
  for (const detail of ["One.", 'Got "a. B. C". Did you mean $.a or 1.5?']) {
    expect(() => checkDetail({ ...problem, detail })).not.toThrow();
  }
});
