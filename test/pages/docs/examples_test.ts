import { afterAll, beforeAll, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

test("the metered create example is answered as its answer's example says", async () => {
  const { paths } = (await (await gateway.get("/docs/json")).json()) as ReturnType<
    typeof JSON.parse
  >;
  const { requestBody, responses } = paths["/v1/provider/feed/create"].post;
  const { examples } = requestBody.content["application/json"];
  const sent = examples["a-metered-stream"].value;
  const told = responses[201].content["application/json"].examples["the-feed"].value;
  const account = await gateway.createAccount({ name: told.provider.name, maxFeeds: 3 });
  const key = await gateway.createKey(account, "write");
  const response = await gateway.send("POST", "/v1/provider/feed/create", key, sent);
  expect(response.status).toBe(201);
  const made = (await response.json()) as ReturnType<typeof JSON.parse>;
  const { id, created_at, updated_at, schema_changed_at, provider } = made;
  const stamped = { id, created_at, updated_at, schema_changed_at, provider };
  expect({ ...told, ...stamped, schema_version: 1 }).toEqual(made);
});
