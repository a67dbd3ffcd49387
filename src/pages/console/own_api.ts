/**
 * Calls the gateway's own routes with the key of a session, for operations that need a request: files, and reads, which
 * are admitted, charged and logged as over HTTP.
 *
 * @module
 */

import type { Actor } from "../../accounts/actor.ts";
import { fromConsole } from "../../api/callers/faces.ts";
import { type Handle, type OwnRequest, ownRoutes } from "../../api/own_routes.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../../http/problem_details.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { parseExact } from "./exact_values.ts";

export type Answered<Body> =
  | { readonly kind: "done"; readonly body: Body; readonly text: string; readonly status: number }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      /** The parameter that the mistake is in. */
      readonly parameter: string | undefined;
      /** The mistakes in the body. */
      readonly errors: readonly FieldError[];
      readonly text: string;
    };

type Refusal = Extract<Answered<unknown>, { kind: "refused" }>;

type OwnCall = Pick<OwnRequest, "method" | "body" | "file" | "headers">;

/** Asks a route. `Body` is what the route's schema says of its answer; numbers keep their digits. */
export type AskApi = <Body>(path: string, call?: OwnCall) => Promise<Answered<Body>>;

/** Asks a route whose answer is taken as it is. */
export type AskText = (path: string, call?: OwnCall) => Promise<Answered<undefined>>;

interface Asking {
  readonly handle: Handle;
  /** The session's. */
  readonly key: string;
  /** Of the session, for the audit trail. */
  readonly actor: Actor;
  /** Of the page: its calls are logged under the same id. */
  readonly requestId: string;
}

export function askText({ handle, key, actor, requestId }: Asking): AskText {
  const headers = { authorization: `Bearer ${key}`, "x-request-id": requestId };
  const make = (url: string, init: RequestInit) => fromConsole(new Request(url, init), actor);
  const ask = ownRoutes({ handle, headers, make });
  return async (path, call = {}) => {
    const { status, text } = await ask({ path, ...call });
    if (status < 400) return { kind: "done", body: undefined, text, status };
    const {
      code = "INTERNAL",
      detail = "An error occurred in the gateway. Try again.",
      parameter,
      errors = [],
    } = parseExact<Partial<Pick<Refusal, "code" | "detail" | "parameter" | "errors">>>(text);
    return { kind: "refused", status, code, detail, parameter, errors, text };
  };
}

export function askApi(ask: AskText): AskApi {
  return async <Body>(path: string, call?: OwnCall) => {
    const answer = await ask(path, call);
    return answer.kind === "refused" ? answer : { ...answer, body: parseExact<Body>(answer.text) };
  };
}

/** The answer's body. @throws {Problem} the refusal, as a page shows it */
export function bodyOf<Body>(answer: Answered<Body>): Body {
  if (answer.kind === "done") return answer.body;
  const { code, detail, status } = answer;
  throw new Problem(isCode(code) ? code : "INTERNAL", { detail, status });
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}
