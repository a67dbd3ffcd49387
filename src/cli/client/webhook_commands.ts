/**
 * `webhook list`, `add`, `edit`, `remove`, `test`, `rotate`, `deliveries` and `resend`: manages the addresses that
 * receive notices. With an admin key, these are the operators' webhooks.
 *
 * @module
 */
import type { Webhook, WebhookChanges, WebhookDeliveries } from "../../client/mod.ts";
import { PAGE_LIMIT_MAX } from "../../limits.ts";
import { UsageError } from "../command.ts";
import { typed } from "../hints.ts";
import { flag, integer, list, orNull, required, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand, offsetPageAnswer } from "./client_command.ts";

const TYPES = list("notice types, such as feed.updated,balance.low", {
  placeholder: "TYPE,TYPE",
  lengthMax: 1_000,
});
const FEEDS = list("limit to these feeds, by id or slug; default all that you use or publish", {
  placeholder: "ID,ID",
  lengthMax: 10_000,
});
const KEEP_NOW = "Store the secret now. You need it to verify notices, and it is not shown again.";

const webhookList = clientCommand({
  words: "webhook list",
  about: "list your webhooks, oldest first",
  options: {},
  async run({ feedgate, signal }) {
    const webhooks = await feedgate.webhooks.list({ signal });
    return {
      json: JSON.stringify({ webhooks }),
      text:
        webhooks.length === 0
          ? "no webhooks yet; create one with webhook add"
          : table(webhooks, WEBHOOK_COLUMNS),
    };
  },
});

const webhookAdd = clientCommand({
  words: "webhook add",
  argument: "URL",
  about: "create a webhook for a URL; the secret that verifies notices is printed once",
  isPrintedOnce: true,
  options: { types: required(TYPES), feeds: FEEDS },
  ifLost: () =>
    `the webhook may have been created, but its secret is lost: if ${typed("webhook list")} shows it, remove it with ${typed("webhook remove ID")}`,
  async run({ feedgate, argument: url, values: { types, feeds }, signal }) {
    const webhook = { url, types, ...(feeds !== undefined && { feed_ids: feeds }) };
    const made = await feedgate.webhooks.create(webhook, { signal });
    return {
      json: JSON.stringify(made),
      text: [fields({ secret: made.secret, ...factsOf(made) }), KEEP_NOW].join("\n"),
    };
  },
});

const webhookEdit = clientCommand({
  words: "webhook edit",
  argument: "ID",
  about: "change a webhook, or turn it on or off; omitted fields stay unchanged",
  options: {
    to: text("the new URL", { placeholder: "URL", lengthMax: 2_000 }),
    types: TYPES,
    feeds: orNull(FEEDS, "all"),
    on: flag("turn the webhook on again, even if the gateway turned it off"),
    off: flag("stop sending until the webhook is turned on again"),
  },
  async run({ feedgate, argument: id, values, signal }) {
    const { to: url, types, feeds, on, off } = values;
    if (on && off) throw new UsageError("--on and --off can't be combined");
    const changes: WebhookChanges = {
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types }),
      ...(feeds !== undefined && { feed_ids: feeds }),
      ...((on || off) && { is_active: on === true }),
    };
    if (Object.keys(changes).length === 0) {
      throw new UsageError("nothing to change: give at least one option, such as --off");
    }
    const webhook = await feedgate.webhooks.edit(id, changes, { signal });
    return { json: JSON.stringify(webhook), text: fields(factsOf(webhook)) };
  },
});

const webhookRemove = clientCommand({
  words: "webhook remove",
  argument: "ID",
  about: "remove a webhook and its list of deliveries",
  options: {},
  async run({ feedgate, argument: id, signal }) {
    await feedgate.webhooks.delete(id, { signal });
    return { json: JSON.stringify({ id }), text: `removed ${id}` };
  },
});

const webhookTest = clientCommand({
  words: "webhook test",
  argument: "ID",
  about: "send a notice of type webhook.test; see the result with webhook deliveries",
  options: {},
  async run({ feedgate, argument: id, signal }) {
    const tested = await feedgate.webhooks.test(id, { signal });
    return {
      json: JSON.stringify(tested),
      text: fields({ notice: tested.notice_id, delivery: tested.delivery_id }),
    };
  },
});

const webhookRotate = clientCommand({
  words: "webhook rotate",
  argument: "ID",
  about: "create a new secret for a webhook, printed once; both secrets work for a day",
  isPrintedOnce: true,
  options: {},
  // Notices are signed with the current secret and one previous secret. After a second rotation, the previous one is the
  // lost one.
  ifLost: () =>
    "the secret may have been replaced: notices are then signed with yours for a day, or until the next rotation, so be ready to install the new one",
  async run({ feedgate, argument: id, signal }) {
    const rotated = await feedgate.webhooks.rotate(id, { signal });
    return {
      json: JSON.stringify(rotated),
      text: [
        fields({ secret: rotated.secret, "old secret expires": rotated.previous_until }),
        KEEP_NOW,
      ].join("\n"),
    };
  },
});

const webhookDeliveries = clientCommand({
  words: "webhook deliveries",
  argument: "ID",
  about: "list a webhook's deliveries of the last 30 days and their results, newest first",
  options: {
    limit: integer("maximum number of deliveries; default 20", { least: 1, most: PAGE_LIMIT_MAX }),
    offset: integer("number of deliveries to skip", { least: 0, most: Number.MAX_SAFE_INTEGER }),
  },
  async run({ feedgate, argument: id, values, signal, again }) {
    const page = await feedgate.webhooks.deliveries(id, { ...values, signal });
    const empty = "no deliveries in the last 30 days";
    const { deliveries: entries } = page;
    return offsetPageAnswer({ page, entries, columns: DELIVERY_COLUMNS, empty }, again);
  },
});

const webhookResend = clientCommand({
  words: "webhook resend",
  argument: "DELIVERY",
  about: "send a notice again, with the same id",
  options: {},
  async run({ feedgate, argument: delivery, signal }) {
    const resent = await feedgate.webhooks.resend(delivery, { signal });
    return {
      json: JSON.stringify(resent),
      text: fields({ delivery: resent.delivery_id, webhook: resent.webhook_id }),
    };
  },
});

/** Commands that manage webhooks. */
export const WEBHOOK_COMMANDS = [
  webhookList,
  webhookAdd,
  webhookEdit,
  webhookRemove,
  webhookTest,
  webhookRotate,
  webhookDeliveries,
  webhookResend,
];

const WEBHOOK_COLUMNS: Columns<Webhook> = {
  WEBHOOK: { whole: ({ id }) => id },
  STATE: stateOf,
  TYPES: ({ types }) => types.join(","),
  URL: ({ url }) => url,
};

const DELIVERY_COLUMNS: Columns<WebhookDeliveries["deliveries"][number]> = {
  DELIVERY: { whole: ({ id }) => id },
  STATUS: ({ status }) => status,
  TYPE: ({ type }) => type,
  CODE: ({ code }) => code,
  MS: ({ ms }) => ms,
  ATTEMPTS: ({ attempts }) => attempts,
  CREATED: ({ created_at: at }) => at,
  ERROR: ({ error }) => error,
};

function stateOf({ is_active: isActive, switched_off: reason }: Webhook): string {
  if (isActive) return "on";
  return reason === null ? "off" : `off (${reason})`;
}

function factsOf(webhook: Webhook) {
  return {
    webhook: webhook.id,
    url: webhook.url,
    types: webhook.types.join(","),
    feeds: webhook.feed_ids?.join(",") ?? "all",
    state: stateOf(webhook),
  };
}
