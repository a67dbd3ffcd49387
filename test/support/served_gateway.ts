/**
 * A gateway in a process of its own, as an operator starts it.
 *
 * @module
 */
import { expect } from "bun:test";
import { type Environment, firstLine, spawnFeedgate } from "../cli/support.ts";

/** What `serve --json` announces; `demo --json` more. */
export interface Announced {
  readonly base_url: string;
}

export interface ServedGateway<Shown extends Announced = Announced> {
  readonly child: ReturnType<typeof spawnFeedgate>;
  readonly baseUrl: string;
  readonly announced: Shown;
  /** By SIGTERM, after which it must end with 0. */
  stop(): Promise<void>;
}

/** Starts `serve` or `demo` on a free port. Resolves when it serves. */
export async function serveGateway<Shown extends Announced>(
  argv: readonly string[],
  environment: Environment,
  program?: readonly string[],
): Promise<ServedGateway<Shown>> {
  const child = spawnFeedgate([...argv, "--port", "0", "--json"], environment, program);
  const line = await firstLine(child.stdout);
  if (line === "") {
    throw new Error(`it ended before it served: ${await new Response(child.stderr).text()}`);
  }
  const announced = JSON.parse(line) as Shown;
  return {
    child,
    baseUrl: announced.base_url,
    announced,
    async stop() {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    },
  };
}
