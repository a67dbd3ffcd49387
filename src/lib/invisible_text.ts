/**
 * Removes or escapes characters that people don't see but machines obey. Every untrusted text that goes to a model or a
 * terminal passes through here, except rows, which are returned as they were pushed.
 *
 * @module
 */

/**
 * Control and format characters (bidirectional overrides, zero width, tags), private use, lone surrogates, characters
 * that Unicode lets a font ignore (variation selectors, fillers), and the braille blank. Line breaks are kept.
 */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const HEX = 16;
const UNIT_DIGITS = 4;

/** For a model. Removes characters that a person would not see. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** For a terminal or a JSON string. Escapes such characters as in JSON, so that nothing is lost. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(HEX).padStart(UNIT_DIGITS, "0")}`)
      .join(""),
  );
}
