import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { Problem } from "../../src/http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../../src/http/read_body.ts";

const KIB = 1_024;
const MIB = 1_024 * KIB;
const BYTES_MAX = 2 * MIB;

/** What became of the request that was read last: "READ", or the code of its problem. */
let lastOutcome: string | undefined;
/** What it was told to hold, in order, and the most that there is room for. */
let holds: number[] = [];
let holdsMax = Number.POSITIVE_INFINITY;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 512 * MIB,
  idleTimeout: 30,
  async fetch(request) {
    try {
      const bytes = await receiveBody(request, { bytesMax: BYTES_MAX, tooLarge, hold });
      lastOutcome = "READ";
      return new Response(Buffer.from(bytes));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, status } = error;
      lastOutcome = code;
      return new Response(error.detailIn(), { status, headers: { connection: "close" } });
    }
  },
});
afterAll(() => server.stop(true));

function tooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", { detail: "Too large." });
}

const hold = Object.assign(
  (bytes: number) => {
    if (bytes > holdsMax) throw new Problem("UNAVAILABLE", { detail: "No room." });
    holds.push(bytes);
  },
  { heldUnsentMax: Number.POSITIVE_INFINITY },
);

describe("receiveBody with a Content-Length", () => {
  test("the bytes come as sent", async () => {
    const bytes = new Uint8Array([0, 255, 0xc3, 0x28, 10, 13]);
    expect(await bytesOf(post(bytes))).toEqual(bytes);
  });

  test("an absent or empty body is no bytes", async () => {
    expect((await bytesOf(fetch(server.url))).length).toBe(0);
    expect((await bytesOf(post(new Uint8Array(0)))).length).toBe(0);
    const made = new Request(server.url.href, { method: "POST" });
    expect(await receiveBody(made, { bytesMax: 1, tooLarge, hold })).toEqual(new Uint8Array(0));
  });

  test("exactly the limit passes, one byte more is too large", async () => {
    expect((await bytesOf(post(filled(BYTES_MAX)))).length).toBe(BYTES_MAX);
    expect((await post(filled(BYTES_MAX + 1))).status).toBe(413);
  });

  test("a length above the limit is refused before any of the body is there", async () => {
    const { socket, answer } = open(`Content-Length: ${100 * MIB}`);
    expect(await answer).toStartWith("HTTP/1.1 413");
    socket.destroy();
  });
});

describe("receiveBody of a chunked stream", () => {
  test("pieces are put together, however small and slow", async () => {
    const { socket, answer } = open("Transfer-Encoding: chunked");
    for (const piece of ["[1", ",", "2]"]) {
      socket.write(chunk(piece));
      await Bun.sleep(50);
    }
    socket.write(LAST_CHUNK);
    expect(await answer).toEndWith("[1,2]");
    socket.destroy();
  });

  test("chunks of one byte", async () => {
    const { socket, answer } = open("Transfer-Encoding: chunked");
    socket.write(chunk("x").repeat(100_000) + LAST_CHUNK);
    expect((await answer).split("\r\n\r\n")[1]).toBe("x".repeat(100_000));
    socket.destroy();
  });

  test("exactly the limit passes, one byte more is too large", async () => {
    expect((await bytesOf(post(streamed(filled(BYTES_MAX))))).length).toBe(BYTES_MAX);
    expect((await post(streamed(filled(BYTES_MAX + 1)))).status).toBe(413);
  });

  test("too large is answered while the client still holds the body open", async () => {
    const { socket, answer } = open("Transfer-Encoding: chunked");
    socket.write(chunk("x".repeat(BYTES_MAX + 1)));
    expect(await answer).toStartWith("HTTP/1.1 413");
    socket.destroy();
  });

  test("the content is whole over many sizes", async () => {
    for (const size of [1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 200_000, MIB + 3]) {
      const bytes = crypto.getRandomValues(new Uint8Array(64 * KIB));
      const body = new Uint8Array(size).map((_, index) => bytes[index % bytes.length] ?? 0);
      expect(Bun.hash(await bytesOf(post(streamed(body))))).toBe(Bun.hash(body));
    }
  });
});

