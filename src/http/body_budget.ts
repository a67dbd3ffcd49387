/**
 * How many bytes of bodies one process has in its hands at once: what is over is refused at once, unread.
 *
 * A body counts from before its first byte is read until the work on it is done, by its Content-Length
 * where that can be believed, else by the most that it may be.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { type Problem, unavailable } from "./errors.ts";
import { declaredBytes } from "./read_body.ts";

export interface BodyBudget {
  /** Does the work on a request's body. @throws {Problem} 503 where too many others are at work. */
  whileHeld<Result>(body: HeldBody, work: () => Promise<Result>): Promise<Result>;
  /** Bytes in hand. */
  readonly bytes: number;
}

export interface HeldBody {
  readonly request: Request;
  /** The most that its bytes may be, decoded. */
  readonly bytesMax: number;
}

export function createBodyBudget(bytesMax: number): BodyBudget {
  let bytes = 0;
  return {
    async whileHeld(body, work) {
      const size = sizeOf(body);
      // One body always has room, or a limit that was set high could never be used.
      if (bytes > 0 && bytes + size > bytesMax) throw tooManyBodies();
      assert(Number.isSafeInteger(size), "a body has a whole number of bytes");
      bytes += size;
      try {
        return await work();
      } finally {
        bytes -= size;
        assert(bytes >= 0, "what was held is given back once");
      }
    },
    get bytes() {
      return bytes;
    },
  };
}

function sizeOf({ request, bytesMax }: HeldBody): number {
  const declared = declaredBytes(request);
  if (declared === undefined || request.headers.has("content-encoding")) return bytesMax;
  return Math.min(declared, bytesMax);
}

/** The body is not read, so the connection can't be used again. */
function tooManyBodies(): Problem {
  return unavailable(
    "More bodies are on their way than the gateway can hold; send it again in a second.",
    { headers: { Connection: "close" } },
  );
}
