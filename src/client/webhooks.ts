/**
 * Webhooks: the addresses that notices are sent to, and their deliveries.
 *
 * @module
 */
import { queryOf } from "./query.ts";
import type { Call, Transport } from "./transport.ts";
import type {
  CallOptions,
  CreatedWebhook,
  ResentDelivery,
  RotatedWebhook,
  TestedWebhook,
  Webhook,
  WebhookDeliveries,
} from "./types.ts";

/** Types of notices are listed in the guide, such as `feed.updated`. */
export interface NewWebhook {
  readonly url: string;
  readonly types: readonly string[];
  /** The only feeds, by id or slug. @default those that the account has to do with */
  readonly feed_ids?: readonly string[] | null;
}

export interface WebhookChanges extends Partial<NewWebhook> {
  /** True also resumes an address that the gateway has switched off. */
  readonly is_active?: boolean;
}

interface DeliveriesOptions extends CallOptions {
  /** 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const ADMIN_START = "fg_admin_";

/** The addresses of the key's account and permission. An admin key manages those of the operators. */
export class Webhooks {
  readonly #transport: Transport;
  readonly #root: string;

  constructor(transport: Transport, key: string | undefined) {
    this.#transport = transport;
    this.#root = key?.startsWith(ADMIN_START) ? "/operator/webhooks" : "/webhooks";
  }

  /** The oldest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly Webhook[]> {
    const { webhooks } = await this.#json<{ readonly webhooks: readonly Webhook[] }>({
      path: this.#root,
      signal,
    });
    return webhooks;
  }

  /** The answer contains the secret, which is shown once. */
  create(webhook: NewWebhook, { signal }: CallOptions = {}) {
    const body = JSON.stringify(webhook);
    const call = { method: "POST", path: this.#root, isOnce: true } as const;
    return this.#json<CreatedWebhook>({ ...call, body, signal });
  }

  /** Changes only the given fields. */
  edit(id: string, changes: WebhookChanges, { signal }: CallOptions = {}) {
    const body = JSON.stringify(changes);
    return this.#json<Webhook>({ method: "PATCH", path: this.#path(id), body, signal });
  }

  /** Also removes its deliveries. */
  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.call({ method: "DELETE", path: this.#path(id), signal });
  }

  /** Sends a notice of type `webhook.test`. */
  test(id: string, { signal }: CallOptions = {}) {
    return this.#json<TestedWebhook>({ method: "POST", path: this.#path(id, "/test"), signal });
  }

  /** For 24 hours, calls are also signed with the previous secret. */
  rotate(id: string, { signal }: CallOptions = {}) {
    const call = { method: "POST", path: this.#path(id, "/rotate"), isOnce: true } as const;
    return this.#json<RotatedWebhook>({ ...call, signal });
  }

  /** A page of the last 30 days, newest first. */
  deliveries(id: string, { limit, offset, signal }: DeliveriesOptions = {}) {
    const path = this.#path(id, `/deliveries${queryOf({ limit, offset })}`);
    return this.#json<WebhookDeliveries>({ path, signal });
  }

  /** Sends a notice again, with the same id. */
  resend(deliveryId: string, { signal }: CallOptions = {}) {
    const path = `${this.#root}/deliveries/${encodeURIComponent(deliveryId)}/resend`;
    return this.#json<ResentDelivery>({ method: "POST", path, signal });
  }

  #path(id: string, rest = ""): string {
    return `${this.#root}/${encodeURIComponent(id)}${rest}`;
  }

  async #json<Body>(call: Call): Promise<Body> {
    return JSON.parse((await this.#transport.call(call)).text);
  }
}
