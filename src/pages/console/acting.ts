/**
 * What most buttons do: one call of the API, and then a page that says what was done.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import { parseInput, readInput } from "../../api/input/read_input.ts";
import { refusalOf } from "./refusal_messages.ts";
import type { Acted, Change, Confirmation, Done, Form, Visit } from "./visit.ts";

interface Call {
  readonly method?: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

interface Next {
  readonly to: string;
  readonly done: Done;
}

/** Calls the API, and goes on to `to`. A refusal is shown on the page of the form. */
export async function callThenGo(
  { ask }: Visit,
  { method = "POST", path, body }: Call,
  { to, done }: Next,
): Promise<Acted> {
  const answer = await ask(path, { method, body: body ?? (method === "DELETE" ? undefined : {}) });
  return answer.kind === "refused" ? refusalOf(answer) : { kind: "go", to, done };
}

interface Inputs {
  /** Of the function that is called. */
  readonly input: TObject;
  /** What the call's path says, by the names of the input. */
  readonly inPath?: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * Refuses what a call would refuse for its input alone, so that nobody confirms it.
 *
 * @throws {Problem} 400, 422
 */
export function requireInput({ input, inPath = {}, body }: Inputs): void {
  readInput(input, { path: inPath, query: {}, body: parseInput(JSON.stringify(body)) });
}

interface Acting {
  call(visit: Visit, form: Form): Call & Inputs;
  /** What will happen. */
  confirm(form: Form, visit: Visit): Confirmation | Promise<Confirmation>;
  next(visit: Visit): Next;
}

/** A button that is one call of an operator's function. */
export function operatorAct({ call, confirm, next }: Acting): Change {
  return {
    confirm(form, visit) {
      requireInput(call(visit, form));
      return confirm(form, visit);
    },
    run: (visit, form) => callThenGo(visit, call(visit, form), next(visit)),
  };
}
