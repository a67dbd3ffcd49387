/**
 * The rule for `detail` in every problem document: one sentence about the mistake, and at most one more about the fix.
 *
 * @module
 */
const SENTENCES_MAX = 2;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** The sentences of a text. A quotation counts as a word. */
export function sentencesOf(text: string): string[] {
  return text.replace(QUOTED, "…").split(/(?<=[.?!])\s+(?=[^a-z\s])/);
}

/** @throws if the body is a problem document whose `detail` is longer, or is cut off */
export function checkDetail(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (!("detail" in body && "code" in body && "request_id" in body)) return;
  const { code, detail } = body;
  if (typeof detail !== "string" || !/[.?]$/.test(detail)) {
    throw new Error(`the detail of ${code} is no sentence: ${detail}`);
  }
  if (sentencesOf(detail).length > SENTENCES_MAX) {
    throw new Error(`the detail of ${code} has more than ${SENTENCES_MAX} sentences: ${detail}`);
  }
}
