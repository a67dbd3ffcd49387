/**
 * `licenses`: prints the terms of all that the program and its executable hold.
 *
 * @module
 */
import { defineCommand } from "../command.ts";
import notices from "../generated/notices.json" with { type: "json" };

/** A part of the program that others made, or the program itself. */
export interface Notice {
  readonly name: string;
  /** "" if the part has none of its own. */
  readonly version: string;
  /** An SPDX identifier, or a few words. */
  readonly license: string;
  /** The terms, with their copyright notices. */
  readonly text: string;
}

const NOTICES: readonly Notice[] = notices;
const RULE = "=".repeat(79);

/** The command `licenses`. */
export const licenses = defineCommand({
  words: "licenses",
  about: "print the licenses and notices of everything in the program",
  needsNoDatabase: true,
  options: {},
  run: async () => ({ json: JSON.stringify(NOTICES), text: NOTICES.map(noticeText).join("\n\n") }),
});

function noticeText({ name, version, license, text }: Notice): string {
  return `${RULE}\n${[name, version, `(${license})`].filter(Boolean).join(" ")}\n${RULE}\n\n${text}`;
}
