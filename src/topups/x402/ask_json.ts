/**
 * Asks a server that the operator has named: JSON there and back, bounded in size and time.
 *
 * @module
 */
import { readBounded } from "../../http/guarded_fetch.ts";
import { X402_ANSWER_BYTES_MAX } from "../../limits.ts";

interface AskOptions {
  readonly url: string;
  readonly body: object;
  readonly msMax: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer, whatever its status. @throws if there is none in time, or none of JSON */
export async function askJson({ url, body, msMax, headers = {} }: AskOptions): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
    body: JSON.stringify(body),
    redirect: "error",
    credentials: "omit",
    signal: AbortSignal.timeout(msMax),
  });
  const bytes = await readBounded(response, X402_ANSWER_BYTES_MAX);
  if (bytes === undefined)
    throw new Error(`an answer has more than ${X402_ANSWER_BYTES_MAX} bytes`);
  return JSON.parse(new TextDecoder().decode(bytes));
}
