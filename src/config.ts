/**
 * The environment, read once at start into a frozen `Config`.
 *
 * An invalid environment is a `ConfigError` with one line per mistake. See `src/spec/decisions.md`, section 9.
 *
 * @module
 */
import { domainToASCII } from "node:url";
import { KEY_VARIABLE, URL_VARIABLE } from "./lib/client_variables.ts";
import { hasAtMost } from "./lib/code_points.ts";
import { withoutInvisible } from "./lib/invisible_text.ts";
import type { LogLevel } from "./lib/log.ts";
import { parseMailAddress } from "./lib/mail_address.ts";
import { nearestWords } from "./lib/nearest_words.ts";
import { findNetworkFault } from "./lib/network_list.ts";
import { isLoopbackHost } from "./lib/public_address.ts";
import { keysOf, mapTable } from "./lib/records.ts";
import { MS_PER_SECOND } from "./lib/time_units.ts";
import { LIMITS_DEFAULT, type Limits, TOPUP_USD_MAX } from "./limits.ts";
import { type Asset, PUBLIC_NODES, USDC } from "./money/usdc.ts";

/** Origins whose pages may read, or "*" for all of them. */
export type CorsOrigins = readonly string[] | "*";

/** What a test allows in the guard of fetches from untrusted addresses (`http/guarded_fetch.ts`). */
export interface GuardTrial {
  /** A trusted certificate, in PEM. With it, this machine's addresses count as public. */
  readonly certificate: string;
  /** Replaces the DNS resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Payments by agents, with USDC. */
export interface X402Config {
  /** The address that receives payments, and nothing else. */
  readonly payTo: string;
  /** A CAIP-2 id, such as `eip155:8453`. */
  readonly network: string;
  readonly asset: Asset;
  /** Without a trailing slash. */
  readonly facilitatorUrl: string;
  /** Sent to the facilitator as a Bearer token. Undefined to send none. */
  readonly facilitatorToken: string | undefined;
  /** JSON-RPC of a node, which decides what was paid. @default the network's public node, if it is known */
  readonly rpcUrl: string;
  /** Blocks that must follow before a payment is granted, counting its own. @default 3 */
  readonly confirmations: number;
  /** How long a call waits for that. After that, the caller must ask again. @default 20 s */
  readonly waitMs: number;
}

/** Payment methods for credits, of which at least one is configured, and limits of payments. */
export interface TopupConfig {
  /** Cards, by Stripe. */
  readonly stripe: { readonly secretKey: string; readonly webhookSecret: string } | undefined;
  readonly x402: X402Config | undefined;
  /** Whole USD of one top-up. @default TOPUP_USD_MAX */
  readonly usdMax: number;
  /** Limit of an account's top-ups in a UTC day, in whole USD. Undefined for no limit. */
  readonly accountDayUsd: number | undefined;
  /** Limit of all accounts together, in the same way. */
  readonly dayUsd: number | undefined;
  /** Stripe's address in tests, which run it on this machine. No variable sets it. */
  readonly stripeTrial?: { readonly host: string; readonly port: number } | undefined;
}

/** The sender of the gateway's mail. */
export interface MailFrom {
  /** The display name. "" for none. */
  readonly name: string;
  readonly address: string;
}

export interface SmtpConfig {
  /** `smtp:` or `smtps:`, with the host and, if needed, port, user, and password. */
  readonly smtpUrl: string;
  readonly from: MailFrom;
  /** For tests, whose server is on this machine. No variable sets it. */
  readonly trial?: {
    /** A trusted certificate, in PEM. */
    readonly certificate?: string;
    /** For each answer of the server, in ms. */
    readonly answerMsMax?: number;
    /** For a whole attempt, in ms. */
    readonly deliveryMsMax?: number;
  };
}

export interface MailFolderConfig {
  /** Where the demo writes mails. No variable sets it. */
  readonly folder: string;
  readonly from: MailFrom;
}

export type MailConfig = SmtpConfig | MailFolderConfig;

/** An OpenID Connect provider, and the client that is registered there. */
export interface OidcConfig {
  /** `https:`, or `http:` on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on the sign-in button. @default the host of the issuer */
  readonly name: string;
}

/** Sign-up: who gets an account without an operator, and with what. */
export interface SignUpConfig {
  /** Who gets an account: nobody, invited people, or everybody. @default "off" */
  readonly mode: SignUpMode;
  /** The domains of addresses that `open` covers, in lower case. Undefined for all. */
  readonly domains: readonly string[] | undefined;
  /** New accounts in a UTC day. @default 1000 */
  readonly dayMax: number;
  /** What a new person must agree to. Undefined for nothing. */
  readonly termsUrl: string | undefined;
  /** Granted once to each person. @default 0 */
  readonly welcomeCredits: number;
  /** Limit of welcome credits in a UTC day. @default 1,000,000 */
  readonly welcomeDayCredits: number;
}

/** Traces by OpenTelemetry, whose own variables configure them. */
export interface TracingConfig {
  /** Where spans are sent by OTLP over HTTP. */
  readonly url: string;
  readonly sampler: (typeof SAMPLERS)[keyof typeof SAMPLERS];
  /** Of traces, from 0 to 1, for the sampler by ratio. @default 1 */
  readonly ratio: number;
}

/** The values of OTEL_TRACES_SAMPLER: which traces are recorded that no caller has begun, or all of them. */
const SAMPLERS = {
  always_on: { root: "on", isParentBased: false },
  always_off: { root: "off", isParentBased: false },
  traceidratio: { root: "ratio", isParentBased: false },
  parentbased_always_on: { root: "on", isParentBased: true },
  parentbased_always_off: { root: "off", isParentBased: true },
  parentbased_traceidratio: { root: "ratio", isParentBased: true },
} as const;

export const SIGN_UP_MODES = ["off", "invited", "open"] as const;
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

/** Plain data, because a supervisor sends it to its workers. */
export interface Config {
  /** Any PostgreSQL 15 or newer. Undefined for an embedded one in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Whether `databaseUrl` leads to a PgBouncer in transaction mode. @default false */
  readonly isDatabasePooled: boolean;
  /** Whether a start updates the schema. If not, it refuses an outdated one. @default true */
  readonly migrates: boolean;
  /** Streaming replicas of `databaseUrl`, for pages, catalog, and search. Undefined for none. */
  readonly databaseReadUrl: string | undefined;
  /** Folder of the embedded PostgreSQL. @default ".feedgate" */
  readonly dataDir: string;
  /** @default 3000 */
  readonly port: number;
  /** @default "127.0.0.1" */
  readonly host: string;
  /**
   * The listener of operator routes, which are then not served at `host` and `port`. Undefined for no separate
   * listener.
   */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is read, as text. Undefined for none. */
  readonly trustedProxies: readonly string[] | undefined;
  /** The Bearer token that a scraper of `/metrics` must send. Undefined for none. */
  readonly metricsToken: string | undefined;
  /** Files of a certificate chain and its key, in PEM. Undefined for plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** The public address, without a trailing slash. Undefined for scheme, host, and port of the listener. */
  readonly baseUrl: string | undefined;
  /** The address for payments in a 402. Undefined for `{base_url}/billing`. */
  readonly billingUrl: string | undefined;
  /**
   * The operator's instructions for paying, for the page at `{base_url}/billing`. If undefined, the page says to ask.
   */
  readonly billingText: string | undefined;
  /** The platform's fee on each sale, in millionths. @default 0 */
  readonly platformFeeMillionths: number;
  /** How accounts can pay for credits by themselves, and how much. Undefined if they can't. */
  readonly topups: TopupConfig | undefined;
  /** How mails are sent. Undefined if the gateway sends none. */
  readonly mail: MailConfig | undefined;
  /** Whether there is a console. @default true */
  readonly hasConsole: boolean;
  /** @default "info" */
  readonly logLevel: LogLevel;
  /** The lowest status of answers that are logged. @default 0 */
  readonly loggedStatusMin: number;
  /** Undefined for no traces. */
  readonly tracing: TracingConfig | undefined;
  /** Statements that take at least as long are logged. @default 1000 */
  readonly slowStatementMs: number;
  /** Seals cursors. Undefined for a secret that is stored in the database. */
  readonly cursorSecret: string | undefined;
  /** Days that usage events are kept. After that, their charges are carried over to the credit ledger. @default 400 */
  readonly usageRetentionDays: number;
  /** Days that events of the audit trail are kept. @default 400 */
  readonly auditRetentionDays: number;
  /** Origins whose pages may read in a browser, or "*" for all of them. Undefined for none. */
  readonly corsOrigins: CorsOrigins | undefined;
  /** Whether agents can be connected by OAuth. @default true */
  readonly isConnectOn: boolean;
  /** Whether clients' metadata documents are fetched. @default true */
  readonly isConnectFetching: boolean;
  /** The budget a day that the consent page suggests, in credits. @default 2000000, which buys a feed */
  readonly connectDailyCredits: number;
  /** The provider through which people sign in. Undefined for none. */
  readonly oidc: OidcConfig | undefined;
  /** How people join by themselves. */
  readonly signUp: SignUpConfig;
  /** For tests, whose client documents are on this machine. No variable sets it. */
  readonly connectTrial: GuardTrial | undefined;
  /** Whether webhooks may have private addresses. @default false */
  readonly isWebhookPrivate: boolean;
  /** For tests, whose webhooks are on this machine. No variable sets it. */
  readonly webhookTrial: GuardTrial | undefined;
  readonly limits: Limits;
  /** Settings in the environment that are probably mistakes, one sentence each. They are logged at start. */
  readonly warnings: readonly string[];
}

/** Every mistake in the environment, one line each. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly mistakes: readonly string[]) {
    super(mistakes.join("\n"));
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
/** Which answers are logged. */
const LOG_REQUESTS = ["all", "refused", "none"] as const;
const LOGGED_STATUS_MIN = { all: 0, refused: 400, none: Number.POSITIVE_INFINITY } as const;
const DATABASE_PROTOCOLS = ["postgres:", "postgresql:"] as const;
const HTTP_PROTOCOLS = ["http:", "https:"] as const;
const SMTP_PROTOCOLS = ["smtp:", "smtps:"] as const;
const BOOLEANS = ["true", "false"] as const;
const WEBHOOK_FETCHES = ["public", "private"] as const;
const SWITCH = ["on", "off"] as const;
const SECRET_LENGTH_MIN = 16;
/** A page of text, in code points. */
const BILLING_TEXT_LENGTH_MAX = 4_000;
/** In code points. */
const MAIL_NAME_LENGTH_MAX = 100;
const OIDC_NAME_LENGTH_MAX = 40;
export const PORT_MAX = 65_535;
const MILLION = 1_000_000;
const LIMIT_MAX = 1_000_000_000;
/** A hundred years at most. */
const RETENTION_DAYS = { least: 1, most: 36_500 };

/** A million dollars a day at most. */
const DAY_USD = { least: 1, most: MILLION };
/** An hour of a slow chain at most. */
const X402_CONFIRMATIONS = { least: 1, most: 300 };
const X402_WAIT_SECONDS = { least: 1, most: 45 };
const STRIPE_VARIABLES = ["FEEDGATE_STRIPE_SECRET_KEY", "FEEDGATE_STRIPE_WEBHOOK_SECRET"] as const;
const MAIL_VARIABLES = ["FEEDGATE_SMTP_URL", "FEEDGATE_MAIL_FROM"] as const;
const OIDC_VARIABLES = [
  "FEEDGATE_OIDC_ISSUER",
  "FEEDGATE_OIDC_CLIENT_ID",
  "FEEDGATE_OIDC_CLIENT_SECRET",
] as const;
const X402_VARIABLES = [
  "FEEDGATE_X402_PAY_TO",
  "FEEDGATE_X402_NETWORK",
  "FEEDGATE_X402_FACILITATOR_URL",
] as const;

const X402_BESIDES = [
  "FEEDGATE_X402_ASSET",
  "FEEDGATE_X402_CONFIRMATIONS",
  "FEEDGATE_X402_FACILITATOR_TOKEN",
  "FEEDGATE_X402_RPC_URL",
  "FEEDGATE_X402_WAIT_SECONDS",
] as const;

/** Variable of each limit that may be overridden. */
const LIMIT_VARIABLES: Readonly<Record<keyof Limits, string>> = {
  readsFree: "FEEDGATE_READ_LIMIT_FREE",
  readsPaid: "FEEDGATE_READ_LIMIT_PAID",
  discovery: "FEEDGATE_DISCOVERY_LIMIT",
  pushes: "FEEDGATE_PUSH_LIMIT",
  singletonBodyBytes: "FEEDGATE_SINGLETON_BODY_BYTES",
  requestBodyBytes: "FEEDGATE_REQUEST_BODY_BYTES",
  importBytes: "FEEDGATE_IMPORT_BYTES",
  rowBytes: "FEEDGATE_ROW_BYTES",
  rows: "FEEDGATE_ROWS",
  maxFeeds: "FEEDGATE_MAX_FEEDS",
  databaseMs: "FEEDGATE_DATABASE_MS",
};

/** @throws {ConfigError} with one line for each invalid variable. */
export function readConfig(environment: Environment): Config {
  const mistakes: string[] = [];
  const read = environmentReader(environment, mistakes);
  const limits = mapTable<keyof Limits, string, number>(
    LIMIT_VARIABLES,
    (variable, limit) =>
      read.integer(variable, { least: 1, most: LIMIT_MAX }) ?? LIMITS_DEFAULT[limit],
  );
  const certFile = read.text("TLS_CERT_FILE");
  const keyFile = read.text("TLS_KEY_FILE");
  if ((certFile === undefined) !== (keyFile === undefined)) {
    mistakes.push("set both TLS_CERT_FILE and TLS_KEY_FILE, or neither");
  }
  const config: Config = {
    databaseUrl: read.hosts("DATABASE_URL"),
    isDatabasePooled: read.oneOf("DATABASE_POOLED", BOOLEANS) === "true",
    migrates: true,
    databaseReadUrl: read.hosts("DATABASE_READ_URL"),
    dataDir: read.text("FEEDGATE_DATA_DIR") ?? ".feedgate",
    port: read.integer("PORT", { least: 0, most: PORT_MAX }) ?? 3000,
    host: read.text("HOST") ?? "127.0.0.1",
    admin: readAdmin(read),
    trustedProxies: read.networks("FEEDGATE_TRUSTED_PROXIES"),
    metricsToken: read.secret("FEEDGATE_METRICS_TOKEN"),
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    baseUrl: read.base("FEEDGATE_BASE_URL"),
    billingUrl: read.url("FEEDGATE_BILLING_URL"),
    billingText: read.words("FEEDGATE_BILLING_TEXT", BILLING_TEXT_LENGTH_MAX),
    platformFeeMillionths: read.percent("FEEDGATE_PLATFORM_FEE_PERCENT") ?? 0,
    topups: readTopups(read, mistakes),
    mail: readMail(read, mistakes),
    hasConsole: read.oneOf("FEEDGATE_CONSOLE", SWITCH) !== "off",
    logLevel: read.oneOf("LOG_LEVEL", LOG_LEVELS) ?? "info",
    loggedStatusMin: LOGGED_STATUS_MIN[read.oneOf("FEEDGATE_LOG_REQUESTS", LOG_REQUESTS) ?? "all"],
    tracing: readTracing(read),
    slowStatementMs:
      read.integer("FEEDGATE_SLOW_STATEMENT_MS", { least: 1, most: LIMIT_MAX }) ?? 1_000,
    cursorSecret: read.secret("FEEDGATE_CURSOR_SECRET"),
    usageRetentionDays: read.integer("FEEDGATE_USAGE_RETENTION_DAYS", RETENTION_DAYS) ?? 400,
    auditRetentionDays: read.integer("FEEDGATE_AUDIT_RETENTION_DAYS", RETENTION_DAYS) ?? 400,
    corsOrigins: read.origins("FEEDGATE_CORS_ORIGINS"),
    isConnectOn: read.oneOf("FEEDGATE_CONNECT", SWITCH) !== "off",
    isConnectFetching: read.oneOf("FEEDGATE_CONNECT_FETCH", SWITCH) !== "off",
    connectDailyCredits:
      read.integer("FEEDGATE_CONNECT_DAILY_CREDITS", { least: 1, most: LIMIT_MAX }) ?? 2_000_000,
    oidc: readOidc(read, mistakes),
    signUp: readSignUp(read, mistakes),
    connectTrial: undefined,
    isWebhookPrivate: read.oneOf("FEEDGATE_WEBHOOK_FETCH", WEBHOOK_FETCHES) === "private",
    webhookTrial: undefined,
    limits: Object.freeze(limits),
    warnings: misspeltIn(environment, read.names),
  };
  if (config.admin !== undefined && config.admin.port > 0 && config.admin.port === config.port) {
    mistakes.push(`FEEDGATE_ADMIN_PORT must differ from PORT (${config.port})`);
  }
  if (config.admin === undefined && read.text("FEEDGATE_ADMIN_HOST") !== undefined) {
    mistakes.push("FEEDGATE_ADMIN_HOST requires FEEDGATE_ADMIN_PORT");
  }
  if (config.databaseReadUrl !== undefined && config.databaseUrl === undefined) {
    mistakes.push("DATABASE_READ_URL, for replicas of DATABASE_URL, requires DATABASE_URL");
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze(config);
}

/** For the commands of agents and providers, not for a gateway. */
const OF_CLIENTS: ReadonlySet<string> = new Set([URL_VARIABLE, KEY_VARIABLE]);

function readAdmin(read: ReturnType<typeof environmentReader>): Config["admin"] {
  const host = read.text("FEEDGATE_ADMIN_HOST") ?? "127.0.0.1";
  const port = read.integer("FEEDGATE_ADMIN_PORT", { least: 0, most: PORT_MAX });
  return port === undefined ? undefined : { host, port };
}

const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

function readSignUp(read: ReturnType<typeof environmentReader>, mistakes: string[]): SignUpConfig {
  const given = read.text("FEEDGATE_SIGN_UP_DOMAINS");
  const domains = given?.split(",").map((each) => domainToASCII(each.trim()).toLowerCase());
  if (domains?.some((domain) => !DOMAIN.test(domain))) {
    mistakes.push(
      `FEEDGATE_SIGN_UP_DOMAINS must be a comma-separated list of domains such as example.com, got "${given}"`,
    );
  }
  return {
    mode: read.oneOf("FEEDGATE_SIGN_UP", SIGN_UP_MODES) ?? "off",
    domains,
    dayMax: read.integer("FEEDGATE_SIGN_UP_DAY_MAX", { least: 1, most: LIMIT_MAX }) ?? 1_000,
    termsUrl: read.url("FEEDGATE_TERMS_URL"),
    welcomeCredits: read.integer("FEEDGATE_WELCOME_CREDITS", { least: 0, most: LIMIT_MAX }) ?? 0,
    welcomeDayCredits:
      read.integer("FEEDGATE_WELCOME_DAY_CREDITS", { least: 0, most: LIMIT_MAX }) ?? 1_000_000,
  };
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function readTracing(read: ReturnType<typeof environmentReader>): TracingConfig | undefined {
  const base = read.base("OTEL_EXPORTER_OTLP_ENDPOINT");
  const url = read.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? (base && `${base}/v1/traces`);
  const name = read.oneOf("OTEL_TRACES_SAMPLER", keysOf(SAMPLERS)) ?? "parentbased_always_on";
  const ratio = read.ratio("OTEL_TRACES_SAMPLER_ARG") ?? 1;
  const isOff =
    read.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true" ||
    read.text("OTEL_TRACES_EXPORTER") === "none";
  return url === undefined || isOff ? undefined : { url, sampler: SAMPLERS[name], ratio };
}

/** A payment method needs all of its variables, or none. */
function readTopups(read: ReturnType<typeof environmentReader>, mistakes: string[]) {
  const secretKey = read.text("FEEDGATE_STRIPE_SECRET_KEY");
  const webhookSecret = read.text("FEEDGATE_STRIPE_WEBHOOK_SECRET");
  const usdMax = read.integer("FEEDGATE_TOPUP_MAX_USD", { least: 1, most: TOPUP_USD_MAX });
  const accountDayUsd = read.integer("FEEDGATE_TOPUP_ACCOUNT_DAY_USD", DAY_USD);
  const dayUsd = read.integer("FEEDGATE_TOPUP_DAY_USD", DAY_USD);
  const hasSome = (names: readonly string[]) => names.some((name) => read.text(name) !== undefined);
  const lacksSome = (names: readonly string[]) =>
    names.some((name) => read.text(name) === undefined);
  for (const names of [STRIPE_VARIABLES, X402_VARIABLES]) {
    if (hasSome(names) && lacksSome(names)) {
      mistakes.push(`set all of ${names.join(", ")}, or none`);
    }
  }
  const stripe =
    secretKey === undefined || webhookSecret === undefined
      ? undefined
      : { secretKey, webhookSecret };
  const x402 = readX402(read, mistakes);
  if (stripe === undefined && x402 === undefined) return undefined;
  return { stripe, x402, usdMax: usdMax ?? TOPUP_USD_MAX, accountDayUsd, dayUsd };
}

/** A server and a sender, or neither. */
function readMail(
  read: ReturnType<typeof environmentReader>,
  mistakes: string[],
): SmtpConfig | undefined {
  const smtpUrl = read.smtp("FEEDGATE_SMTP_URL");
  const from = read.mailFrom("FEEDGATE_MAIL_FROM");
  const isHalf = MAIL_VARIABLES.filter((name) => read.text(name) !== undefined).length === 1;
  if (isHalf) mistakes.push(`set both ${MAIL_VARIABLES.join(" and ")}, or neither`);
  return smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from };
}

/** An issuer and its client, or neither. */
function readOidc(
  read: ReturnType<typeof environmentReader>,
  mistakes: string[],
): OidcConfig | undefined {
  const issuer = read.issuer("FEEDGATE_OIDC_ISSUER");
  // A secret that was read from a file may end with a line break.
  const clientId = read.text("FEEDGATE_OIDC_CLIENT_ID")?.trim();
  const clientSecret = read.text("FEEDGATE_OIDC_CLIENT_SECRET")?.trim();
  const name = read.label("FEEDGATE_OIDC_NAME", OIDC_NAME_LENGTH_MAX);
  const lacking = OIDC_VARIABLES.filter((each) => read.text(each) === undefined).length;
  if (lacking > 0 && lacking < OIDC_VARIABLES.length) {
    mistakes.push(`set all of ${OIDC_VARIABLES.join(", ")}, or none`);
  }
  if (lacking === OIDC_VARIABLES.length && read.text("FEEDGATE_OIDC_NAME") !== undefined) {
    mistakes.push(`FEEDGATE_OIDC_NAME requires ${OIDC_VARIABLES.join(", ")}`);
  }
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    return undefined;
  }
  return { issuer, clientId, clientSecret, name: name ?? new URL(issuer).host };
}

/** Without a token contract, uses USDC of the network. */
function readX402(
  read: ReturnType<typeof environmentReader>,
  mistakes: string[],
): X402Config | undefined {
  const payTo = read.matching(
    "FEEDGATE_X402_PAY_TO",
    /^0x(?!0{40}$)[0-9a-fA-F]{40}$/,
    "an address: 0x and 40 hexadecimal digits",
  );
  const network = read.matching(
    "FEEDGATE_X402_NETWORK",
    /^eip155:[1-9]\d{0,14}$/,
    "a CAIP-2 id such as eip155:8453",
  );
  const facilitatorUrl = read.base("FEEDGATE_X402_FACILITATOR_URL");
  const facilitatorToken = read.text("FEEDGATE_X402_FACILITATOR_TOKEN");
  const givenNode = read.url("FEEDGATE_X402_RPC_URL");
  const confirmations = read.integer("FEEDGATE_X402_CONFIRMATIONS", X402_CONFIRMATIONS) ?? 3;
  const waitSeconds = read.integer("FEEDGATE_X402_WAIT_SECONDS", X402_WAIT_SECONDS) ?? 20;
  const given = read.matching(
    "FEEDGATE_X402_ASSET",
    /^0x[0-9a-fA-F]{40},[^,]+,[^,]+$/,
    "an address, a name and a version, separated by commas",
  );
  const besides = X402_BESIDES.filter((name) => read.text(name) !== undefined);
  if (besides.length > 0 && X402_VARIABLES.every((name) => read.text(name) === undefined)) {
    mistakes.push(`${besides.join(", ")} can be set only with ${X402_VARIABLES.join(", ")}`);
  }
  if (payTo === undefined || network === undefined || facilitatorUrl === undefined)
    return undefined;
  const [address = "", name = "", version = ""] = given?.split(",") ?? [];
  const asset = given === undefined ? USDC.get(network) : { address, name, version };
  if (asset === undefined) {
    const known = [...USDC.keys()].join(", ");
    mistakes.push(
      `FEEDGATE_X402_NETWORK is ${network}, whose USDC address is unknown: also set FEEDGATE_X402_ASSET, or use one of ${known}`,
    );
    return undefined;
  }
  const rpcUrl = givenNode ?? PUBLIC_NODES.get(network);
  if (rpcUrl === undefined) {
    mistakes.push(
      `FEEDGATE_X402_NETWORK is ${network}, which has no known public node: also set FEEDGATE_X402_RPC_URL`,
    );
    return undefined;
  }
  const waitMs = waitSeconds * MS_PER_SECOND;
  return { payTo, network, asset, facilitatorUrl, facilitatorToken, rpcUrl, confirmations, waitMs };
}

/** Warnings about variables that are similar to one of `known`, because they have no effect. */
function misspeltIn(environment: Environment, known: ReadonlySet<string>): readonly string[] {
  const names = [...known];
  return Object.keys(environment)
    .filter((name) => /^FEEDGATE_/.test(name) && !known.has(name) && !OF_CLIENTS.has(name))
    .sort()
    .flatMap((name) => {
      const unprefixed = names.find((each) => `FEEDGATE_${each}` === name);
      const nearest = unprefixed ?? nearestWords(name, names)[0];
      const meant = nearest === undefined ? beginningNear(name, names) : [nearest];
      if (meant.length === 0) return [];
      return [`Feedgate has no variable ${name}. Did you mean ${meant.join(" or ")}?`];
    });
}

/** The names that a name is nearly a prefix of: FEEDGATE_READ_LIMIT is a prefix of two. */
function beginningNear(name: string, names: readonly string[]): readonly string[] {
  const parts = name.split("_").length;
  const beginningOf = (each: string) => each.split("_").slice(0, parts).join("_");
  const longer = names.filter((each) => each.split("_").length > parts);
  const [nearest] = nearestWords(name, longer.map(beginningOf));
  return longer.filter((each) => beginningOf(each) === nearest);
}

/** Hosts that mean all addresses of the machine, each with one address that clients can call. */
const OWN_ADDRESSES: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["0", "127.0.0.1"],
  ["::", "[::1]"],
  ["[::]", "[::1]"],
]);

