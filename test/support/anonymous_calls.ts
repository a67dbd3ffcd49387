import { ANONYMOUS_LIMIT } from "../../src/limits.ts";
import type { TestGateway } from "./gateway.ts";

const TRIES_MAX = 100;

/** The response to a call without a key over the limit that all such calls share. */
export async function callOverLimit(gateway: TestGateway, path: string): Promise<Response> {
  const { anonymousLimit } = gateway.gateway.services;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    // Fills the limit. By the time the request arrives, there may be room again, so this is repeated.
    for (let calls = 0; calls < 2 * ANONYMOUS_LIMIT; calls++) {
      try {
        // The test's own address.
        anonymousLimit("127.0.0.1");
      } catch {
        break;
      }
    }
    const response = await gateway.get(path);
    if (response.status === 429) return response;
    await response.bytes();
  }
  throw new Error(`${path} was answered ${TRIES_MAX} times over the limit`);
}
