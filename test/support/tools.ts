/**
 * Tool calls at a gateway's `/mcp`, in the format of a client of 2025-11-25.
 *
 * @module
 */

export interface ToolResult {
  readonly isError: boolean;
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly structuredContent: Record<string, unknown>;
}

export const TOOL_HEADERS = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": "2025-11-25",
};

export function toolMessage(name: string, given: Record<string, unknown>): string {
  const params = { name, arguments: given };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

export function postTool(
  baseUrl: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: { ...TOOL_HEADERS, ...headers },
    body,
  });
}

/** The raw text of the response, and its result. */
export async function callTool(
  { baseUrl }: { readonly baseUrl: string },
  key: string,
  name: string,
  given: Record<string, unknown> = {},
): Promise<ToolResult & { readonly sent: string }> {
  const response = await postTool(baseUrl, toolMessage(name, given), { "x-api-key": key });
  const sent = await response.text();
  const message = JSON.parse(sent.replace(/^event: message\ndata: (.*)\n\n$/s, "$1"));
  return { ...message.result, sent };
}
