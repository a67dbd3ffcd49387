import { afterAll, expect, test } from "bun:test";
import { DEMO_FEEDS, GOLD_BY_YEAR } from "../../src/cli/demo/demo_feeds.ts";
import { isObject } from "../../src/lib/records.ts";
import { shareTestGateway } from "../support/gateway.ts";

const gateway = await shareTestGateway();
afterAll(() => gateway.stop());

test("every feed of the demo has a sample that meets its schema, made of a row's own values", async () => {
  const key = await gateway.createKey(await gateway.createAccount(), "write");
  const own = crypto.randomUUID();
  for (const { definition, rows } of [...DEMO_FEEDS, GOLD_BY_YEAR]) {
    // Others may have made feeds with the demo's own slugs.
    const endpoint_path = `${definition.endpoint_path}-${own}`;
    const body = { ...definition, endpoint_path };
    const made = await gateway.send("POST", "/v1/provider/feed/create", key, body);
    const { warnings } = (await made.json()) as { warnings: string[] };
    expect([definition.endpoint_path, made.status]).toEqual([definition.endpoint_path, 201]);
    expect(warnings.filter((each) => each.includes("sample_response"))).toEqual([]);
    const sample = definition.sample_response as Record<string, unknown>;
    const row = rows.map((each) => JSON.parse(each)).find((each) => each.id === sample.id);
    // A sample may leave fields and members of objects out.
    expect(row).toMatchObject(isObject(sample) ? sample : {});
  }
});
