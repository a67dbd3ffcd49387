/**
 * Metadata that programs read first: the authorization server of `/mcp/connect` (RFC 9728), and how it issues tokens
 * (RFC 8414, RFC 9207, OAuth Client ID Metadata Document).
 *
 * @module
 */

export const CONNECT_PATH = "/mcp/connect";
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${CONNECT_PATH}`;
export const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
export const AUTHORIZE_PATH = "/oauth/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
/** The only scope. The user, not the program, decides what a key may do. */
export const SCOPE = "feeds";

/** The endpoint that accepts the tokens, which programs send as `resource`. RFC 8707. */
export function resourceOf(baseUrl: string): string {
  return baseUrl + CONNECT_PATH;
}

/** `WWW-Authenticate` of the endpoint. `error`: a token was sent, and it is not valid. RFC 6750, 3; RFC 9728, 5.1. */
export function challengeOf(baseUrl: string, error?: "invalid_token"): string {
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}"`,
    `scope="${SCOPE}"`,
  ];
  return `Bearer ${parameters.join(", ")}`;
}

export function resourceMetadata(baseUrl: string) {
  return {
    resource: resourceOf(baseUrl),
    authorization_servers: [baseUrl],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
    resource_name: "Feedgate",
    resource_documentation: `${baseUrl}/docs/guides/connect`,
  };
}

export function serverMetadata(baseUrl: string, { isFetching }: { readonly isFetching: boolean }) {
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + AUTHORIZE_PATH,
    token_endpoint: baseUrl + TOKEN_PATH,
    registration_endpoint: baseUrl + REGISTER_PATH,
    scopes_supported: [SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: isFetching,
    service_documentation: `${baseUrl}/docs/guides/connect`,
  };
}
