/**
 * Manages webhooks, which are URLs that the gateway sends notices to, and their deliveries.
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

/** The fields of a new webhook. */
export interface NewWebhook {
  /** The URL that notices are sent to: `https`, on a host with public addresses only. */
  readonly url: string;
  /** The types of notices to send, such as `feed.updated`. The guide "Notices" lists them. */
  readonly types: readonly string[];
  /** Up to 100 feeds, by id or slug, to which the notices are limited. @default the feeds that concern the account */
  readonly feed_ids?: readonly string[] | null;
}

/** The fields to change in a webhook. */
export interface WebhookChanges extends Partial<NewWebhook> {
  /** Whether notices are sent. True also resumes a webhook that the gateway has switched off. */
  readonly is_active?: boolean;
}

interface DeliveriesOptions extends CallOptions {
  /** Entries per page, 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** Entries to skip. @default 0 */
  readonly offset?: number | undefined;
}

const ADMIN_START = "fg_admin_";

/** The webhooks of the key's account and permission. With an admin key, the webhooks of the operators. */
export class Webhooks {
  readonly #transport: Transport;
  readonly #root: string;

  constructor(transport: Transport, key: string | undefined) {
    this.#transport = transport;
    this.#root = key?.startsWith(ADMIN_START) ? "/operator/webhooks" : "/webhooks";
  }

  /** Returns all webhooks, oldest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly Webhook[]> {
    const { webhooks } = await this.#json<{ readonly webhooks: readonly Webhook[] }>({
      path: this.#root,
      signal,
    });
    return webhooks;
  }

  /**
   * Adds a webhook. The result contains its secret, which is shown only once.
   *
   * @throws {WebhookUrlInvalidError} if the URL is not allowed
   * @throws {NoticeTypeForbiddenError} if the key's permission does not allow a type
   * @throws {WebhooksLimitError} if there are already 20 webhooks
   */
  create(webhook: NewWebhook, { signal }: CallOptions = {}) {
    const body = JSON.stringify(webhook);
    const call = { method: "POST", path: this.#root, isOnce: true } as const;
    return this.#json<CreatedWebhook>({ ...call, body, signal });
  }

  /** Changes the given fields of a webhook, and no others. */
  edit(id: string, changes: WebhookChanges, { signal }: CallOptions = {}) {
    const body = JSON.stringify(changes);
    return this.#json<Webhook>({ method: "PATCH", path: this.#path(id), body, signal });
  }

  /** Deletes a webhook and its deliveries. */
  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.call({ method: "DELETE", path: this.#path(id), signal });
  }

  /** Sends a notice of type `webhook.test`. */
  test(id: string, { signal }: CallOptions = {}) {
    return this.#json<TestedWebhook>({ method: "POST", path: this.#path(id, "/test"), signal });
  }

  /** Returns a new secret. For 24 hours, notices are also signed with the previous one. */
  rotate(id: string, { signal }: CallOptions = {}) {
    const call = { method: "POST", path: this.#path(id, "/rotate"), isOnce: true } as const;
    return this.#json<RotatedWebhook>({ ...call, signal });
  }

  /** Returns a page of the deliveries of the last 30 days, newest first. */
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
