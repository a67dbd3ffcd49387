/**
 * The limit of the machine: `Bun.serve` that returns the bytes of one real response and does nothing else.
 *
 * `bare.ts ANSWER_FILE`: `{status, headers, body}` as JSON. Prints its port.
 *
 * @module
 */
const answer = (await Bun.file(process.argv[2] as string).json()) as {
  status: number;
  headers: Record<string, string>;
  body: string;
};
const { status, headers, body } = answer;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  reusePort: false,
  fetch: () => new Response(body, { status, headers }),
});
console.log(server.port);
