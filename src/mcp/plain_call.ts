/**
 * Answers tool calls in the plain form that most clients send, without the SDK's server.
 *
 * The SDK's server, its transport and its checks of each message take as long as the read itself. A call is plain if it
 * would pass all of the SDK's checks. Any other call goes to the SDK, which reports what is wrong with it. The answers
 * are the same: clients with a protocol version before 2026-07-28 get a stream of one event.
 *
 * @module
 */
import { isJsonContentType } from "@modelcontextprotocol/server";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type AnswerPart, QuotedText } from "../http/answer.ts";
import { respond } from "../http/respond.ts";
import { eventText } from "../http/sse_body.ts";
import { STATELESS_REVISION, serverInfo } from "./protocol_server.ts";
import { callTool, toolsOf } from "./tool_list.ts";
import type { Exchange } from "./tool_routes.ts";

const BEFORE_STATELESS: ReadonlySet<string> = new Set(["2025-03-26", "2025-06-18", "2025-11-25"]);
export const ACCEPTED = ["application/json", "text/event-stream"];
const ANY = "*/*";
const META = "io.modelcontextprotocol/";
const AS_JSON = { "Content-Type": "application/json" };
const AS_EVENT = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
};
/** Stands in an event for its data. */
const HERE = "{}";
const EXACTLY = { additionalProperties: false };

const callWith = <Meta extends TSchema>(meta: Meta) =>
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Union([Type.String(), Type.Integer()]),
      method: Type.Literal("tools/call"),
      params: Type.Object(
        {
          name: Type.String(),
          arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          _meta: meta,
        },
        EXACTLY,
      ),
    },
    EXACTLY,
  );
const progressToken = Type.Optional(Type.Union([Type.String(), Type.Integer()]));
const statelessCall = TypeCompiler.Compile(
  callWith(
    Type.Object(
      {
        [`${META}protocolVersion`]: Type.Literal(STATELESS_REVISION),
        [`${META}clientCapabilities`]: Type.Object({}),
        [`${META}clientInfo`]: Type.Optional(
          Type.Object({ name: Type.String(), version: Type.String() }),
        ),
        progressToken,
      },
      EXACTLY,
    ),
  ),
);
const olderCallSchema = callWith(Type.Optional(Type.Object({ progressToken }, EXACTLY)));
const olderCall = TypeCompiler.Compile(olderCallSchema);

/** Whether a client takes both types of answers: it names both, or any type, or none at all. RFC 9110, 12.5.1. */
export function takesAnswers(headers: Headers): boolean {
  const accept = headers.get("accept")?.trim() || ANY;
  return accept.includes(ANY) || ACCEPTED.every((type) => accept.includes(type));
}

/** The answer to a plain call; undefined: the message is something else. */
export async function answerPlainCall(
  message: unknown,
  exchange: Exchange,
): Promise<Response | undefined> {
  const { headers } = exchange.request;
  if (!isJsonContentType(headers.get("content-type")) || !takesAnswers(headers)) return undefined;
  const version = headers.get("mcp-protocol-version") ?? "";
  if (BEFORE_STATELESS.has(version) && olderCall.Check(message)) {
    const parts = await answerParts(message, exchange, "");
    if (parts === undefined) return undefined;
    const [before = "", behind = ""] = eventText({ name: "message", data: HERE }).split(HERE);
    return respond({ headers: { ...AS_EVENT }, body: [before, ...parts, behind] });
  }
  const isStateless =
    version === STATELESS_REVISION &&
    statelessCall.Check(message) &&
    headers.get("mcp-method") === message.method &&
    headers.get("mcp-name") === message.params.name;
  if (!isStateless) return undefined;
  const server = JSON.stringify(serverInfo(exchange.services.http.baseUrl()));
  const besides = `,"resultType":"complete","_meta":{"${META}serverInfo":${server}}`;
  const parts = await answerParts(message, exchange, besides);
  return parts && respond({ headers: { ...AS_JSON }, body: parts });
}

/**
 * The structure is sent unchanged, so the rows are not parsed again. It is sent twice, as structured content and as
 * text, but kept in memory once: the text is produced while it is sent.
 */
async function answerParts(
  { id, params }: Static<typeof olderCallSchema>,
  exchange: Exchange,
  besides: string,
): Promise<readonly AnswerPart[] | undefined> {
  const tool = toolsOf(exchange.services.config).get(params.name);
  if (tool === undefined) return undefined;
  const { line, structure, isError } = await callTool(tool, params.arguments ?? {}, exchange);
  const text = line === undefined ? structure : [line];
  return [
    `{"jsonrpc":"2.0","id":${exchange.exactId ?? JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
    ...text.map((part) => new QuotedText(part)),
    '"}],"structuredContent":',
    ...structure,
    `,"isError":${isError}${besides}}}`,
  ];
}
