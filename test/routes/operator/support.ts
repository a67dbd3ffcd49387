/**
 * Calls of the operator's API with admin keys.
 *
 * @module
 */
import { expect } from "bun:test";
import type { Contract } from "../../support/contract.ts";
import type { TestGateway } from "../../support/gateway.ts";

export interface OperatorCall {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Calls a route below `/v1/operator`. A body that is a text is sent as it is. */
export function callOperator(
  baseUrl: string,
  key: string | undefined,
  path: string,
  { method = "GET", body, headers = {} }: OperatorCall = {},
): Promise<Response> {
  return fetch(`${baseUrl}/v1/operator${path}`, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** A caller with a key, the gateway that it calls, and the document that answers must fit. */
export interface DocumentedCaller {
  readonly gateway: TestGateway;
  readonly contract: Contract;
  readonly key: string;
}

/** The body of an answer, which must have the status and be one that the document promises. */
export async function callDocumented<Body>(
  { gateway, contract, key }: DocumentedCaller,
  status: number,
  path: string,
  options: OperatorCall = {},
): Promise<Body> {
  const response = await callOperator(gateway.baseUrl, key, path, options);
  const body = await contract.check(options.method ?? "GET", response);
  expect({ path, status: response.status, body }).toMatchObject({ path, status });
  return body as Body;
}
