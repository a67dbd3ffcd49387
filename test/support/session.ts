/**
 * Signs in to the console, as a browser's form does.
 *
 * @module
 */
import { expect } from "bun:test";

/** The cookie of a session that stands for a key. */
export async function signIn({ baseUrl }: { readonly baseUrl: string }, key: string) {
  const response = await fetch(`${baseUrl}/console/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** The cookie of a session by a link. */
export async function signInByLink(url: string): Promise<string> {
  const response = await fetch(url, { method: "POST", redirect: "manual" });
  expect(response.status).toBe(303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}
