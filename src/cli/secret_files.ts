/**
 * Secrets from files, as orchestrators mount them: each variable that may contain a secret can be replaced by one that
 * ends with `_FILE` and names a file with the value.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { ConfigError } from "../config.ts";
import { codeOf } from "../lib/error_fields.ts";

/** Variables whose value is a secret, or an address that may contain a password. */
export const SECRET_VARIABLES = [
  "DATABASE_URL",
  "DATABASE_READ_URL",
  "FEEDGATE_CURSOR_SECRET",
  "FEEDGATE_METRICS_TOKEN",
  "FEEDGATE_OIDC_CLIENT_SECRET",
  "FEEDGATE_SMTP_URL",
  "FEEDGATE_STRIPE_SECRET_KEY",
  "FEEDGATE_STRIPE_WEBHOOK_SECRET",
  "FEEDGATE_X402_FACILITATOR_TOKEN",
  "FEEDGATE_X402_RPC_URL",
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment with the files' contents. @throws {ConfigError} with one line per mistake */
export function withSecretFiles(environment: Environment): Environment {
  const given: Record<string, string | undefined> = { ...environment };
  const mistakes: string[] = [];
  for (const name of SECRET_VARIABLES) {
    const variable = `${name}_FILE`;
    const path = given[variable]?.trim();
    delete given[variable];
    if (!path) continue;
    if (given[name]?.trim()) {
      mistakes.push(`${name} and ${variable} must not both be set`);
      continue;
    }
    try {
      // Editors end files with a line break, which is not part of the secret.
      given[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (given[name].trim() === "") mistakes.push(`${variable}: ${path} is empty`);
    } catch (error) {
      mistakes.push(`${variable}: ${path} can't be read (${codeOf(error)}): check path and mode`);
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return given;
}
