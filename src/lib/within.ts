/**
 * A time limit for waiting.
 *
 * @module
 */

/** The result of the work, or `late` after this many milliseconds. The work itself continues. */
export async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