/** Why nobody can join although sign-up is on, as one sentence. Undefined if people can, or it is off. */
export function signUpWarning({ signUp, hasConsole, mail, oidc }: Config): string | undefined {
  if (signUp.mode === "off") return undefined;
  if (!hasConsole) return "FEEDGATE_SIGN_UP has no effect while FEEDGATE_CONSOLE is off";
  if (mail !== undefined || oidc !== undefined) return undefined;
  return "FEEDGATE_SIGN_UP has no effect, because addresses can't be verified: set FEEDGATE_SMTP_URL or FEEDGATE_OIDC_ISSUER";
}

/** Whether everybody may join on the console's pages. */
export function canJoin({ hasConsole, signUp, mail, oidc }: Config): boolean {
  return hasConsole && signUp.mode === "open" && (mail !== undefined || oidc !== undefined);
}

/** Whether our own answers send clients on other machines to an address that works only on this machine. */
export function isBaseUrlMissing({ host, baseUrl }: Pick<Config, "host" | "baseUrl">): boolean {
  return baseUrl === undefined && OWN_ADDRESSES.has(host);
}

/** Scheme, host, and port of the listener itself, an address that works on this machine. */
export function listenerUrl({ tls, host, port }: Pick<Config, "tls" | "host" | "port">): string {
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const authority = OWN_ADDRESSES.get(host) ?? bracketed;
  return `${tls === undefined ? "http" : "https"}://${authority}:${port}`;
}

