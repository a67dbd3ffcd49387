/**
 * The console's cookies: for a session, for a proof of an address, and for a sign-in that is in progress at an OpenID
 * Connect provider. They are sent only to this gateway's pages, and are not readable by scripts. See
 * `src/spec/beyond.md`, sections 5 and 16.
 *
 * @module
 */
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { CODE_MS, PROVEN_MS, SESSION_MS } from "../../limits.ts";
import type { Services } from "../../services.ts";

interface CookieKind {
  readonly name: string;
  /** `Lax` comes along when a provider of another site leads back here. */
  readonly sameSite: "Strict" | "Lax";
  readonly lifetimeMs: number;
  readonly form: RegExp;
}

const TOKEN = /^[\w-]{20,100}$/;

export const SESSION_COOKIE: CookieKind = {
  name: "feedgate_session",
  sameSite: "Strict",
  lifetimeMs: SESSION_MS,
  form: TOKEN,
};
export const PROOF_COOKIE: CookieKind = {
  name: "feedgate_proof",
  sameSite: "Strict",
  lifetimeMs: CODE_MS + PROVEN_MS,
  form: TOKEN,
};
export const OPENID_COOKIE: CookieKind = {
  name: "feedgate_openid",
  sameSite: "Lax",
  lifetimeMs: CODE_MS,
  form: /^[\w-]{20,3800}$/,
};

/** The value of a request's cookie, if it has the form of one. */
export function cookieValue(
  headers: Headers,
  kind: CookieKind,
  isOverTls: boolean,
): string | undefined {
  const wanted = nameOf(kind, isOverTls);
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [name, value] = part.trim().split("=");
    if (name === wanted && value !== undefined && kind.form.test(value)) return value;
  }
  return undefined;
}

/** The value of the `Set-Cookie` header. Without a value, it deletes the cookie. */
export function cookieOf(kind: CookieKind, value: string | undefined, isOverTls: boolean): string {
  return [
    `${nameOf(kind, isOverTls)}=${value ?? ""}`,
    "Path=/",
    `Max-Age=${value === undefined ? 0 : kind.lifetimeMs / MS_PER_SECOND}`,
    "HttpOnly",
    `SameSite=${kind.sameSite}`,
    ...(isOverTls ? ["Secure"] : []),
  ].join("; ");
}

/** Under TLS the prefix has browsers refuse a cookie that another host has set. */
function nameOf({ name }: CookieKind, isOverTls: boolean): string {
  return isOverTls ? `__Host-${name}` : name;
}

/** The public address decides, since a proxy may end TLS; at the operators' listener, the listener itself. */
export function isOverTls(
  { config, http, operatorsListener }: Pick<Services, "config" | "http" | "operatorsListener">,
  request: Request,
): boolean {
  return operatorsListener.isBy(request)
    ? config.tls !== undefined
    : http.baseUrl().startsWith("https:");
}
