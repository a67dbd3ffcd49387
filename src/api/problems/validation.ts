/**
 * The problem of a parameter that fails its route's schema. It names the parameter, the given and the allowed values,
 * or the parameter that was probably meant.
 *
 * @module
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import type { TypeCheck } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { ValidationError } from "elysia";
import type { Problem } from "../../http/problem_details.ts";
import { mismatchOf } from "../../lib/typebox.ts";
import { invalidParameter, type Refuse, RefuseBy, unknownParameter } from "../input/parameters.ts";

/** The problem of a validation that failed in Elysia. */
export function invalidRequestPart({ validator, value }: ValidationError): Problem {
  // Elysia supports validators of several libraries. Ours are all TypeBox's.
  return parameterProblem(validator as TypeCheck<TSchema>, value);
}

/** Checks the headers that a schema names. @throws {Problem} 400 `INVALID_PARAMETER` */
export function checkHeaders(check: TypeCheck<TObject>, { headers }: Request): void {
  const sent: Record<string, string> = {};
  for (const name in check.Schema().properties) {
    const value = headers.get(name);
    if (value !== null) sent[name] = value;
  }
  if (!check.Check(sent)) throw parameterProblem(check, sent);
}

/** The problem of the first mistake in a query or in headers, where an array is a repeated name. */
export function parameterProblem(check: TypeCheck<TSchema>, value: unknown): Problem {
  const error = firstError(check, value);
  const [name = ""] = namesIn(error);
  const own = ownProblem(error, { name, check });
  if (own !== undefined) return own;
  return Array.isArray(error.value)
    ? invalidParameter(`${name} was sent twice. Send it once.`, name)
    : mismatch(error, name);
}

/**
 * The problem of the first mistake in the arguments of a tool, which are JSON. An unknown argument is reported before a
 * missing one, because it is probably a misspelling of it.
 */
export function argumentProblem(
  check: TypeCheck<TSchema>,
  value: Readonly<Record<string, unknown>>,
): Problem {
  const known = Object.keys(check.Schema().properties ?? {});
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) return unknownParameter(unknown, known);
  const error = firstError(check, value);
  const name = namesIn(error).join(".");
  return ownProblem(error, { name, check }) ?? mismatch(error, name);
}

function firstError(check: TypeCheck<TSchema>, value: unknown): ValueError {
  const error = check.Errors(value).First();
  if (error === undefined) throw new Error("a validation failed and there is no mistake");
  return error;
}

/** The names on the path to the value. */
function namesIn({ path }: ValueError): string[] {
  return path
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

interface Place {
  readonly name: string;
  readonly check: TypeCheck<TSchema>;
}

/** The problem of an unknown name, or the one that a schema defines itself. */
function ownProblem({ schema, type, value }: ValueError, { name, check }: Place) {
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    return unknownParameter(name, Object.keys(check.Schema().properties ?? {}));
  }
  const refuse: Refuse | undefined = Reflect.get(schema, RefuseBy);
  return refuse?.(name, value);
}

function mismatch({ schema, value }: ValueError, name: string): Problem {
  return invalidParameter(
    ({ nameOf }) =>
      value === undefined
        ? `${nameOf(name)} is missing. Send it.`
        : `${nameOf(name)} ${mismatchOf(schema, value)}.`,
    name,
  );
}
