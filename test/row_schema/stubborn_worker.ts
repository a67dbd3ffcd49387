/**
 * A worker for `lane_test.ts`: it answers, hangs, throws or ends, as the job's text says; `costly` is
 * answered as if it had taken much time.
 */
import type { FromWorker, Job } from "../../src/row_schema/jobs.ts";
import { SLOW_MS } from "../../src/row_schema/limits.ts";

declare const self: Worker;

function send(message: FromWorker): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<Job>) => {
  for (;;) {
    if (data.text === "throw") throw new Error("as told");
    if (data.text === "end") process.exit(1);
    if (data.text !== "hang") break;
  }
  send({
    kind: "done",
    outcome: { kind: "invalid_schema", detail: data.text },
    processorMs: data.text === "costly" ? SLOW_MS : 0,
  });
};

send({ kind: "ready" });
