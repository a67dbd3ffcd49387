import { describe, expect, test } from "bun:test";
import { PUBLIC_MENU, renderPage } from "../../../src/pages/layout/page.tsx";
import {
  Chart,
  digits,
  dollars,
  Facts,
  Table,
  Text,
  Time,
} from "../../../src/pages/layout/parts.tsx";

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e`;

describe("a page", () => {
  test("escapes a stranger's text wherever it stands, and leaves out what nobody would see", () => {
    const html = renderPage({
      title: HOSTILE,
      root: ".",
      menu: PUBLIC_MENU,
      children: (
        <>
          <Text of={HOSTILE} />
          <Facts of={{ Name: HOSTILE }} />
          <Table
            label={HOSTILE}
            rows={[HOSTILE]}
            columns={[{ head: "A", cell: (row) => row }]}
            empty=""
          />
        </>
      ),
    });
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img src=x");
    expect(html).toContain("&lt;script>alert(1)&lt;/script>");
  });

  test("has one main part, a title, and no inline script or style", () => {
    const html = renderPage({
      title: "Feeds",
      root: "..",
      menu: PUBLIC_MENU,
      current: "docs",
      children: "x",
    });
    expect(html).toContain("<title>Feeds · Feedgate</title>");
    expect(html.match(/<main/g)).toHaveLength(1);
    expect(html).toContain('<a href="../docs" aria-current="page">');
    expect(html).not.toMatch(/<script(?![^>]*src=)|style=|<style/);
  });
});

test("figures are grouped by thousands, and lose no digit", () => {
  expect([
    digits(1234567),
    digits("0.000001"),
    digits(JSON.rawJSON("12345678901234567.125")),
  ]).toEqual(["1,234,567", "0.000001", "12,345,678,901,234,567.125"]);
  expect([digits(-1234), digits(999)]).toEqual(["-1,234", "999"]);
});

test("dollars have two decimals at least, and lose no digit", () => {
  expect([dollars(5), dollars("1234.5"), dollars("0.0000005"), dollars(-999)]).toEqual([
    "5.00",
    "1,234.50",
    "0.0000005",
    "-999.00",
  ]);
});

test("a time has its zone, and seconds if they matter", () => {
  const html = renderPage({
    title: "x",
    root: ".",
    menu: [],
    children: (
      <>
        <Time of="2026-11-21T10:00:05.123456Z" />
        <Time of="2026-11-21T10:00:05.123456Z" isExact />
      </>
    ),
  });
  expect(html).toContain(">2026-11-21 10:00 UTC</time>");
  expect(html).toContain(">2026-11-21 10:00:05 UTC</time>");
});

test("a chart is a table that the script draws", () => {
  const html = renderPage({
    title: "x",
    root: ".",
    menu: [],
    hasCharts: true,
    children: (
      <Chart title="Reads" series={["reads"]} points={[{ at: "2026-01-02", values: [1500] }]} />
    ),
  });
  expect(html).toContain('<td data-value="1767312000">2026-01-02</td>');
  expect(html).toContain('<td class="num" data-value="1500">1,500</td>');
  expect(html).toMatch(/chart\.[0-9a-f]{12}\.js/);
});
