/**
 * Sends requests to a server that the operator has configured. JSON in both directions, limited in size and time.
 *
 * @module
 */
import { readBounded } from "../../http/guarded_fetch.ts";
import { X402_ANSWER_BYTES_MAX } from "../../limits.ts";

interface AskOptions {
  readonly url: string;
  /** If undefined, the request is a GET instead of a POST. */
  readonly body?: object;
  readonly msMax: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response's body, whatever its status. @throws if it does not arrive in time, or if it is not JSON */
export async function askJson({ url, body, msMax, headers = {} }: AskOptions): Promise<unknown> {
  const response = await fetch(url, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: {
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    redirect: "error",
    credentials: "omit",
    signal: AbortSignal.timeout(msMax),
  });
  const bytes = await readBounded(response, X402_ANSWER_BYTES_MAX);
  if (bytes === undefined)
    throw new Error(`the response is larger than ${X402_ANSWER_BYTES_MAX} bytes`);
  return JSON.parse(new TextDecoder().decode(bytes));
}
