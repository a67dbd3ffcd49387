/**
 * An amount of USD in credits, for a note beside it.
 *
 * @module
 */
import { creditsText, nanosOfUsd } from "../../../money/money.ts";
import { counted, type Figure, plain } from "../../layout/parts.tsx";

/** `5` as `5,000,000 credits`. */
export function inCredits(usd: Figure): string {
  return counted(creditsText(nanosOfUsd(plain(usd)) ?? 0n), "credit");
}
