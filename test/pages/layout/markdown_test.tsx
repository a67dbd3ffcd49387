/** @jsxImportSource preact */
import { describe, expect, test } from "bun:test";
import { render } from "preact-render-to-string";
import { Markdown } from "../../../src/pages/layout/markdown.tsx";
import { threadMs } from "../../support/thread_time.ts";

/** The longest readme. */
const CHARS = 200_000;
/** Several times what the dearest of them takes. Some took a minute. */
const MS_MAX = 100;

function filled(piece: string): string {
  return piece.repeat(CHARS / piece.length);
}

function staircase(step: string): string {
  let text = "";
  for (let depth = 0; text.length < CHARS; depth++) text += `${step.repeat(depth)}- a\n`;
  return text.slice(0, CHARS);
}

describe("Markdown", () => {
  const hostile: Record<string, string> = {
    "ordered lists in a line": filled("1. "),
    "lists in a line": filled("+ "),
    quotes: filled(">"),
    "quotes and lists": filled("> - "),
    "indented quotes": filled("  > "),
    "lists in lists, indented": staircase("  "),
    "lists in lists, by tabs": staircase("\t"),
    "lines of quotes as deep as may be": filled(`${"> ".repeat(8)}a\n`),
    "lines of lists as deep as may be": filled(`${"1. ".repeat(8)}a\n`),
    brackets: filled("["),
    "links in links": filled("[[[a](b)](c)](d)"),
    emphasis: filled("a**b*"),
    references: filled("[a]: b\n") + filled("[a]\n"),
    table: `a|b\n-|-\n${filled("x|y\n")}`,
  };
  for (const [name, text] of Object.entries(hostile)) {
    test(`a readme costs no more than its length: ${name}`, () => {
      const beforeMs = threadMs();
      render(<Markdown of={text} />);
      expect(threadMs() - beforeMs).toBeLessThan(MS_MAX);
    });
  }

  test("a long text is rendered up to a paragraph's end, and shown as it is from there on", () => {
    const long = `${"**a** b\n\n".repeat(4_000)}**end** <b>`;
    const html = render(<Markdown of={long} />);
    expect(html).toStartWith('<div class="markdown"><p><strong>a</strong> b</p>');
    expect(html).toContain('</p></div><pre class="markdown" tabindex="0">**a** b');
    expect(html).toEndWith("**end** &lt;b></pre>");
    const rendered = html.split("<strong>").length - 1;
    const plain = html.split("**a**").length - 1;
    expect(rendered + plain).toBe(4_000);
  });

  test("a text of invisible characters is nothing", () => {
    for (const text of ["", "\u200b", " \u200b\n\u2060"])
      expect(render(<Markdown of={text} />)).toBe("");
  });

  test("text that nests deeper than eight containers is shown as it is, escaped", () => {
    const deep = `${"> ".repeat(9)}<b>`;
    expect(render(<Markdown of={deep} />)).toBe(
      `<pre class="markdown" tabindex="0">${"> ".repeat(9)}&lt;b></pre>`,
    );
    expect(render(<Markdown of={`${"> ".repeat(8)}a`} />)).toContain("<blockquote><p>a</p>");
  });
});
