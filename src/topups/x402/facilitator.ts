/**
 * The facilitator, which verifies a payment and sends it to the chain. x402 version 2, section 7.
 *
 * Its answers are never proof, because it is a third party that the operator has chosen. Only the chain decides what
 * was paid.
 *
 * @module
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { X402Config } from "../../config.ts";
import { X402_SETTLE_MS_MAX, X402_VERIFY_MS_MAX } from "../../limits.ts";
import { askJson } from "./ask_json.ts";
import type { Authorization } from "./check_payment.ts";
import type { Requirements, Resource } from "./offer.ts";

/** The payment to verify or settle. */
export interface Settlement {
  readonly requirements: Requirements;
  readonly resource: Resource;
  readonly authorization: Authorization;
  readonly signature: string;
}

/** `refused`: the facilitator's answer. `lost`: its effect is unknown. */
export type FacilitatorOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "lost"; readonly error: unknown };

const VERIFIED = TypeCompiler.Compile(
  Type.Object({ isValid: Type.Boolean(), invalidReason: Type.Optional(Type.Unknown()) }),
);
const SETTLED = TypeCompiler.Compile(
  Type.Object({ success: Type.Boolean(), errorReason: Type.Optional(Type.Unknown()) }),
);

const SUPPORTED = TypeCompiler.Compile(
  Type.Object({
    kinds: Type.Array(
      Type.Object({
        x402Version: Type.Unknown(),
        scheme: Type.Unknown(),
        network: Type.Unknown(),
      }),
    ),
  }),
);
const PENDING = "settlement_pending";

export function createFacilitator({ facilitatorUrl, facilitatorToken, network }: X402Config) {
  const headers: Record<string, string> =
    facilitatorToken === undefined ? {} : { Authorization: `Bearer ${facilitatorToken}` };

  async function ask<Shape extends TSchema>(
    path: string,
    { requirements, resource, authorization, signature }: Settlement,
    { shape, msMax }: { readonly shape: TypeCheck<Shape>; readonly msMax: number },
  ): Promise<Static<Shape>> {
    const paymentPayload = {
      x402Version: 2,
      resource,
      accepted: requirements,
      payload: { signature, authorization },
    };
    const body = { x402Version: 2, paymentPayload, paymentRequirements: requirements };
    const answer = await askJson({ url: `${facilitatorUrl}${path}`, body, msMax, headers });
    if (shape.Check(answer)) return answer;
    throw new Error("the facilitator's response does not conform to x402 version 2");
  }

  return {
    /** Whether it settles on this network with the scheme `exact` of version 2. @throws if it can't be reached */
    async isSupported(): Promise<boolean> {
      const asked = { url: `${facilitatorUrl}/supported`, msMax: X402_VERIFY_MS_MAX, headers };
      const answer = await askJson(asked);
      if (!SUPPORTED.Check(answer)) return false;
      return answer.kinds.some(
        (kind) => kind.x402Version === 2 && kind.scheme === "exact" && kind.network === network,
      );
    },

    /** Whether it would settle the payment. */
    async verify(settlement: Settlement): Promise<FacilitatorOutcome> {
      try {
        const bounds = { shape: VERIFIED, msMax: X402_VERIFY_MS_MAX };
        const { isValid, invalidReason } = await ask("/verify", settlement, bounds);
        return isValid ? { kind: "done" } : { kind: "refused", reason: wordOf(invalidReason) };
      } catch (error) {
        return { kind: "lost", error };
      }
    },

    /** Sends it to the chain. */
    async settle(settlement: Settlement): Promise<FacilitatorOutcome> {
      try {
        const bounds = { shape: SETTLED, msMax: X402_SETTLE_MS_MAX };
        const { success, errorReason } = await ask("/settle", settlement, bounds);
        if (success) return { kind: "done" };
        const reason = wordOf(errorReason);
        // It has sent a transaction, but does not know the result.
        return reason === PENDING ? { kind: "lost", error: reason } : { kind: "refused", reason };
      } catch (error) {
        return { kind: "lost", error };
      }
    },
  };
}

/** One of x402's reasons, or a text of the same form. Third-party text is not passed on. */
function wordOf(reason: unknown): string {
  return typeof reason === "string" && /^[a-z0-9_]{1,80}$/i.test(reason) ? reason : "unspecified";
}
