/** @jsxImportSource preact */
/**
 * Top-ups by card: a form for the amount, and the link to Stripe's page. See `src/spec/beyond.md`, section 15.
 *
 * It is a link instead of a redirect, because the console does not allow its forms to lead to another site.
 *
 * @module
 */
import { creditsNumber, usdNumber } from "../../../money/money.ts";
import { digits } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import type { Change, Form, Visit } from "../visit.ts";

interface TopUpFormProps {
  readonly visit: Visit;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

/** Nothing where the gateway takes no cards. */
export function TopUpForm({ visit, form }: TopUpFormProps) {
  if (visit.topUpByCard === undefined) return null;
  return (
    <section id="top-up">
      <h2>Top up</h2>
      <ActForm
        form={form}
        fields={[
          {
            name: "usd",
            label: "USD",
            kind: "decimal",
            hint: "1 USD is 1,000,000 credits",
            isRequired: true,
          },
        ]}
        buttons={[{ act: "top_up", text: "Pay by card" }]}
      />
    </section>
  );
}

export const TOP_UP: Change = {
  isForOwners: true,
  confirm: (form) =>
    `A Stripe payment page for ${form.text("usd")} USD will be created. You are charged only when you pay there.`,
  async run({ admit, topUpByCard }, form) {
    const payer = await admit("topups");
    if (topUpByCard === undefined) {
      return { kind: "refused", why: "This gateway accepts no card payments." };
    }
    const begun = await topUpByCard(payer, form.given("usd"));
    if (begun.kind === "refused") return begun;
    const { amountNanos, payUrl } = begun;
    return {
      kind: "show",
      view: {
        title: "Pay",
        content: (
          <>
            <h1>Pay {digits(usdNumber(amountNanos))} USD</h1>
            <p>
              {digits(creditsNumber(amountNanos))} credits will be added to the balance within a
              minute of your payment. You pay on Stripe; the gateway never sees your card number.
            </p>
            <p class="actions">
              <a class="button" href={payUrl}>
                Continue to payment
              </a>
            </p>
          </>
        ),
      },
    };
  },
};
