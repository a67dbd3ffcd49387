/**
 * A worker for `worker_queue_test.ts`: it answers, hangs, spins, throws or ends, as the job's text says; `costly` is
 * answered as if it had taken much time.
 */

import { SLOW_MS } from "../../../src/push/schema/row_schemas.ts";
import type { FromWorker, Job } from "../../../src/push/schema/worker_messages.ts";

declare const self: Worker;

const NEVER = new Int32Array(new SharedArrayBuffer(4));

function send(message: FromWorker): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<Job>) => {
  const text = textOf(data);
  for (;;) {
    if (text === "throw") throw new Error("as told");
    if (text === "end") process.exit(1);
    // Asleep, so that it takes no time from other tests.
    if (text === "hang") Atomics.wait(NEVER, 0, 0);
    else if (text !== "spin") break;
  }
  send({
    kind: "done",
    outcome: { kind: "invalid_schema", detail: text, pointer: "" },
    processorMs: text === "costly" ? SLOW_MS : 0,
  });
};

send("ready");

function textOf(job: Job): string {
  if (job.kind === "review") return job.definition.schema;
  return job.kind === "compare" ? (job.after ?? "") : job.text;
}