describe("receiveBody and what it holds", () => {
  beforeEach(() => {
    holds = [];
  });
  afterEach(() => {
    holdsMax = Number.POSITIVE_INFINITY;
  });

  test("what is declared, from the start", async () => {
    const { socket } = open(`Content-Length: ${BYTES_MAX}`);
    socket.write("x");
    while (holds.length === 0) await Bun.sleep(5);
    expect(holds).toEqual([BYTES_MAX]);
    socket.destroy();
  });

  test("of a chunked body what has arrived, in buffers that double", async () => {
    const { socket } = open("Transfer-Encoding: chunked");
    socket.write(chunk("x"));
    while (holds.length === 0) await Bun.sleep(5);
    expect(holds).toEqual([64 * KIB]);
    socket.write(chunk("x".repeat(100_000)));
    while ((holds.at(-1) ?? 0) < 100_001) await Bun.sleep(5);
    expect(holds.at(-1)).toBeLessThanOrEqual(2 * 100_001);
    socket.destroy();
  });

  for (const framing of [`Content-Length: ${BYTES_MAX}`, "Transfer-Encoding: chunked"]) {
    test(`${framing}: where there is no room for more, the rest is not read`, async () => {
      holdsMax = MIB;
      const { socket, answer } = open(framing);
      const text = "x".repeat(MIB + 1);
      socket.write(framing.startsWith("T") ? chunk(text) : text);
      expect(await answer).toStartWith("HTTP/1.1 503");
      expect(Math.max(0, ...holds)).toBeLessThanOrEqual(MIB);
      socket.destroy();
    });
  }

  test("a body holds its own length at its end, a gzip one as decoded; never more than its bounds", async () => {
    const bytes = filled(200_000);
    await bytesOf(post(bytes));
    expect(holds.at(-1)).toBe(200_000);
    const packed = gzipSync(bytes);
    await bytesOf(post(packed, "gzip"));
    expect(holds.slice(-2)).toEqual([packed.length + BYTES_MAX, 200_000]);
    await bytesOf(post(filled(10)));
    expect(holds.at(-1)).toBe(10);
  });

  test("nothing is read where there is no room at all", async () => {
    holdsMax = 0;
    expect((await post(filled(10))).status).toBe(503);
    expect((await post(streamed(filled(10)))).status).toBe(503);
    expect(holds).toEqual([]);
  });
});

describe("receiveBody and clients that go away", () => {
  for (const framing of [
    "Content-Length: 1000",
    "Content-Length: 100000",
    "Transfer-Encoding: chunked",
  ]) {
    test(`${framing}: the body is no JSON`, async () => {
      lastOutcome = undefined;
      const { socket } = open(framing);
      socket.write(framing.startsWith("T") ? chunk("hello") : "hello");
      await Bun.sleep(100);
      socket.destroy();
      for (let tries = 0; tries < 50 && lastOutcome === undefined; tries++) await Bun.sleep(20);
      expect<string | undefined>(lastOutcome).toBe("BODY_NOT_JSON");
    });
  }
});

describe("receiveBody of gzip", () => {
  const text = Buffer.from('{"a":"é"}');
  const packed = gzipSync(text);

  test("decodes, with a length or chunked, by either name", async () => {
    expect(Buffer.from(await bytesOf(post(packed, "gzip")))).toEqual(text);
    expect(Buffer.from(await bytesOf(post(streamed(packed), "X-GZIP")))).toEqual(text);
  });

  test("several members are one body", async () => {
    const bytes = await bytesOf(post(Buffer.concat([packed, packed]), "gzip"));
    expect(Buffer.from(bytes)).toEqual(Buffer.concat([text, text]));
  });

  test("exactly the limit after decoding passes, one byte more is too large", async () => {
    for (const make of [filled, (size: number) => Buffer.from(noise(size))]) {
      expect((await bytesOf(post(gzipSync(make(BYTES_MAX)), "gzip"))).length).toBe(BYTES_MAX);
      expect((await post(gzipSync(make(BYTES_MAX + 1)), "gzip")).status).toBe(413);
    }
  });

  test("a stored (level 0) body of the limit passes, though longer as sent", async () => {
    const stored = gzipSync(noise(BYTES_MAX), { level: 0 });
    expect(stored.length).toBeGreaterThan(BYTES_MAX);
    expect((await bytesOf(post(stored, "gzip"))).length).toBe(BYTES_MAX);
  });

  test("endless members of no content are too large", async () => {
    const empty = gzipSync("");
    const members = Buffer.concat(Array<Buffer>(150_000).fill(empty));
    expect((await post(members, "gzip")).status).toBe(413);
    expect((await post(streamed(members), "gzip")).status).toBe(413);
  });

  test.each([
    ["empty", new Uint8Array(0)],
    ["no gzip", text],
    ["cut in the header", packed.subarray(0, 5)],
    ["cut in the content", packed.subarray(0, 14)],
    ["cut in the trailer", packed.subarray(0, -1)],
    ["text behind it", Buffer.concat([packed, text])],
    ["zeros behind it", Buffer.concat([packed, new Uint8Array(3)])],
    ["half a member behind it", Buffer.concat([packed, packed.subarray(0, 12)])],
    ["a wrong checksum", Buffer.from(packed).fill(0xff, packed.length - 8, packed.length - 4)],
    ["a wrong length", Buffer.from(packed).fill(0xff, packed.length - 4)],
  ])("broken: %s", async (_, bytes) => {
    const response = await post(bytes, "gzip");
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("it is not a complete gzip stream");
  });
});

