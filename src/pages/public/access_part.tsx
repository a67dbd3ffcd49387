/** @jsxImportSource preact */
/**
 * The part about access on the page of a feed with access by request: who decides, and how to ask.
 *
 * @module
 */
import type { Row } from "../../postgres/client/database.ts";

interface AccessPartProps {
  readonly feed: Pick<Row<"find_feed_row">, "access" | "feed_id" | "endpoint_path">;
  readonly baseUrl: string;
  /** Whether the gateway has a console to ask in. */
  readonly canConnect: boolean;
}

export function AccessPart({ feed, baseUrl, canConnect }: AccessPartProps) {
  if (feed.access !== "by_request") return null;
  return (
    <section class="card">
      <h2>Access by request</h2>
      <p>
        The provider decides which accounts can read this feed. Ask for access with your account
        {canConnect ? "; you see the answer in the console." : ":"}
      </p>
      {canConnect && (
        <p>
          <a class="button" href={`../console/catalog/${feed.feed_id}`}>
            Ask for access
          </a>
        </p>
      )}
      <details open={!canConnect}>
        <summary>Ask from a program</summary>
        <pre tabIndex={0}>
          <code>{`curl -X POST -H "x-api-key: $FEEDGATE_READ_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"message": "What we use it for"}' \\
  "${baseUrl}/v1/feed/${feed.endpoint_path}/access-requests"`}</code>
        </pre>
      </details>
    </section>
  );
}
