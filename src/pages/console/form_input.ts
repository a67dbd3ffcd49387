/**
 * The input of a function, built from a page and its form.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import { parseInput, readInput } from "../../api/input/read_input.ts";
import type { InputOf } from "../../operator/operator.ts";

export interface Given {
  /** Members of the input that the page knows. A mistake in one is not a mistake in the form. */
  readonly known?: Readonly<Record<string, string>>;
  /** Members that were typed. Money is read from its digits. */
  readonly typed?: object;
}

/** @throws {Problem} 400 for what is known, 422 for what was typed */
export function inputOf<Schema extends TObject>(
  schema: Schema,
  { known = {}, typed = {} }: Given,
): InputOf<Schema> {
  const body = parseInput(JSON.stringify(typed));
  return readInput(schema, { path: known, query: {}, body });
}
