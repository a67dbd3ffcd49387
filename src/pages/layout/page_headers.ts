/**
 * The headers of pages for people: only our own scripts and styles, no framing, and no referrer.
 *
 * @module
 */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const SAFE = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY.join("; "),
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** Of a page that is the same for everybody. */
export const PUBLIC_PAGE_HEADERS = { ...SAFE, "Cache-Control": "public, max-age=60" };

/** Of a page of one person. */
export const PRIVATE_PAGE_HEADERS = { ...SAFE, "Cache-Control": "no-store" };

/** The same of a page whose form leads on to another site, which is named by its origin, or by its scheme. */
export function privatePageHeaders({ formTarget }: { readonly formTarget: string }) {
  const policy = POLICY.map((rule) =>
    rule === "form-action 'self'" ? `${rule} ${formTarget}` : rule,
  );
  return { ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy.join("; ") };
}
