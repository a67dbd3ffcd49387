/**
 * `console`: creates a single-use sign-in link to the console.
 *
 * @module
 */
import { hostname } from "node:os";
import { type Config, listenerUrl, operatorsUrl } from "../../config.ts";
import { createOperatorLink, createSignInLink } from "../../operator/sign_in_links.ts";
import { type GatewayUrls, listGateways } from "../../postgres/embedded/gateways.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { oneOf, text } from "../options.ts";
import { fields } from "../output.ts";

/** The command `console`. */
export const consoleCommand = databaseCommand({
  words: "console",
  about: "print a one-time console sign-in link, valid for 15 minutes; default as operator",
  isPrintedOnce: true,
  options: {
    account: text("account to sign in as, by id or name", { placeholder: "ID" }),
    permission: oneOf(["read", "write"], "read: as a consumer; write: as a provider"),
  },
  check: ({ values: { account, permission } }) => {
    if ((account === undefined) !== (permission === undefined)) {
      throw new UsageError(
        "give both --account and --permission, or neither to sign in as an operator",
      );
    }
  },
  run: async ({ config, operator, actor, values: { account, permission } }) => {
    const urls = findUrls(config);
    const link =
      account === undefined || permission === undefined
        ? await createOperatorLink({ ...operator, baseUrl: urls.operators }, actor)
        : await createSignInLink(
            { ...operator, baseUrl: urls.clients },
            { account_id: account, permission },
            actor,
          );
    return {
      json: JSON.stringify(link),
      text: [
        fields({ link: link.url, expires: link.expires_at }),
        "The link works once: the first person to use it is signed in.",
      ].join("\n"),
    };
  },
});

/** Addresses of the gateway that serves from this data folder. If none is running, those in the configuration. */
export function findUrls(config: Config): GatewayUrls {
  const { databaseUrl, dataDir, baseUrl = listenerUrl(config) } = config;
  if (config.baseUrl === undefined && databaseUrl === undefined) {
    for (const { host, readUrls } of listGateways(dataDir)) {
      const served = host === hostname() ? readUrls() : undefined;
      if (served !== undefined) return served;
    }
  }
  return { clients: baseUrl, operators: operatorsUrl(config, { baseUrl }) };
}
