/** What no repetition would change. */
export class Refused extends Error {}

interface PersistOptions {
  /** From then on an error is the caller's. */
  readonly waitMs: number;
  readonly tryAgainMs: number;
}

/** Does it until it is done: a database that was killed comes back. */
export async function persist<Result>(
  act: () => Promise<Result>,
  { waitMs, tryAgainMs }: PersistOptions,
): Promise<Result> {
  const endMs = performance.now() + waitMs;
  while (true) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Refused || performance.now() > endMs) throw error;
      await Bun.sleep(tryAgainMs);
    }
  }
}
