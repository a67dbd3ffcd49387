/**
 * A program that connects by OAuth: the official client's flow, with a local server that receives the response, as in
 * desktop programs.
 *
 * @module
 */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

interface AgentOptions {
  /** The gateway's `/mcp/connect`. */
  readonly address: string;
  readonly name: string;
  /** The URL of the client's metadata document. Without one, the client registers. */
  readonly documentUrl?: string;
}

export interface OAuthAgent {
  readonly redirectUrl: string;
  /** The page that the user was last sent to. */
  readonly sentTo: () => URL;
  readonly accessToken: () => string | undefined;
  /** Connects, or sends the user to the consent page. */
  connect(): Promise<"connected" | "sent">;
  /** After the user has agreed: redeems the code and connects. Returns the parameters of the response. */
  finish(): Promise<URLSearchParams>;
  call(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

export function createOAuthAgent({ address, name, documentUrl }: AgentOptions): OAuthAgent {
  let answered = Promise.withResolvers<URLSearchParams>();
  const callbacks = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/callback") answered.resolve(searchParams);
      return new Response("<title>Done</title>You may close this page.", {
        headers: { "Content-Type": "text/html" },
      });
    },
  });
  const redirectUrl = `http://127.0.0.1:${callbacks.port}/callback`;
  const kept: Record<string, unknown> = {};
  let sentTo: URL | undefined;
  let state = "";
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    state: () => {
      state = crypto.randomUUID();
      return state;
    },
    clientInformation: () => kept.client as never,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      sentTo = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => String(kept.verifier),
    discoveryState: () => kept.discovery as never,
    saveDiscoveryState: (discovery) => {
      kept.discovery = discovery;
    },
  };
  let client = new Client({ name, version: "1" });
  let transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });

  async function connect(): Promise<"connected" | "sent"> {
    client = new Client({ name, version: "1" });
    transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
    try {
      await client.connect(transport);
      return "connected";
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      return "sent";
    }
  }

  return {
    redirectUrl,
    sentTo: () => {
      if (sentTo === undefined) throw new Error("nobody was sent");
      return sentTo;
    },
    accessToken: () => (kept.tokens as { access_token: string } | undefined)?.access_token,
    connect,
    async finish() {
      const parameters = await answered.promise;
      answered = Promise.withResolvers();
      if (parameters.get("state") !== state) throw new Error("the answer has another state");
      await transport.finishAuth(parameters);
      if ((await connect()) !== "connected") throw new Error("the token is not taken");
      return parameters;
    },
    async call(tool, given) {
      const { structuredContent, content, isError } = await client.callTool({
        name: tool,
        arguments: given,
      });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      return { ...(structuredContent as object), isError: isError === true, text };
    },
    async stop() {
      await client.close();
      await callbacks.stop(true);
    },
  };
}
