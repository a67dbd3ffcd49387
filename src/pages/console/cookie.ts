/**
 * The cookie of a session: sent to this gateway's pages alone, and never to a script. Beyond 5.
 *
 * @module
 */
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { SESSION_MS } from "../../limits.ts";
import type { Services } from "../../services.ts";

/** Under TLS the prefix has browsers refuse a cookie that another host has set. */
const NAME = "feedgate_session";
const SECURE_NAME = `__Host-${NAME}`;
const TOKEN = /^[\w-]{20,100}$/;

/** The token of a request's cookie, if it has the form of one. */
export function cookieToken(headers: Headers, isOverTls: boolean): string | undefined {
  const wanted = isOverTls ? SECURE_NAME : NAME;
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [name, value] = part.trim().split("=");
    if (name === wanted && value !== undefined && TOKEN.test(value)) return value;
  }
  return undefined;
}

/** Of the header `Set-Cookie`; without a token it takes the cookie away. */
export function cookieOf(token: string | undefined, isOverTls: boolean): string {
  return [
    `${isOverTls ? SECURE_NAME : NAME}=${token ?? ""}`,
    "Path=/",
    `Max-Age=${token === undefined ? 0 : SESSION_MS / MS_PER_SECOND}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isOverTls ? ["Secure"] : []),
  ].join("; ");
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
