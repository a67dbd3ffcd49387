/**
 * Defines a route of the operator API from a function of `src/operator`.
 *
 * The schemas of parameters and body are derived from the function's input, so that each schema is written once.
 *
 * @module
 */
import { KindGuard, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Actor } from "../../accounts/actor.ts";
import { cappedLimit, limitParameter } from "../../api/input/paging.ts";
import {
  parameters,
  queryDay,
  queryFlag,
  queryInteger,
  queryTime,
} from "../../api/input/parameters.ts";
import { type Given, readInput } from "../../api/input/read_input.ts";
import { documented } from "../../api/reference/described.ts";
import type { ProblemCode } from "../../http/problem_details.ts";
import { nullable } from "../../lib/typebox.ts";
import { PAGE_LIMIT_MAX } from "../../limits.ts";
import type { Notifying } from "../../notices/webhooks.ts";
import type { Reply } from "../../operator/act_once.ts";
import { PAGE_ROWS, type Page } from "../../operator/keyset_page.ts";
import type { InputOf, Operator } from "../../operator/operator.ts";
import type { Inviting } from "../../people/members.ts";

/** The context in which an operator function runs. */
export interface Acting {
  readonly operator: Inviting & Notifying;
  readonly actor: Actor;
  /** Reference of the ledger entry, if the call has an Idempotency-Key. */
  readonly reference: string | undefined;
}

interface RouteText {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below `/operator`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** By status: the body's schema and an example. */
  readonly answers: Readonly<Partial<Record<200 | 201, Answered>>>;
  /** Problem codes specific to this route. */
  readonly problems: readonly ProblemCode[];
  /** Whether the call is idempotent: repeated, it changes nothing and returns the same response. */
  readonly isSafeToRepeat?: boolean;
  /** Whether the response contains a secret that is not stored, such as a key. */
  readonly isSecret?: boolean;
}

interface Answered {
  readonly shape: TSchema;
  readonly example: unknown;
  /** The example as CSV, if the route supports CSV. */
  readonly csv?: string;
}

interface RouteSpec<Input extends TObject> extends RouteText {
  readonly input: Input;
  /** Names in the input, by path parameter. */
  readonly names?: Readonly<Record<string, string>>;
  /** An example body, if the route has one. */
  readonly example?: object;
  act(acting: Acting, input: InputOf<Input>): Promise<Reply>;
}

export interface OperatorRoute extends RouteText {
  readonly params: TObject;
  readonly query: ReturnType<typeof parameters>;
  /** Undefined if the route has no body. */
  readonly body: TSchema | undefined;
  run(acting: Acting, given: Given): Promise<Reply>;
}

export function defineRoute<Input extends TObject>(spec: RouteSpec<Input>): OperatorRoute {
  const { input, names = {}, example, act, ...text } = spec;
  const inPath = Object.entries(names);
  const others = Object.entries<TSchema>(input.properties).filter(
    ([name]) => !inPath.some(([, known]) => known === name),
  );
  const hasBody = text.method === "POST" || text.method === "PATCH";
  return {
    ...text,
    params: Type.Object(
      Object.fromEntries(inPath.map(([name, known]) => [name, required(input.properties[known])])),
    ),
    query: parameters(
      Object.fromEntries(hasBody ? [] : others.map(([name, each]) => [name, queryOf(name, each)])),
    ),
    body:
      hasBody && others.length > 0
        ? documented(Type.Object(Object.fromEntries(others)), {
            description: "The input of the operation; at most 256 KB.",
            examples: { "As an example": example ?? {} },
          })
        : undefined,
    run(acting, { path, query, body }) {
      const named = Object.fromEntries(inPath.map(([name, known]) => [known, path[name]]));
      return act(acting, readInput(input, { path: named, query: cappedQuery(query), body }));
    },
  };
}

function required(schema: TSchema | undefined): TSchema {
  return schema ?? Type.String();
}

/** Caps `limit` as in all routes. Commands allow a larger one. */
function cappedQuery(query: Given["query"]): Given["query"] {
  return typeof query.limit === "number" ? { ...query, limit: cappedLimit(query.limit) } : query;
}

/** Converts a member of the input to a query parameter. */
function queryOf(name: string, schema: TSchema): TSchema {
  if (name === "limit") return limitParameter("Entries", PAGE_ROWS);
  const { description = name } = schema;
  const parameter = () => {
    if (KindGuard.IsInteger(schema)) {
      return queryInteger({ minimum: schema.minimum ?? 0, maximum: schema.maximum, description });
    }
    if (KindGuard.IsBoolean(schema)) return queryFlag({ description });
    if (schema.format === "date-time") {
      return queryTime({ bound: name === "until" ? "upper" : "lower", description });
    }
    if (schema.format === "date") return queryDay({ description });
    return schema;
  };
  // An empty query is not validated against this. Required members are checked with the input.
  return KindGuard.IsOptional(schema) ? Type.Optional(parameter()) : parameter();
}

/** A 200 response. */
export function done(outcome: unknown): Reply {
  return { status: 200, body: JSON.stringify(outcome) };
}

/** A 201 response. */
export function made(outcome: unknown): Reply {
  return { status: 201, body: JSON.stringify(outcome) };
}

/** Problem codes of routes that name an account. */
export const ACCOUNT_PROBLEMS = ["ACCOUNT_NOT_FOUND", "REFERENCE_AMBIGUOUS"] as const;

interface ListSpec<Input extends TObject, Entry>
  extends Pick<RouteText, "path" | "operationId" | "summary" | "problems"> {
  /** Describes the order of the entries. */
  readonly description: string;
  readonly input: Input;
  /** Names in the input, by path parameter. */
  readonly names?: Readonly<Record<string, string>>;
  /** The member of the response that contains the entries. */
  readonly name: string;
  /** Name of the response schema in the OpenAPI document. */
  readonly $id: string;
  readonly entry: Answered;
  list(operator: Acting["operator"], input: InputOf<Input>, actor: Actor): Promise<Page<Entry>>;
  /** Formats an entry as JSON. @default `JSON.stringify` */
  textOf?(entry: Entry, operator: Operator): string;
}

/** Defines a GET route that returns one page of a list, by cursor. */
export function defineList<Input extends TObject, Entry>(
  spec: ListSpec<Input, Entry>,
): OperatorRoute {
  const { name, $id, entry, list, textOf = jsonOf, problems, ...text } = spec;
  return defineRoute({
    ...text,
    method: "GET",
    answers: {
      200: {
        shape: pageShape(name, entry.shape, $id),
        example: { [name]: [entry.example], limit: PAGE_ROWS, has_more: false, next_cursor: null },
      },
    },
    problems: ["CURSOR_INVALID", "REPORT_TOO_LONG", ...problems],
    async act({ operator, actor }, input) {
      const { entries, limit, nextCursor } = await list(operator, input, actor);
      const texts = entries.map((each) => textOf(each, operator)).join(",");
      const place = `"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)}`;
      return { status: 200, body: `{"${name}":[${texts}],"limit":${limit},${place}}` };
    },
  });
}

function jsonOf(entry: unknown): string {
  return JSON.stringify(entry);
}

function pageShape(name: string, entry: TSchema, $id: string): TObject {
  return Type.Object(
    {
      [name]: Type.Array(entry, { description: "In the list's order." }),
      limit: Type.Integer({
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        description: "Maximum number of entries.",
      }),
      has_more: Type.Boolean({ description: "Whether there are more entries after this page." }),
      next_cursor: nullable(
        Type.String({ description: "Pass it as `cursor`; null on the last page." }),
      ),
    },
    { $id, description: "A page of a list." },
  );
}
