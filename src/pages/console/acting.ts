/**
 * What most buttons do: one call of the API, and then a page that says what was done.
 *
 * @module
 */
import { refusalOf } from "./refusal_messages.ts";
import type { Acted, Done, Visit } from "./visit.ts";

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
