/**
 * The mistake of a field that a body may not have.
 *
 * @module
 */
import { excerpt } from "./code_points.ts";
import type { FieldError } from "./field_error.ts";
import { boundedPointer, type JsonText, pointerTo } from "./json_text.ts";

/** @param nearest the field that was probably meant */
export function unknownField(name: string, nearest?: string): string {
  const remedy = nearest === undefined ? "leave it out" : `use "${nearest}", or leave it out`;
  return `there is no field ${JSON.stringify(excerpt(name))}; ${remedy}`;
}

/** The fields of a body that are not among the known ones, in the body's order. */
export function unknownFields({ root }: JsonText, known: object): FieldError[] {
  return (root.members ?? [])
    .filter(({ key }) => !Object.hasOwn(known, key))
    .map(({ key }) => ({ path: boundedPointer(pointerTo(key)), message: unknownField(key) }));
}
