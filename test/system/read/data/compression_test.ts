import { expect, test } from "bun:test";
import { completeAnswer, compressStart } from "../../../../src/read/data/compression.ts";

test("curl and Python decode it as well as we do, where they are there", async () => {
  const text = `{"data":[${'"é",'.repeat(3_000)}0],`;
  const bytes = Buffer.concat(completeAnswer(await compressStart(text), "end"));
  const python = Bun.which("python3");
  if (python !== null) {
    const script =
      "import sys,gzip;sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))";
    const child = Bun.spawn([python, "-c", script], { stdin: bytes, stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe(`${text}end`);
  }
  using server = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "Content-Encoding": "gzip" } }),
  });
  expect(await (await fetch(server.url)).text()).toBe(`${text}end`);
  const curl = Bun.which("curl");
  if (curl === null) return;
  const child = Bun.spawn([curl, "-s", "--compressed", server.url.href]);
  expect(await new Response(child.stdout).text()).toBe(`${text}end`);
});
