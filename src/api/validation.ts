/**
 * The problem of a parameter that fails its route's schema. It names the parameter, what was given and what is
 * allowed, or the parameter that was probably meant. Decisions 2.
 *
 * @module
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import type { TypeCheck } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { ValidationError } from "elysia";
import type { Problem } from "../http/errors.ts";
import { mismatchOf } from "../lib/typebox.ts";
import { invalidParameter, type Refuse, RefuseBy, unknownParameter } from "./parameters.ts";

/** The problem of a validation that failed in Elysia. */
export function invalidRequestPart({ validator, value }: ValidationError): Problem {
  // Elysia knows validators of several libraries; all of ours are TypeBox's.
  return parameterProblem(validator as TypeCheck<TSchema>, value);
}

/** The headers that a schema names. @throws {Problem} 400 `INVALID_PARAMETER` */
export function checkHeaders(check: TypeCheck<TObject>, { headers }: Request): void {
  const sent: Record<string, string> = {};
  for (const name in check.Schema().properties) {
    const value = headers.get(name);
    if (value !== null) sent[name] = value;
  }
  if (!check.Check(sent)) throw parameterProblem(check, sent);
}

/** The problem of the first mistake. */
export function parameterProblem(check: TypeCheck<TSchema>, value: unknown): Problem {
  const error = check.Errors(value).First();
  if (error === undefined) throw new Error("a validation failed and there is no mistake");
  return problemOfError(error, Object.keys(check.Schema().properties ?? {}));
}

function problemOfError({ path, schema, type, value }: ValueError, known: string[]): Problem {
  const name = path.split("/", 2)[1]?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "";
  if (type === ValueErrorType.ObjectAdditionalProperties) return unknownParameter(name, known);
  const refuse: Refuse | undefined = Reflect.get(schema, RefuseBy);
  const refusal = refuse?.(name, value);
  if (refusal !== undefined) return refusal;
  if (value === undefined) return invalidParameter(`${name} is missing. Send it.`);
  if (Array.isArray(value)) return invalidParameter(`${name} is given twice. Send it once.`);
  return invalidParameter(`${name} ${mismatchOf(schema, value)}.`);
}
