import { expect, test } from "bun:test";
import { wantsHtml } from "../../src/http/wants_html.ts";

test.each([
  [null, false],
  ["*/*", false],
  ["text/html", true],
  ["text/html,application/xhtml+xml,*/*;q=0.8", true],
  ["text/html, application/json", true],
  ["application/json, text/html", false],
  ["text/html;q=0", false],
  ["text/html;q=0.1, application/json", false],
  ["application/json;q=0.5, text/html;level=1;q=0.9", true],
])("Accept: %s", (accept, isHtml) => {
  expect(wantsHtml(accept)).toBe(isHtml);
});
