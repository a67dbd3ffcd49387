/**
 * `demo`: runs a gateway like `serve`, with accounts, keys, and real feeds that it pushes through its own API.
 *
 * @module
 */
import { join } from "node:path";
import { shellActor } from "../../accounts/actor.ts";
import { type Config, listenerUrl, operatorsUrl } from "../../config.ts";
import { createOperatorLink, createSignInLink } from "../../operator/sign_in_links.ts";
import type { OutgoingMail } from "../../people/mail/outgoing_mail.ts";
import type { Gateway } from "../../server.ts";
import { defineCommand } from "../command.ts";
import { LISTEN_OPTIONS, listenConfig, serveUntilSignal } from "../commands/serve_command.ts";
import { shown } from "../output.ts";
import { createClient, unlessRefused } from "./client.ts";
import { type DemoAccounts, keepDemoAccounts } from "./demo_accounts.ts";
import { fillDemoDay } from "./demo_day.ts";
import { fillDemoFeeds } from "./fill.ts";
import { type ConsoleLinks, type Sheet, sheetJson, sheetText } from "./sheet.ts";

/** The command `demo`. */
export const demo = defineCommand({
  words: "demo",
  about: "run a gateway with demo accounts, keys and real feeds to try",
  makesDatabase: true,
  options: LISTEN_OPTIONS,
  run: async ({ config, values, output }) => {
    const listening = withSignUp(quiet(listenConfig(config, values)));
    const keepsMail = config.mail === undefined;
    const prepare = async (gateway: Gateway) => {
      const sheet = await prepareDemo(gateway);
      await output.write(`${output.isJson ? sheetJson(sheet) : sheetText(sheet)}\n`);
    };
    // The subject of a sign-in mail contains the code.
    const onMail = ({ address, subject }: OutgoingMail) =>
      output.note(`mail to ${shown(address)}: ${shown(subject)}\n`);
    await serveUntilSignal(listening, prepare, keepsMail ? { onMail } : {});
    output.note("Feedgate stopped.\n");
    return undefined;
  },
});

/** Hides the demo's own calls, which would fill the screen. LOG_LEVEL=debug shows them. */
function quiet(config: Config): Config {
  return { ...config, logLevel: config.logLevel === "info" ? "warn" : config.logLevel };
}

/** Opens sign-up to everyone. Without a mail server, mails are written to files in the data folder. */
function withSignUp(config: Config): Config {
  const from = { name: "Feedgate demo", address: "demo@feedgate.invalid" };
  return {
    ...config,
    mail: config.mail ?? { folder: join(config.dataDir, "mail"), from },
    signUp: { ...config.signUp, mode: "open" },
  };
}

/** Creates the demo's accounts, keys, and feeds, unless they exist. */
async function prepareDemo(gateway: Gateway): Promise<Sheet> {
  const { database, config } = gateway.services;
  // Not the public address, because its proxy may not be running yet.
  const url = listenerUrl({ ...config, port: gateway.port });
  const accounts = await keepDemoAccounts(database, config.dataDir);
  const provider = createClient(url, accounts.writeKey);
  const feeds = await fillDemoFeeds(provider, gateway.services);
  await fillDemoDay({ url, operator: { database, limits: config.limits }, accounts });
  const consumer = createClient(url, accounts.readKey);
  // The feed may have been deleted, suspended, or unpublished.
  const reading = consumer<{ next_cursor: string }>("/v1/feed/airports?limit=2");
  const page = await unlessRefused(reading, ["FEED_NOT_FOUND", "FEED_NOT_SYNCED"]);
  const console = config.hasConsole ? await linksOf(gateway, accounts) : undefined;
  return {
    console,
    joinUrl: config.hasConsole ? `${gateway.baseUrl}/console/sign-in` : undefined,
    baseUrl: gateway.baseUrl,
    place: config,
    accounts,
    feeds,
    cursor: page?.next_cursor,
  };
}

/** Creates a sign-in link for each role. */
async function linksOf(
  { baseUrl, adminPort, services: { database, config } }: Gateway,
  { consumerId, providerId }: DemoAccounts,
): Promise<ConsoleLinks> {
  const operator = { database, limits: config.limits, baseUrl };
  const actor = shellActor("demo");
  const link = async (accountId: string, permission: "read" | "write") =>
    (await createSignInLink(operator, { account_id: accountId, permission }, actor)).url;
  return {
    operator: (
      await createOperatorLink(
        { ...operator, baseUrl: operatorsUrl(config, { baseUrl, adminPort }) },
        actor,
      )
    ).url,
    provider: await link(providerId, "write"),
    consumer: await link(consumerId, "read"),
  };
}
