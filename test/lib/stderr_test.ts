import { describe, expect, test } from "bun:test";
import { BACKLOG_BYTES_MAX, StderrLines } from "../../src/lib/stderr.ts";

/** A pipe that takes so many bytes, then none until it is read. */
function pipe(room: number) {
  let free = room;
  let read = "";
  return {
    writeBytes(bytes: Uint8Array) {
      const taken = bytes.subarray(0, free);
      if (taken.length === 0) throw Object.assign(new Error("busy"), { code: "EAGAIN" });
      free -= taken.length;
      read += Buffer.from(taken).toString("latin1");
      return taken.length;
    },
    /** Reads all that is there. */
    drain() {
      free = room;
      const text = read;
      read = "";
      return text;
    },
  };
}

describe("StderrLines", () => {
  test("lines of one turn of the event loop are written at once, in their order", async () => {
    const writes: string[] = [];
    const lines = new StderrLines({
      writeBytes: (bytes) => writes.push(Buffer.from(bytes).toString()) && bytes.length,
      onDropped() {},
    });
    lines.add("a");
    lines.add("b");
    expect(writes).toEqual([]);
    await Bun.sleep(1);
    expect(writes).toEqual(["a\nb\n"]);
  });

  test("lines that a slow reader has not taken are kept for it, whole and in order", async () => {
    const { writeBytes, drain } = pipe(10);
    const lines = new StderrLines({ writeBytes, onDropped() {} });
    const sent = Array.from({ length: 20 }, (_, number) => `line ${number}`);
    let received = "";
    for (const line of sent) {
      lines.add(line);
      lines.flush();
    }
    while (received.length < `${sent.join("\n")}\n`.length) {
      received += drain();
      await Bun.sleep(1);
    }
    expect(received).toBe(`${sent.join("\n")}\n`);
  });

  test("lines beyond the bound are dropped and counted, and their number is written when there is room", async () => {
    const { writeBytes, drain } = pipe(100_000);
    const dropped: number[] = [];
    const lines = new StderrLines({ writeBytes, onDropped: (count) => dropped.push(count) });
    const line = "x".repeat(BACKLOG_BYTES_MAX / 10);
    let received = "";
    for (let count = 0; count < 15; count++) {
      lines.add(`${count}${line}`);
      lines.flush();
    }
    while (dropped.length === 0) {
      received += drain();
      await Bun.sleep(1);
    }
    received += drain();
    const whole = received.trim().split("\n");
    expect(whole.every((each, index) => each === `${index}${line}`)).toBe(true);
    expect([whole.length + (dropped[0] as number), dropped.length]).toEqual([15, 1]);
  });

  test("a reader of standard error that has gone ends nothing", () => {
    const lines = new StderrLines({
      writeBytes() {
        throw Object.assign(new Error("gone"), { code: "EPIPE" });
      },
      onDropped() {},
    });
    lines.add("a");
    lines.flush();
    lines.add("b");
    lines.flush();
  });
});
