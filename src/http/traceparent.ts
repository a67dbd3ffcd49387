/**
 * The caller's trace, in a W3C `traceparent` header. https://www.w3.org/TR/trace-context/
 *
 * @module
 */

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span, 16 hexadecimal digits. */
  readonly spanId: string;
  /** A byte; bit 0: whether the caller recorded its span. */
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})((?:-.*)?)$/;
const NO_ID = /^0+$/;
const HEXADECIMAL = 16;

/** Undefined if there is none, or if it is invalid. A future version may have more after its flags. */
export function parseTraceParent(header: string | null): TraceParent | undefined {
  if (header === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(header) ?? [];
  const isNone = version === undefined || version === "ff" || (version === "00" && rest !== "");
  if (isNone || NO_ID.test(traceId) || NO_ID.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, HEXADECIMAL) };
}
