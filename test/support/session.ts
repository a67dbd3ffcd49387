/**
 * Signs in to the console with the same request as the browser's form.
 *
 * @module
 */
import { expect } from "bun:test";

/** Signs in with a key. Returns the cookie of the session. */
export async function signIn({ baseUrl }: { readonly baseUrl: string }, key: string) {
  const response = await fetch(`${baseUrl}/console/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Signs in by a link. Returns the cookie of the session. */
export async function signInByLink(url: string): Promise<string> {
  const response = await fetch(url, { method: "POST", redirect: "manual" });
  expect(response.status).toBe(303);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}
