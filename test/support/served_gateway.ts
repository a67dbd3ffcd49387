/**
 * A gateway in a separate process, started like an operator does.
 *
 * @module
 */
import { expect } from "bun:test";
import { type Environment, firstLine, spawnFeedgate } from "../cli/support.ts";

/** The output of `serve --json`. `demo --json` adds members. */
export interface Announced {
  readonly base_url: string;
}

export interface ServedGateway<Shown extends Announced = Announced> {
  readonly child: ReturnType<typeof spawnFeedgate>;
  readonly baseUrl: string;
  readonly announced: Shown;
  /** Sends SIGTERM. The exit code must then be 0. */
  stop(): Promise<void>;
}

/** Starts `serve` or `demo` on a free port. Resolves when it serves requests. */
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
