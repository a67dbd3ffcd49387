/** @jsxImportSource preact */
/**
 * The part of a feed's page about access: the account's grant, the status of its request, or the request form.
 *
 * @module
 */
import { RequestAccessInput } from "../../../access/access_shapes.ts";
import type { OwnAccess } from "../../../access/account_access.ts";
import { requestAccess } from "../../../access/ask_for_access.ts";
import { ACCESS_REFUSAL_DAYS } from "../../../limits.ts";
import { Badge, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { inputOf } from "../form_input.ts";
import { type Change, type Form, idOf } from "../visit.ts";

interface AccessPartProps {
  readonly access: OwnAccess;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

/** Nothing for a feed that the account reads as all do, or owns, or has bought. */
export function AccessPart(props: AccessPartProps) {
  const { mayRead, grant, request } = props.access;
  if (mayRead) return grant === undefined ? null : <Granted {...grant} />;
  switch (request?.status) {
    case "waiting":
      return <Waiting {...request} />;
    case "declined":
      return <Declined {...props} />;
    default:
      return <Ask {...props} />;
  }
}

function Granted({ isFree, expiresAt }: NonNullable<OwnAccess["grant"]>) {
  return (
    <div class="note-box">
      <p>
        The provider has granted this account access
        {expiresAt === null ? "" : " until "}
        {expiresAt !== null && <Time of={expiresAt} />}.{isFree && " Reads are free."}
      </p>
    </div>
  );
}

type Request = NonNullable<OwnAccess["request"]>;

function Waiting({ asked_at: askedAt, message }: Request) {
  return (
    <section>
      <h2>Access</h2>
      <p>
        <Badge tone="warn">waiting</Badge> Requested <Time of={askedAt} />. The provider has not
        answered yet.
      </p>
      {message !== null && (
        <>
          <p>Your message:</p>
          <div class="card words text">
            <Text of={message} />
          </div>
        </>
      )}
    </section>
  );
}

function Declined({ access, form }: AccessPartProps) {
  const { request, retryAt } = access;
  return (
    <section>
      <h2>Access</h2>
      <p>
        <Badge tone="bad">declined</Badge> The provider declined your request on{" "}
        <Time of={request?.answered_at} />
        {request?.reason ? " for this reason:" : " without giving a reason."}
      </p>
      {request?.reason && (
        <div class="card words text">
          <Text of={request.reason} />
        </div>
      )}
      {retryAt === null ? (
        <AskForm form={form} />
      ) : (
        <p>
          You can ask again from <Time of={retryAt} />.
        </p>
      )}
    </section>
  );
}

function Ask({ access, form }: AccessPartProps) {
  const hadAccess = access.request?.status === "approved";
  return (
    <section>
      <h2>Access</h2>
      <p class="text">
        The provider decides which accounts can read this feed.{" "}
        {hadAccess
          ? "Your account's access has ended. You can ask for it again."
          : "Your account needs access before it can read or buy the feed."}
      </p>
      <AskForm form={form} />
    </section>
  );
}

function AskForm({ form }: Pick<AccessPartProps, "form">) {
  return (
    <ActForm
      isTall
      form={form}
      fields={[
        {
          name: "message",
          label: "Message to the provider",
          hint: `For example, how you will use the data. The provider also sees your account's name and ID. If declined, you can ask again after ${ACCESS_REFUSAL_DAYS} days.`,
          kind: "lines",
        },
      ]}
      buttons={[{ act: "ask", text: "Ask for access" }]}
    />
  );
}

/** Asks the provider. Its form says what that means. */
export const ASK_FOR_ACCESS: Change = {
  async run(visit, form) {
    const id = idOf(visit);
    const message = form.given("message");
    const input = inputOf(RequestAccessInput, { typed: { ...(message && { message }) } });
    const principal = await visit.admit("account");
    await requestAccess(visit.services, principal, { reference: id, message: input.message });
    return { kind: "go", to: `catalog/${id}`, done: "access_asked" };
  },
};
