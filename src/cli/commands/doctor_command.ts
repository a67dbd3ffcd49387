/**
 * `doctor`: checks the installation and says how to fix problems. Exits with 1 if a check fails.
 *
 * @module
 */
import { type Check, examine, type Health } from "../../operator/examine.ts";
import { examineX402 } from "../../topups/x402/examine_x402.ts";
import { type Answer, defineCommand } from "../command.ts";

/** From best to worst. */
const HEALTHS: readonly Health[] = ["ok", "low", "bad"];
const SIGNS: Readonly<Record<Health, string>> = { ok: "ok", low: "WARN", bad: "FAIL" };

/** The command `doctor`. */
export const doctor = defineCommand({
  words: "doctor",
  about: "check settings, database, clock, disk, ledgers and more, without changing anything",
  options: {},
  run: async ({ config }) => {
    const x402 = config.topups?.x402;
    const checks = await examine(config);
    return answerOf(x402 === undefined ? checks : [...checks, await examineX402(x402)]);
  },
});

function answerOf(checks: readonly Check[]): Answer {
  const of = (health: Health) => checks.filter((check) => check.health === health);
  const worst = HEALTHS.findLast((health) => of(health).length > 0) ?? "ok";
  const bad = of("bad").map(({ name }) => name);
  return {
    json: JSON.stringify({ health: worst, checks }),
    text: checks.flatMap((check) => linesOf(check, checks)).join("\n"),
    refusal: bad.length === 0 ? undefined : `failed checks: ${bad.join(", ")}`,
  };
}

function linesOf({ name, health, found, hint }: Check, all: readonly Check[]): readonly string[] {
  const [signWidth, nameWidth] = [
    Math.max(...Object.values(SIGNS).map((sign) => sign.length)),
    Math.max(...all.map((check) => check.name.length)),
  ];
  const line = `${SIGNS[health].padEnd(signWidth)}  ${name.padEnd(nameWidth)}  ${found}`;
  return hint === undefined ? [line] : [line, `${" ".repeat(signWidth + nameWidth + 4)}→ ${hint}`];
}
