/** @jsxImportSource preact */
/**
 * Where agents connect over MCP, each address in a block that is copied alone.
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
