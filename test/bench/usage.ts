/**
 * Arguments of benchmarks. A mistake prints one line and exits with code 2.
 *
 * @module
 */

/** An invalid command line of a benchmark. */
export class BenchUsageError extends Error {
  override readonly name = "BenchUsageError";
}

/** Whether an error is a mistake in the command line, found by us or by `parseArgs`. */
export function isUsageMistake(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as { code?: string };
  return error instanceof BenchUsageError || code.startsWith("ERR_PARSE_ARGS_");
}

/** A number of 0 or more. @throws {BenchUsageError} */
export function numberOf(text: string, name: string): number {
  const number = Number(text);
  if (text !== "" && number >= 0 && number < Number.POSITIVE_INFINITY) return number;
  throw new BenchUsageError(`${name} must be a number of 0 or more, got "${text}"`);
}

/** Rejects all arguments. @throws {BenchUsageError} */
export function requireNone(args: readonly string[]): void {
  if (args.length > 0) throw new BenchUsageError(`this benchmark takes no "${args[0]}"`);
}
