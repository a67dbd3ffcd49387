import { expect, test } from "bun:test";
import { problemError } from "../../src/client/errors.ts";
import * as client from "../../src/client/mod.ts";
import { PROBLEMS } from "../../src/http/problem_details.ts";
import { loadContract } from "../support/contract.ts";
import { shareTestGateway } from "../support/gateway.ts";

/** `FEED_NOT_FOUND`: `FeedNotFoundError`. */
function classNameOf(code: string): string {
  const words = code.split("_").map((word) => word[0] + word.slice(1).toLowerCase());
  return `${words.join("").replace("Jsonpath", "JsonPath")}Error`;
}

test("every code that a route of consumers or providers can answer has a class of its name", async () => {
  const gateway = await shareTestGateway();
  const { document } = await loadContract(gateway.baseUrl);
  await gateway.stop();
  const codes = new Set<string>();
  for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
    if (operation.tags.includes("operator")) continue;
    for (const { content = {} } of Object.values(operation.responses)) {
      const examples = Object.values(content["application/problem+json"]?.examples ?? {});
      for (const { value } of examples) codes.add((value as { code: string }).code);
    }
  }
  expect(codes.size).toBeGreaterThan(40);
  const exported = client as Readonly<Record<string, unknown>>;
  for (const code of codes) {
    const { status, title } = PROBLEMS[code as keyof typeof PROBLEMS];
    const problem = { type: "about:blank", title, status, detail: "why", code, request_id: "r" };
    const error = problemError(problem as client.Problem, { rowsBefore: 5 });
    expect(error).toMatchObject({ name: classNameOf(code), message: "why", code, status });
    expect(error.constructor).toBe(exported[classNameOf(code)] as typeof client.ProblemError);
    expect(error).toBeInstanceOf(client.ProblemError);
    expect([error.requestId, error.rowsBefore]).toEqual(["r", 5]);
  }
});

test("a code that is newer than the client is a ProblemError with that code", () => {
  const problem = { type: "", title: "", status: 418, detail: "d", code: "constructor" };
  const error = problemError(problem as never);
  expect(error.constructor).toBe(client.ProblemError);
  expect(error.code).toBe("constructor");
});
