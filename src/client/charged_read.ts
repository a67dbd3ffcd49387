/**
 * A read that is charged once, however often it is retried: of a page of rows, of records, or of a page of a stream.
 *
 * @module
 */
import { IdempotencyKeyStaleError } from "./errors.ts";
import { headerMistake } from "./header_value.ts";
import { type ReadOptions, randomKey, readHeaders } from "./query.ts";
import type { Call, Transport } from "./transport.ts";

/**
 * Returns the text of the answer.
 *
 * @throws {IdempotencyKeyStaleError} if the caller gave a key, and the data has changed since its first use
 * @throws {TypeError} if no header can contain the caller's key
 */
export async function chargedRead(
  transport: Transport,
  call: Call,
  options: Pick<ReadOptions, "signal" | "maxCredits" | "idempotencyKey">,
): Promise<string> {
  const { signal, idempotencyKey } = options;
  const mistake = headerMistake("idempotencyKey", idempotencyKey ?? "");
  if (mistake !== undefined) throw new TypeError(mistake);
  const ask = async (key: string) => {
    const headers = readHeaders(options, key);
    return (await transport.call({ ...call, headers, signal })).text;
  };
  if (idempotencyKey !== undefined) return ask(idempotencyKey);
  try {
    return await ask(randomKey());
  } catch (error) {
    // A response was lost and the data has since changed, so reading the current data is a new read.
    if (error instanceof IdempotencyKeyStaleError) return ask(randomKey());
    throw error;
  }
}
