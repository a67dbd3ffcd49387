/**
 * `licenses`: prints the licenses of everything that the program and its executable contain.
 *
 * @module
 */
import { defineCommand } from "../command.ts";
import notices from "../generated/notices.json" with { type: "json" };

/** A third-party component, or the program itself. */
export interface Notice {
  readonly name: string;
  /** "" if the component has no version of its own. */
  readonly version: string;
  /** An SPDX identifier or a short description. */
  readonly license: string;
  /** The license text, including copyright notices. */
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