/** Where operators sign in: at their own listener, or at the public one. */
export function operatorsUrl(
  { admin, tls }: Pick<Config, "admin" | "tls">,
  { baseUrl, adminPort }: { readonly baseUrl: string; readonly adminPort?: number | undefined },
): string {
  if (admin === undefined) return baseUrl;
  return listenerUrl({ tls, host: admin.host, port: adminPort ?? admin.port });
}

const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;
const CONTROL = /\p{Cc}/u;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** Whether the percent-encoded text is UTF-8 without control characters. */
function isReadableEscape(encoded: string): boolean {
  try {
    return !CONTROL.test(decodeURIComponent(encoded));
  } catch {
    return false;
  }
}

function beginsWith(protocols: readonly string[], address: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*:)\/\/./i.exec(address)?.[1]?.toLowerCase();
  return scheme !== undefined && protocols.includes(scheme);
}

function environmentReader(environment: Environment, mistakes: string[]) {
  // An empty or blank variable counts as missing, because a compose file omits one in this way.
  const names = new Set<string>();
  const text = (name: string) => {
    names.add(name);
    return environment[name]?.trim() ? environment[name] : undefined;
  };
  const refuse = (mistake: string): undefined => {
    mistakes.push(mistake);
  };
  const address = (
    name: string,
    value: string,
    protocols: readonly string[],
  ): string | undefined => {
    // The value is not repeated, because an address may contain a password.
    if (!beginsWith(protocols, value)) {
      const allowed = protocols.map((each) => `${each}//`).join(" or ");
      return refuse(`${name} must be an address that begins with ${allowed}`);
    }
    if (URL.canParse(value)) return value;
    return refuse(`${name} is not a valid address: check its host and port`);
  };
  /** An address that answers name, including in headers. */
  const url = (name: string): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!SPACE_OR_CONTROL.test(value)) return address(name, value, HTTP_PROTOCOLS);
    return refuse(`${name} must not contain spaces or line breaks`);
  };
  return {
    text,
    /** The variables that were read. */
    names,
    integer(name: string, range: { least: number; most: number }): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (/^\d{1,10}$/.test(value) && number >= range.least && number <= range.most) return number;
      return refuse(
        `${name} must be an integer from ${range.least} to ${range.most}, got "${value}"`,
      );
    },
    /** A percentage with up to 4 decimals, in millionths of the whole. */
    percent(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const [, whole = "", fraction = ""] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(value) ?? [];
      const millionths = Number(`${whole}${fraction.padEnd(4, "0")}`);
      if (whole !== "" && millionths <= MILLION) return millionths;
      return refuse(
        `${name} must be a number from 0 to 100 with at most 4 decimals, got "${value}"`,
      );
    },
    /** From 0 to 1. */
    ratio(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (number >= 0 && number <= 1) return number;
      return refuse(`${name} must be a number from 0 to 1, got "${value}"`);
    },
    url,
    /** A base address, without its trailing slash, and with nothing after its path. */
    base(name: string): string | undefined {
      const value = url(name);
      if (value === undefined) return undefined;
      if (!/[?#]/.test(value)) return value.replace(/\/+$/, "");
      return refuse(`${name} must not contain a query or a fragment (? or #)`);
    },
    /** An OpenID Connect issuer, as the provider writes it. `http:` only on this machine. */
    issuer(name: string): string | undefined {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      if (SPACE_OR_CONTROL.test(value)) {
        return refuse(`${name} must not contain spaces or line breaks`);
      }
      if (address(name, value, HTTP_PROTOCOLS) === undefined) return undefined;
      const { protocol, hostname, username, password } = new URL(value);
      if (/[?#]/.test(value) || username !== "" || password !== "") {
        return refuse(`${name} must not contain a user, a query or a fragment (@, ? or #)`);
      }
      if (protocol === "https:" || isLoopbackHost(hostname)) return value;
      return refuse(`${name} must begin with https://, except on this machine`);
    },
    /** An address of PostgreSQL, which may contain a list of hosts. Only its scheme is checked. */
    hosts(name: string): string | undefined {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      if (BROKEN_ESCAPE.test(value)) {
        return refuse(
          `${name} contains a % that is not part of an escape: in a password, write % as %25`,
        );
      }
      const isList = value.includes(",") && beginsWith(DATABASE_PROTOCOLS, value);
      return isList ? value : address(name, value, DATABASE_PROTOCOLS);
    },
    /** An SMTP server. No mistake repeats any part of the value, because it may contain a password. */
    smtp(name: string): string | undefined {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      if (SPACE_OR_CONTROL.test(value)) {
        return refuse(
          `${name} must not contain spaces or line breaks: in a password, write a space as %20`,
        );
      }
      if (BROKEN_ESCAPE.test(value)) {
        return refuse(
          `${name} contains a % that is not part of an escape: in a password, write % as %25`,
        );
      }
      if (address(name, value, SMTP_PROTOCOLS) === undefined) return undefined;
      const { hostname, username, password, pathname, search, hash } = new URL(value);
      if (hostname === "" || !/^\/?$/.test(pathname) || search !== "" || hash !== "") {
        return refuse(
          `${name} must end with its host or port: in a password, write / as %2F, ? as %3F, and # as %23`,
        );
      }
      if ((username === "") !== (password === "")) {
        return refuse(`${name} must contain both a user and a password, or neither`);
      }
      if ([hostname, username, password].every(isReadableEscape)) return value;
      return refuse(`${name} contains an escape that is not UTF-8, or a control character`);
    },
    /** `address`, or `Name <address>`. The name goes into a header. */
    mailFrom(name: string): MailFrom | undefined {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      const [, display = "", inner = value] = /^([^<>]*)<([^<>]+)>$/.exec(value) ?? [];
      const parsed = parseMailAddress(inner);
      const shown = display.trim().replace(/^"(.*)"$/, "$1");
      const isPlain = withoutInvisible(shown) === shown && !/[\n\p{Zl}\p{Zp}"<>]/u.test(shown);
      if (parsed !== undefined && isPlain && hasAtMost(shown, MAIL_NAME_LENGTH_MAX)) {
        return { name: shown, address: parsed.address };
      }
      return refuse(
        `${name} must be an address such as feeds@example.com or Example Feeds <feeds@example.com>, on one line`,
      );
    },
    origins(name: string): CorsOrigins | undefined {
      const value = text(name);
      if (value === undefined || value === "*") return value;
      const origins = value.split(",").map((each) => each.trim());
      for (const origin of origins) {
        // In a browser's format: scheme, host, and port, in lower case, with nothing after them.
        if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
        mistakes.push(
          `${name} must be * or a comma-separated list of origins such as https://app.example.com, got "${origin}"`,
        );
      }
      return origins;
    },
    /** IP addresses and CIDR networks. */
    networks(name: string): readonly string[] | undefined {
      const networks = text(name)
        ?.split(",")
        .map((each) => each.trim());
      for (const network of networks ?? []) {
        const fault = findNetworkFault(network);
        if (fault !== undefined) mistakes.push(`${name} ${fault}, got "${network}"`);
      }
      return networks;
    },
    oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const choice = choices.find((each) => each === value);
      return choice ?? refuse(`${name} must be one of ${choices.join(", ")}, got "${value}"`);
    },
    matching(name: string, pattern: RegExp, expected: string): string | undefined {
      const value = text(name);
      if (value === undefined || pattern.test(value)) return value;
      return refuse(`${name} must be ${expected}, got "${value}"`);
    },
    /** A short name in one line. */
    label(name: string, lengthMax: number): string | undefined {
      const value = text(name)?.trim();
      if (value === undefined) return undefined;
      const isPlain = withoutInvisible(value) === value && !/[\n\p{Zl}\p{Zp}]/u.test(value);
      if (isPlain && hasAtMost(value, lengthMax)) return value;
      return refuse(`${name} must be a single line of at most ${lengthMax} characters`);
    },
    words(name: string, lengthMax: number): string | undefined {
      const value = text(name);
      if (value === undefined || hasAtMost(value, lengthMax)) return value;
      return refuse(`${name} must have at most ${lengthMax} characters`);
    },
    secret(name: string): string | undefined {
      const value = text(name);
      if (value === undefined || value.length >= SECRET_LENGTH_MIN) return value;
      return refuse(
        `${name} must have at least ${SECRET_LENGTH_MIN} characters, got ${value.length}`,
      );
    },
  };
}
