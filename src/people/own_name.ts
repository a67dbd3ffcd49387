/**
 * The name that people choose for themselves or their account. Others see it, so it is one line of visible text.
 *
 * @module
 */
import { hasAtMost } from "../lib/code_points.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";

export type OwnName =
  | { readonly kind: "name"; readonly name: string }
  /** In one sentence. */
  | { readonly kind: "refused"; readonly why: string };

/** Line breaks become blanks. Invisible characters, such as bidirectional overrides, are removed. */
export function readOwnName(typed: string): OwnName {
  const name = withoutInvisible(typed.replace(/\s+/g, " ")).trim();
  if (name === "") return { kind: "refused", why: "Enter a name." };
  return hasAtMost(name, NAME_LENGTH_MAX)
    ? { kind: "name", name }
    : { kind: "refused", why: `A name can have at most ${NAME_LENGTH_MAX} characters.` };
}
