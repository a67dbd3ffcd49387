/**
 * How benchmarks read their arguments, and what is a mistake in them: one line, exit code 2.
 *
 * @module
 */

/** A benchmark was called wrongly. */
export class BenchUsageError extends Error {
  override readonly name = "BenchUsageError";
}

/** Whether the command line is at fault: by our own words or those of `parseArgs`. */
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

/** For a benchmark without arguments. @throws {BenchUsageError} */
export function requireNone(args: readonly string[]): void {
  if (args.length > 0) throw new BenchUsageError(`this benchmark takes no "${args[0]}"`);
}
