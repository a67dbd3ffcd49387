/** @jsxImportSource preact */
/**
 * How to read a feed: curl, TypeScript, Python, MCP and the agent skill, each in a tab.
 *
 * @module
 */
import { consumerType } from "../../feeds/feed_text.ts";
import { creditsText } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { Row } from "../../postgres/client/database.ts";
import { Tabs } from "../layout/parts.tsx";
import { McpAddresses, type McpAddressesProps } from "./mcp_addresses.tsx";

type Feed = Row<"find_feed_row">;

export interface ReadingPartProps extends McpAddressesProps {
  readonly feed: Feed;
}

export function ReadingPart(props: ReadingPartProps) {
  const { feed, baseUrl } = props;
  return (
    <section>
      <h2>Read it</h2>
      <p>
        Every method needs a read key from the gateway's operator
        {feed.access === "by_request" && ", of an account with access"}. Put it in{" "}
        <code>FEEDGATE_READ_KEY</code>.
      </p>
      <Tabs
        label="How to read it"
        name="how"
        tabs={[
          { head: "curl", body: <Curl {...props} /> },
          { head: "TypeScript", body: <TypeScript {...props} /> },
          { head: "Python", body: <Code of={pythonOf(feed, baseUrl)} /> },
          { head: "MCP", body: <Mcp {...props} /> },
          { head: "Skill", body: <Skill {...props} /> },
        ]}
      />
    </section>
  );
}

function Code({ of }: { readonly of: string }) {
  return (
    <pre tabIndex={0}>
      <code>{of}</code>
    </pre>
  );
}

function Curl({ feed, baseUrl }: ReadingPartProps) {
  const address = addressOf(feed, baseUrl);
  const credits = creditsText((feed.one_time_price_cents ?? 0n) * NANOS_PER_CENT);
  return (
    <>
      <Code of={`curl -H "x-api-key: $FEEDGATE_READ_KEY" "${address}"`} />
      {feed.price_type === "one_time" && (
        <>
          <p>Buy the feed once, from the account's balance:</p>
          <Code
            of={`curl -X POST -H "x-api-key: $FEEDGATE_READ_KEY" -H "Content-Type: application/json" \\\n  -d '{"max_credits": ${credits}}' "${address}/purchase"`}
          />
        </>
      )}
    </>
  );
}

function TypeScript({ feed, baseUrl }: ReadingPartProps) {
  return (
    <>
      <p>
        The client is not on npm: <a href="../docs/guides/clients">how to install it</a>.
      </p>
      <Code of={typescriptOf(feed, baseUrl)} />
    </>
  );
}

function Mcp({ feed, ...addresses }: ReadingPartProps) {
  return (
    <>
      <p>
        <a href="../docs/guides/connect">Connect your agent</a>, then ask it to read the feed{" "}
        <code>{feed.endpoint_path}</code>.
      </p>
      <McpAddresses {...addresses} />
    </>
  );
}

function Skill({ feed }: ReadingPartProps) {
  return (
    <p>
      <a href={`../public/feeds/${feed.feed_id}/agent-skill`}>Download SKILL.md</a>, which teaches
      an agent to read this feed. It uses the same variable.
    </p>
  );
}

function addressOf(feed: Feed, baseUrl: string): string {
  return `${baseUrl}/v1/feed/${feed.endpoint_path}`;
}

function typescriptOf(feed: Feed, baseUrl: string): string {
  const slug = JSON.stringify(feed.endpoint_path);
  const read =
    consumerType(feed.feed_type) === "singleton"
      ? `const { rows: [document] } = await feedgate.read(${slug});`
      : `for await (const row of feedgate.rows(${slug})) console.log(row);`;
  return `import { Feedgate } from "feedgate/client";

const feedgate = new Feedgate({
  url: ${JSON.stringify(baseUrl)},
  key: process.env.FEEDGATE_READ_KEY,
});
${read}`;
}

function pythonOf(feed: Feed, baseUrl: string): string {
  const address = addressOf(feed, baseUrl);
  if (consumerType(feed.feed_type) === "singleton") {
    return `import json, os, urllib.request

request = urllib.request.Request(
    "${address}",
    headers={"x-api-key": os.environ["FEEDGATE_READ_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"])`;
  }
  return `import json, os, urllib.request

url = "${address}?limit=100"
headers = {"x-api-key": os.environ["FEEDGATE_READ_KEY"]}
page_url = url
while page_url:
    request = urllib.request.Request(page_url, headers=headers)
    with urllib.request.urlopen(request) as response:
        page = json.load(response)
    for row in page["data"]:
        print(row)
    cursor = page["next_cursor"]
    page_url = f"{url}&cursor={cursor}" if cursor else None`;
}
