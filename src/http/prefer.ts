/**
 * `Prefer: wait=N`. RFC 7240.
 *
 * @module
 */

const WAIT = /^wait *= *"?(\d{1,3})"?$/i;

/** Whole seconds from 1 to `secondsMax`. Undefined if there is no such preference. Other values are ignored. */
export function preferredWaitSeconds(headers: Headers, secondsMax: number): number | undefined {
  for (const preference of headers.get("prefer")?.split(",") ?? []) {
    // The first part is the preference; the others are its parameters.
    const wait = WAIT.exec(preference.split(";", 1)[0]?.trim() ?? "");
    if (wait === null) continue;
    const seconds = Number(wait[1]);
    return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
  }
  return undefined;
}