describe("receiveBody and memory", () => {
  const RSS_GROWTH_MAX = 20 * MIB;

  test("a bomb of 200 MB is stopped at the limit", async () => {
    const bomb = gzipSync(new Uint8Array(200 * MIB));
    expect(bomb.length).toBeLessThan(300 * KIB);
    const growth = await rssGrowth(async () => {
      expect((await post(bomb, "gzip")).status).toBe(413);
    });
    expect(growth).toBeLessThan(RSS_GROWTH_MAX);
  });

  for (const framing of ["Transfer-Encoding: chunked", `Content-Length: ${100 * MIB}`]) {
    test(`100 MB with ${framing} is refused without being kept`, async () => {
      lastOutcome = undefined;
      const growth = await rssGrowth(async () => {
        const { socket } = open(framing);
        await pour(socket, 100 * MIB, framing.startsWith("T"));
        socket.destroy();
      });
      // That the answer arrives is tested above: here the client is too busy writing to read it.
      expect<string | undefined>(lastOutcome).toBe("PAYLOAD_TOO_LARGE");
      expect(growth).toBeLessThan(RSS_GROWTH_MAX);
    });
  }
});

describe("a client that reads no answer before it has sent its body", () => {
  const size = BYTES_MAX + 4 * MIB;
  for (const framing of ["Transfer-Encoding: chunked", `Content-Length: ${size}`]) {
    test(`has that of a body that is too large: ${framing}`, async () => {
      const { socket, answer } = open(framing);
      socket.pause();
      const isChunked = framing.startsWith("T");
      await pour(socket, size, isChunked);
      if (isChunked) socket.write(LAST_CHUNK);
      socket.resume();
      expect(await answer).toStartWith("HTTP/1.1 413");
      expect(await answer).toContain("Too large.");
      socket.destroy();
    });
  }
});

describe("mediaTypeOf", () => {
  test.each([
    ["application/json", "json"],
    ["Application/JSON", "json"],
    ["application/json; charset=utf-8", "json"],
    ['application/json;charset="UTF-8"', "json"],
    ["application/json ; profile=x; charset=utf-8;", "json"],
    ["application/geo+json", "json"],
    ["application/vnd.api+json; version=1", "json"],
    ["application/json; charset=utf-16", "unsupported"],
    ["application/json; charset=iso-8859-1", "unsupported"],
    ["application/json; charset=", "unsupported"],
    ["application/json, application/json", "unsupported"],
    ["application/jsonp", "unsupported"],
    ["application/+json", "unsupported"],
    ["application/a b+json", "unsupported"],
    ["text/json", "unsupported"],
    ["text/plain", "unsupported"],
    ["image/svg+json", "unsupported"],
    ["json", "unsupported"],
    ["application/x-ndjson", "unsupported"],
    ["multipart/form-data; boundary=application/json", "unsupported"],
  ])("%s is %s", (type, kind) => {
    expect(kindOf(mediaTypeOf(request({ "content-type": type }), ["json"]))).toBe(kind);
  });

  test("a missing Content-Type is unsupported", () => {
    expect(mediaTypeOf(request({}), ["json"])).toMatchObject({
      code: "UNSUPPORTED_MEDIA_TYPE",
      options: { detail: "Content-Type is missing. Send application/json." },
    });
  });

  test("newline-delimited JSON is supported where it is asked for", () => {
    for (const type of ["application/x-ndjson", "application/ndjson; charset=utf-8"]) {
      expect(mediaTypeOf(request({ "content-type": type }), ["json", "ndjson"])).toBe("ndjson");
    }
    const json = request({ "content-type": "application/json" });
    expect(mediaTypeOf(json, ["json", "ndjson"])).toBe("json");
  });

  test.each([
    ["gzip", "json"],
    ["GZIP", "json"],
    ["x-gzip", "json"],
    ["identity", "json"],
    ["br", "unsupported"],
    ["deflate", "unsupported"],
    ["gzip, gzip", "unsupported"],
    ["gzip, identity", "unsupported"],
  ])("Content-Encoding %s is %s", (coding, kind) => {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    expect(kindOf(mediaTypeOf(request(headers), ["json"]))).toBe(kind);
  });

  function kindOf(mediaType: ReturnType<typeof mediaTypeOf>): string {
    return mediaType instanceof Problem ? "unsupported" : mediaType;
  }
});

