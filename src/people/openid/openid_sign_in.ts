/**
 * Stub.
 *
 * @module
 */
export class OpenIdRefused extends Error {
  override readonly name = "OpenIdRefused";
  readonly status: number = 403;
}
export function createOpenId(
  _oidc: object,
  { redirectUri }: { redirectUri: () => string; secret: string },
) {
  return {
    redirectUri,
    async begin(_: { next: string | undefined }): Promise<{ location: string; kept: string }> {
      throw new OpenIdRefused("stub");
    },
    async finish(_: { callbackUrl: URL; kept: string | undefined }): Promise<{
      issuer: string;
      subject: string;
      email: string;
      name: string | undefined;
      next: string | undefined;
    }> {
      throw new OpenIdRefused("stub");
    },
  };
}
