import { expect, test } from "bun:test";
import { clientTypesText, type Document } from "../../../src/build/client_types.ts";
import { shareTestGateway } from "../../support/gateway.ts";

test("the types of the client are those of the document that the gateway serves", async () => {
  const gateway = await shareTestGateway();
  const document = (await (await fetch(`${gateway.baseUrl}/openapi.json`)).json()) as Document;
  await gateway.stop();
  const file = new URL("../../../src/client/generated/api.ts", import.meta.url);
  expect(await Bun.file(file).text()).toBe(await clientTypesText(document));
});
