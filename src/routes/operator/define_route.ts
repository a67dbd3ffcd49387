/**
 * A route of the operator's API: one function of `src/operator`, with its place in HTTP. Beyond 5.
 *
 * Parameters and body are made of the function's own input, so that the schema is written once.
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

/** Where and by whom a function acts. */
export interface Acting {
  readonly operator: Inviting & Notifying;
  readonly actor: Actor;
  /** Names the ledger entry of a call that came with an Idempotency-Key. */
  readonly reference: string | undefined;
}

interface RouteText {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/operator`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The body of the answer, and an example of it, by status. */
  readonly answers: Readonly<Partial<Record<200 | 201, Answered>>>;
  /** Codes of this route alone. */
  readonly problems: readonly ProblemCode[];
  /** Whether the act may run twice: the second time it changes nothing, and is answered the same. */
  readonly isSafeToRepeat?: boolean;
  /** Whether the answer has what is stored nowhere, such as a key. */
  readonly isSecret?: boolean;
}

interface Answered {
  readonly shape: TSchema;
  readonly example: unknown;
  /** An example of the same as CSV, if it can be asked for. */
  readonly csv?: string;
}

interface RouteSpec<Input extends TObject> extends RouteText {
  readonly input: Input;
  /** What the path's parameters are in the input. */
  readonly names?: Readonly<Record<string, string>>;
  /** An example of the body, if there is one. */
  readonly example?: object;
  act(acting: Acting, input: InputOf<Input>): Promise<Reply>;
}

export interface OperatorRoute extends RouteText {
  readonly params: TObject;
  readonly query: ReturnType<typeof parameters>;
  /** Undefined if the route takes none. */
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

/** A command's `limit` may be larger than that of the API, which is that of all routes. */
function cappedQuery(query: Given["query"]): Given["query"] {
  return typeof query.limit === "number" ? { ...query, limit: cappedLimit(query.limit) } : query;
}

/** A member of an input as a parameter of the query. */
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
  // The input says which are needed, and an empty query is not held against this.
  return KindGuard.IsOptional(schema) ? Type.Optional(parameter()) : parameter();
}

/** The reply of what was done. */
export function done(outcome: unknown): Reply {
  return { status: 200, body: JSON.stringify(outcome) };
}

/** The reply of what was made. */
export function made(outcome: unknown): Reply {
  return { status: 201, body: JSON.stringify(outcome) };
}

/** The codes of a route that names an account. */
export const ACCOUNT_PROBLEMS = ["ACCOUNT_NOT_FOUND", "REFERENCE_AMBIGUOUS"] as const;

interface ListSpec<Input extends TObject, Entry>
  extends Pick<RouteText, "path" | "operationId" | "summary" | "problems"> {
  /** In which order the entries come. */
  readonly description: string;
  readonly input: Input;
  /** What the path's parameters are in the input. */
  readonly names?: Readonly<Record<string, string>>;
  /** The member of the answer that has the entries. */
  readonly name: string;
  /** The name of the answer's schema in the document. */
  readonly $id: string;
  readonly entry: Answered;
  list(operator: Acting["operator"], input: InputOf<Input>, actor: Actor): Promise<Page<Entry>>;
  /** An entry as JSON. @default by `JSON.stringify` */
  textOf?(entry: Entry, operator: Operator): string;
}

/** A list by cursor: GET of a page. */
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
