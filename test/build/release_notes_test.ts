import { expect, test } from "bun:test";
import { changelogSection, releaseDay } from "../../src/build/release_notes.ts";

const CHANGELOG = `# Changelog

## 0.3.0-dev

- New.

## 0.2.0

25 November 2026.

- Old.

## 0.2.0-beta

- Older.
`;

test("the notes of a release are its section of the changelog, and no other", () => {
  expect(changelogSection(CHANGELOG, "0.2.0")).toBe("25 November 2026.\n\n- Old.");
  expect(changelogSection(CHANGELOG, "0.2")).toBeUndefined();
  expect(changelogSection(CHANGELOG, "0.4.0")).toBeUndefined();
});

test("only a section with a day was released", () => {
  expect(releaseDay(changelogSection(CHANGELOG, "0.2.0") ?? "")).toBe("25 November 2026");
  expect(releaseDay(changelogSection(CHANGELOG, "0.3.0-dev") ?? "")).toBeUndefined();
});
