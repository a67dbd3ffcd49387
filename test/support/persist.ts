/** An error that repetition would not fix. */
export class Refused extends Error {}

interface PersistOptions {
  /** After this time, errors are passed to the caller. */
  readonly waitMs: number;
  readonly tryAgainMs: number;
}

/** Repeats until it succeeds, because a killed database comes back. */
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
