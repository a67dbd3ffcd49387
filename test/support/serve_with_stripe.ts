/**
 * Runs `serve --port N` with a local Stripe, whose port is in `STRIPE_PORT`. The program has no setting for a Stripe
 * other than the real one.
 *
 * @module
 */
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { startGateway } from "../../src/server.ts";
import { stripeAt } from "./gateway.ts";

const [, , , , port = "0"] = process.argv;
const config = readConfig({ ...process.env, PORT: port });
const gateway = await startGateway(
  stripeAt(config, Number(process.env.STRIPE_PORT)),
  createLog({ level: config.logLevel }),
);
process.on("SIGTERM", () => void gateway.stop().then(() => process.exit(0)));
