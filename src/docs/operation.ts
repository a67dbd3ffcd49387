/**
 * How an operation is documented: what its route alone can't tell.
 *
 * @module
 */
import type { TSchema } from "@sinclair/typebox";
import type { ProblemCode } from "../http/errors.ts";
import type { HeaderName } from "./headers.ts";
import type { SchemaName } from "./schemas.ts";

/** Of every route that takes a key. */
export const KEY_PROBLEMS = ["KEY_REQUIRED", "KEY_INVALID", "KEY_PERMISSION"] as const;
/** Of every route that asks the database. */
export const SERVER_PROBLEMS = ["RATE_LIMITED", "INTERNAL", "UNAVAILABLE"] as const;

/** Who may call: which key it takes. Interface 5. */
export type Access = "consumer" | "provider" | "public";

/** Which window the operation is counted in: what its 429 and its rate headers speak of. */
export type Window = "data" | "discovery" | "push" | "housekeeping";

export interface ParameterDoc {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: unknown;
  /** OpenAPI's; only for the filters, whose names are the feed's own. */
  readonly style?: "form";
  readonly explode?: boolean;
}

/** Examples by their title. */
export type Examples = Readonly<Record<string, unknown>>;

export interface BodyDoc {
  readonly schema: SchemaName;
  readonly description: string;
  readonly examples: Examples;
  /** An example as newline-delimited JSON, where that is taken too. */
  readonly lines?: string;
}

export interface MediaDoc {
  readonly schema: SchemaName | TSchema;
  readonly example?: unknown;
  readonly examples?: Examples;
}

export interface AnswerDoc {
  readonly description: string;
  /** By media type; none: an answer without a body. */
  readonly content?: Readonly<Record<string, MediaDoc>>;
  /** Headers that it always has, beside `X-Request-Id`. */
  readonly headers?: readonly HeaderName[];
  /** Headers that it may have. */
  readonly headersOptional?: readonly HeaderName[];
}

export interface OperationDoc {
  readonly operationId: string;
  readonly method: "get" | "post" | "patch";
  /** As the document shows it; routes are matched by its form, whatever they call their parameter. */
  readonly path: string;
  readonly access: Access;
  readonly tag: "discovery" | "data" | "account" | "provider" | "skills" | "operations";
  readonly summary: string;
  readonly description: string;
  /** Beside, or instead of, those that the route declares; told apart by place and name. */
  readonly parameters?: readonly ParameterDoc[];
  readonly body?: BodyDoc;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  readonly problems: readonly ProblemCode[];
  readonly window?: Window;
}
