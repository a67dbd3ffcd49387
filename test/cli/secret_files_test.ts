import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET_VARIABLES, withSecretFiles } from "../../src/cli/secret_files.ts";
import { ConfigError, readConfig } from "../../src/config.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();

function fileOf(text: string): string {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(path, text);
  return path;
}

function mistakesOf(environment: Record<string, string>): readonly string[] {
  try {
    withSecretFiles(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

test("each secret may be in a file, without the line break at its end", () => {
  for (const name of SECRET_VARIABLES) {
    for (const end of ["", "\n", "\r\n"]) {
      const given = withSecretFiles({ [`${name}_FILE`]: fileOf(`a\nb ${end}`), PORT: "1" });
      expect(given).toEqual({ [name]: "a\nb ", PORT: "1" });
    }
    expect(withSecretFiles({ [name]: "a", [`${name}_FILE`]: " " })).toEqual({ [name]: "a" });
  }
  const config = readConfig(
    withSecretFiles({
      DATABASE_URL_FILE: fileOf("postgres://u:p@h/d\n"),
      FEEDGATE_METRICS_TOKEN_FILE: fileOf("a-long-random-text"),
    }),
  );
  expect(config).toMatchObject({
    databaseUrl: "postgres://u:p@h/d",
    metricsToken: "a-long-random-text",
    warnings: [],
  });
});

test("a file that can't be read, is empty, or stands beside the variable is a mistake that names no secret", () => {
  const missing = join(folder, "missing");
  const empty = fileOf("\n");
  mkdirSync(join(folder, "folder"));
  expect(
    mistakesOf({
      DATABASE_URL_FILE: missing,
      DATABASE_READ_URL_FILE: join(folder, "folder"),
      FEEDGATE_SMTP_URL_FILE: empty,
      FEEDGATE_METRICS_TOKEN: "secret-of-the-environment",
      FEEDGATE_METRICS_TOKEN_FILE: fileOf("secret-of-the-file"),
    }),
  ).toEqual([
    `DATABASE_URL_FILE: ${missing} can't be read (ENOENT): check path and mode`,
    `DATABASE_READ_URL_FILE: ${join(folder, "folder")} can't be read (EISDIR): check path and mode`,
    "FEEDGATE_METRICS_TOKEN and FEEDGATE_METRICS_TOKEN_FILE must not both be set",
    `FEEDGATE_SMTP_URL_FILE: ${empty} is empty`,
  ]);
});
