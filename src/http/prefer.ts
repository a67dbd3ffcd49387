/**
 * `Prefer: wait=N`. RFC 7240.
 *
 * @module
 */

const WAIT = /^wait *= *"?(\d{1,3})"?$/i;

/** Whole seconds from 1 to `secondsMax`; undefined where the preference is none, or another, and so ignored. */
export function preferredWaitSeconds(headers: Headers, secondsMax: number): number | undefined {
  for (const preference of headers.get("prefer")?.split(",") ?? []) {
    // Its first part; the others are parameters.
    const wait = WAIT.exec(preference.split(";", 1)[0]?.trim() ?? "");
    if (wait === null) continue;
    const seconds = Number(wait[1]);
    return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
  }
  return undefined;
}
