import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Check } from "../../../src/operator/examine.ts";
import { createOperator } from "../../cli/support.ts";
import { temporaryFolder } from "../../support/folders.ts";

test("doctor reads a certificate, and says if it ends soon or is none", async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "7", "-subj", "/CN=feeds.example.com", "-keyout", key, "-out", cert],
  ]);
  expect(made.status).toBe(0);
  const operator = await createOperator({ opensAnew: true });
  const examine = async (environment: Record<string, string>) => {
    const { code, stdout } = await operator.run(["doctor", "--json"], environment);
    const { checks }: { checks: Check[] } = JSON.parse(stdout);
    return { code, health: checks.find(({ name }) => name === "certificate")?.health };
  };
  expect(await examine({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key })).toMatchObject({
    health: "low",
  });
  const swapped = await examine({ TLS_CERT_FILE: key, TLS_KEY_FILE: cert });
  expect(swapped).toEqual({ code: 1, health: "bad" });
});
