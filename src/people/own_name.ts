/**
 * The name that a person gives itself or its account. It is shown to others, so it is one line of visible text.
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

/** Line breaks become blanks. Characters that nobody sees, such as bidirectional overrides, are left out. */
export function readOwnName(typed: string): OwnName {
  const name = withoutInvisible(typed.replace(/\s+/g, " ")).trim();
  if (name === "") return { kind: "refused", why: "Enter a name." };
  return hasAtMost(name, NAME_LENGTH_MAX)
    ? { kind: "name", name }
    : { kind: "refused", why: `A name can have at most ${NAME_LENGTH_MAX} characters.` };
}
