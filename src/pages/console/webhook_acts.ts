/**
 * The buttons of webhooks, which are the same for accounts and operators: add, edit, rotate, test, resume, pause, remove
 * and resend.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { NoticePermission } from "../../notices/notice_types.ts";
import {
  CreateWebhookInput,
  EditWebhookInput,
  FindDeliveryInput,
  FindWebhookInput,
} from "../../notices/webhook_shapes.ts";
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  resendDelivery,
  rotateWebhook,
  testWebhook,
  type WebhookOwner,
  type WebhookSettings,
} from "../../notices/webhooks.ts";
import type { InputOf } from "../../operator/operator.ts";
import type { Given } from "./form_input.ts";
import { showOnce } from "./show_once.tsx";
import type { Act, Acted, Change, Form, Visit } from "./visit.ts";
import { webhookOf } from "./webhook_parts.tsx";

const SECRET_NOTE =
  "Use the secret to verify notices. It is shown only once, so store it where your receiver can read it.";

/** A button, but for who presses it and what is shown then. */
export interface WebhookForm<Schema extends TObject, Outcome extends object> {
  readonly input: Schema;
  given(form: Form): Given;
  confirm(form: Form): string;
  run(settings: WebhookSettings, owner: WebhookOwner, input: InputOf<Schema>): Promise<Outcome>;
}

interface WebhookChange<Schema extends TObject> extends WebhookForm<Schema, object> {
  done(visit: Visit): Acted;
}

/** A button that shows what its function made. */
export interface WebhookMaking<Schema extends TObject, Made extends object>
  extends WebhookForm<Schema, Made> {
  done(visit: Visit, made: Made): Acted;
}

interface WebhookActsOptions {
  readonly permission: NoticePermission;
  /** The page of the webhooks, below `/console`. */
  readonly path: string;
  /** A button whose function may run again without harm. */
  change<Schema extends TObject>(act: WebhookChange<Schema>): Change;
  /** A button whose function makes something new each time. */
  make<Schema extends TObject, Made extends object>(act: WebhookMaking<Schema, Made>): Change;
}

export function webhookActs({
  permission,
  path,
  change,
  make,
}: WebhookActsOptions): Readonly<Record<string, Act>> {
  const saved = (): Acted => ({ kind: "go", to: path, done: "edited" });
  const sent = ({ services }: Visit): Acted => {
    // The delivery is due now, and need not wait for the background job.
    services.notices.wake();
    return saved();
  };
  const known = (form: Form) => ({ webhook_id: form.text("webhook_id") });
  return {
    add: make({
      input: CreateWebhookInput,
      given: (form) => ({ typed: webhookOf(permission, form) }),
      confirm: (form) => `Notices will be sent to ${form.text("url")}.`,
      run: createWebhook,
      done: (_, { secret }) => showOnce("The webhook's secret", secret, SECRET_NOTE),
    }),
    edit: change({
      input: EditWebhookInput,
      given: (form) => ({ known: known(form), typed: webhookOf(permission, form) }),
      confirm: () => "The webhook will be updated.",
      run: editWebhook,
      done: saved,
    }),
    rotate: make({
      input: FindWebhookInput,
      given: (form) => ({ known: known(form) }),
      confirm: () =>
        "The webhook will get a new secret. For 24 hours, notices are signed with both.",
      run: (settings, owner, { webhook_id: id }) => rotateWebhook(settings, owner, id),
      done: (_, { secret }) => showOnce("The webhook's new secret", secret, SECRET_NOTE),
    }),
    test: make({
      input: FindWebhookInput,
      given: (form) => ({ known: known(form) }),
      confirm: () => "A webhook.test notice will be sent.",
      run: (settings, owner, { webhook_id: id }) => testWebhook(settings, owner, id),
      done: sent,
    }),
    resume: change({
      input: EditWebhookInput,
      given: (form) => ({ known: known(form), typed: { is_active: true } }),
      confirm: () => "Notices will be sent to this URL again.",
      run: editWebhook,
      done: saved,
    }),
    pause: change({
      input: EditWebhookInput,
      given: (form) => ({ known: known(form), typed: { is_active: false } }),
      confirm: () => "No notices will be sent to this URL until you resume it.",
      run: editWebhook,
      done: saved,
    }),
    remove: change({
      input: FindWebhookInput,
      given: (form) => ({ known: known(form) }),
      confirm: () => "The webhook and its delivery history will be deleted.",
      run: (settings, owner, { webhook_id: id }) => deleteWebhook(settings, owner, id),
      done: saved,
    }),
    resend: change({
      input: FindDeliveryInput,
      given: (form) => ({ known: { delivery_id: form.text("delivery_id") } }),
      confirm: () => "The notice will be sent again, with the same ID.",
      run: (settings, owner, { delivery_id: id }) => resendDelivery(settings, owner, id),
      done: sent,
    }),
  };
}
