/** @jsxImportSource preact */
/**
 * Top-ups by card: a form for the amount, and the link to Stripe's page. See `src/spec/beyond.md`, section 15.
 *
 * It is a link instead of a redirect, because the console does not allow its forms to lead to another site.
 *
 * @module
 */
import { digits } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { typedNumber } from "../exact_values.ts";
import { bodyOf } from "../own_api.ts";
import type { Change, Form, Visit } from "../visit.ts";

interface TopUp {
  readonly usd: number;
  readonly credits: number;
  readonly pay_url: string;
}

interface TopUpFormProps {
  readonly visit: Visit;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

/** Nothing where the gateway takes no cards. */
export function TopUpForm({ visit, form }: TopUpFormProps) {
  if (!visit.takesCards) return null;
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
  async run(visit, form) {
    const usd = typedNumber(form.text("usd"));
    const answer = await visit.ask<TopUp>("/v1/topups", { body: { usd, way: "card" } });
    if (answer.kind === "refused") return { kind: "refused", why: whyOf(answer) };
    const { usd: amount, credits, pay_url: payUrl } = bodyOf(answer);
    return {
      kind: "show",
      view: {
        title: "Pay",
        content: (
          <>
            <h1>Pay {digits(amount)} USD</h1>
            <p>
              {digits(credits)} credits will be added to the balance within a minute of your
              payment. You pay on Stripe; the gateway never sees your card number.
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

/** Of an amount that is none, what it must be. */
function whyOf({ detail, text }: { readonly detail: string; readonly text: string }): string {
  const { errors } = JSON.parse(text) as { errors?: readonly { readonly message: string }[] };
  return errors?.[0]?.message ?? detail;
}