describe("bodyTextOf", () => {
  test("keeps every character, the byte order mark too", () => {
    for (const text of ["a", "é名😀\u0000", "\ufeff{}"]) {
      expect(bodyTextOf(new TextEncoder().encode(text))).toBe(text);
    }
  });

  test.each([
    ["nothing", []],
    ["a bare continuation", [0x80]],
    ["a cut sequence", [0xe5, 0x90]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["Latin-1", [0x22, 0xe9, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x5b, 0x00]],
  ])("%s is invalid", (_, bytes) => {
    expect(() => bodyTextOf(new Uint8Array(bytes))).toThrow(Problem);
    expect(bodyTextOf(new TextEncoder().encode("still works"))).toBe("still works");
  });
});

const LAST_CHUNK = "0\r\n\r\n";

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function filled(size: number): Uint8Array {
  return new Uint8Array(size).fill(0x20);
}

/** Bytes that gzip can't shorten. */
function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 64 * KIB) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 64 * KIB, size)));
  }
  return bytes;
}

/** A body without Content-Length. */
function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + 50_000));
      at += 50_000;
      if (at >= bytes.length) controller.close();
    },
  });
}

function post(body: NonNullable<RequestInit["body"]>, coding?: string): Promise<Response> {
  const headers = coding === undefined ? {} : { "content-encoding": coding };
  return fetch(server.url, { method: "POST", body, headers });
}

async function bytesOf(response: Promise<Response>): Promise<Uint8Array> {
  const { status, ok } = await response;
  expect([status, ok]).toEqual([200, true]);
  return (await response).bytes();
}

function request(headers: Record<string, string>): Request {
  return new Request("http://feedgate.example", { method: "POST", headers });
}

/** A raw request without a body yet; `answer` is all that comes within a moment of its first byte. */
function open(framing: string): { socket: Socket; answer: Promise<string> } {
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.write(`POST / HTTP/1.1\r\nHost: feedgate.example\r\n${framing}\r\n\r\n`);
  const answer = new Promise<string>((resolve) => {
    let text = "";
    const finish = () => resolve(text);
    socket.on("data", (data) => {
      if (text === "") setTimeout(finish, 100);
      text += data.toString("latin1");
    });
    socket.on("error", finish);
    socket.on("close", finish);
  });
  return { socket, answer };
}

/** Writes `size` bytes, each piece once the one before is taken, until it is done or hung up on. */
async function pour(socket: Socket, size: number, isChunked: boolean): Promise<void> {
  const piece = "x".repeat(256 * KIB);
  const written = isChunked ? chunk(piece) : piece;
  const hungUp = new Promise<void>((resolve) => socket.once("close", resolve));
  for (let at = 0; at < size && !socket.destroyed; at += piece.length) {
    const taken = new Promise<void>((resolve) => socket.write(written, () => resolve()));
    await Promise.race([taken, hungUp]);
  }
}

/** By how much the process grows at most while `work` runs, client's share included. */
async function rssGrowth(work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(peak, process.memoryUsage.rss()) - before;
}
