/** @jsxImportSource preact */
/**
 * The addresses for agents that connect over MCP, each in a block that can be copied separately.
 *
 * @module
 */
export interface McpAddressesProps {
  readonly baseUrl: string;
  /** Whether agents connect by OAuth. */
  readonly canConnect: boolean;
}

export function McpAddresses({ baseUrl, canConnect }: McpAddressesProps) {
  return (
    <>
      {canConnect && (
        <>
          <p>Claude, ChatGPT and others that sign in:</p>
          <pre tabIndex={0}>
            <code>{`${baseUrl}/mcp/connect`}</code>
          </pre>
        </>
      )}
      <p>Over MCP with a read key:</p>
      <pre tabIndex={0}>
        <code>{`${baseUrl}/mcp`}</code>
      </pre>
    </>
  );
}
