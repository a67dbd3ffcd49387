/** The part of oidc-provider that the tests use. The package does not include types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
    };
  }

  interface Account {
    readonly accountId: string;
    claims(): Readonly<Record<string, unknown>>;
  }

  interface ProviderConfiguration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly cookies: { readonly keys: readonly string[] };
    readonly features: Readonly<Record<string, { readonly enabled: boolean }>>;
    readonly findAccount: (context: Context, id: string) => Account | undefined;
    readonly interactions: {
      readonly url: (context: Context, interaction: { readonly uid: string }) => string;
    };
    readonly jwks: { readonly keys: readonly JsonWebKey[] };
    readonly loadExistingGrant: (context: Context) => Promise<Grant>;
    readonly pkce: { readonly required: () => boolean };
    readonly ttl: Readonly<Record<string, number>>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: ProviderConfiguration);
    readonly Grant: new (of: {
      clientId: string;
      accountId: string;
    }) => Grant;
    readonly Client: {
      readonly prototype: { redirectUriAllowed: (redirectUri: string) => boolean };
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
  }
}
