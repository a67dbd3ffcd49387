/** @jsxImportSource preact */
/**
 * Webhooks on pages: a table of URLs, the form of a new or changed webhook, and deliveries.
 *
 * @module
 */
import {
  NOTICE_TYPES,
  type NoticePermission,
  type NoticeTypeName,
  typesOf,
} from "../../notices/notice_types.ts";
import type { DeliveryOutcome, WebhookOutcome } from "../../notices/webhook_shapes.ts";
import {
  Badge,
  type Column,
  counted,
  digits,
  Table,
  Text,
  Time,
  type Tone,
} from "../layout/parts.tsx";
import { ActForm } from "./act_form.tsx";
import type { FormField } from "./form_field.ts";
import type { Form } from "./visit.ts";

const TYPE_START = "type.";

/** When a type is sent, without the marks of code. */
export function whenOf(type: NoticeTypeName): string {
  return NOTICE_TYPES[type].when.replaceAll("`", "");
}

/** The fields of an address. `of` is one that is changed. */
export function webhookFields(
  permission: NoticePermission,
  of?: WebhookOutcome,
): readonly FormField[] {
  return [
    {
      name: "url",
      label: "URL",
      isRequired: true,
      value: of?.url ?? "",
      hint: "An https:// URL that can be reached from the internet.",
    },
    ...typesOf(permission).map((type) => ({
      name: TYPE_START + type,
      label: `${type}: ${whenOf(type)}`,
      kind: "check" as const,
      value: of?.types.includes(type) ? "yes" : "",
    })),
    ...(permission === "admin"
      ? []
      : [
          {
            name: "feeds",
            label: "Feeds, by ID or slug",
            value: of?.feed_ids?.join(", ") ?? "",
            hint:
              permission === "read"
                ? "Separate with commas. Leave empty for all feeds that you have bought or read in the last 30 days."
                : "Separate with commas. Leave empty for all your feeds.",
          },
        ]),
  ];
}

/** The body that the fields describe. */
export function webhookOf(permission: NoticePermission, form: Form) {
  const feeds = form
    .text("feeds")
    .split(/[\s,]+/)
    .filter((feed) => feed !== "");
  const types: readonly NoticeTypeName[] = typesOf(permission).filter(
    (type) => form.text(TYPE_START + type) === "yes",
  );
  return {
    url: form.text("url"),
    types,
    ...(permission !== "admin" && { feed_ids: feeds.length === 0 ? null : feeds }),
  };
}

/** Addresses. The name of one leads to its deliveries. */
export function WebhookTable({ rows }: { readonly rows: readonly WebhookOutcome[] }) {
  return (
    <Table
      label="Webhooks"
      rows={rows}
      columns={[
        {
          head: "URL",
          cell: (row) => (
            <a href={`?webhook=${row.id}`}>
              <Text of={row.url} />
            </a>
          ),
        },
        { head: "Types", cell: (row) => row.types.join(", ") },
        { head: "State", cell: (row) => <State of={row} /> },
        { head: "Actions", cell: (row) => <WebhookButtons of={row} /> },
      ]}
      empty="No webhooks yet."
    />
  );
}

function State({ of: { is_active: isActive, switched_off: reason } }: WebhookProps) {
  if (isActive) return <Badge tone="good">active</Badge>;
  switch (reason) {
    case "gone":
      return <Badge tone="bad">off: returned 410</Badge>;
    case "failing":
      return <Badge tone="bad">off: failed for 3 days</Badge>;
    case "key_ended":
      return <Badge tone="bad">off: key revoked or expired</Badge>;
    default:
      return <Badge tone="warn">paused</Badge>;
  }
}

interface WebhookProps {
  readonly of: WebhookOutcome;
}

function WebhookButtons({ of }: WebhookProps) {
  return (
    <ActForm
      hidden={{ webhook_id: of.id }}
      buttons={[
        { act: "test", text: "Test", tone: "quiet" },
        { act: "rotate", text: "Rotate secret", tone: "quiet" },
        of.is_active
          ? { act: "pause", text: "Pause", tone: "quiet" }
          : { act: "resume", text: "Resume", tone: "quiet" },
        { act: "remove", text: "Delete", tone: "danger" },
      ]}
    />
  );
}

const TONES: Readonly<Record<DeliveryOutcome["status"], Tone>> = {
  waiting: "plain",
  delivered: "good",
  failed: "bad",
  withheld: "warn",
};

interface DeliveriesProps<Row extends DeliveryOutcome> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Columns after the time. */
  readonly columns?: readonly Column<Row>[];
  readonly empty: string;
}

/** Deliveries, each with a button that sends it again. */
export function DeliveryTable<Row extends DeliveryOutcome>({
  label,
  rows,
  columns = [],
  empty,
}: DeliveriesProps<Row>) {
  return (
    <Table
      label={label}
      rows={rows}
      columns={[
        { head: "At", kind: "when", cell: (row) => <Time of={row.created_at} /> },
        ...columns,
        { head: "Type", cell: (row) => row.type },
        { head: "Status", cell: (row) => <Status of={row} /> },
        { head: "Response", cell: (row) => <Answer of={row} /> },
        {
          head: "Resend",
          cell: (row) => (
            <ActForm
              hidden={{ delivery_id: row.id }}
              buttons={[{ act: "resend", text: "Resend", tone: "quiet" }]}
            />
          ),
        },
      ]}
      empty={empty}
    />
  );
}

interface DeliveryProps {
  readonly of: DeliveryOutcome;
}

function Status({ of: { status, attempts, next_at: nextAt } }: DeliveryProps) {
  return (
    <>
      <Badge tone={TONES[status]}>{status}</Badge>
      <div class="small soft">
        {counted(attempts, "attempt")}
        {nextAt !== null && (
          <>
            , next at <Time of={nextAt} />
          </>
        )}
      </div>
    </>
  );
}

/** How the last attempt ended. */
function Answer({ of: { code, ms, error, answer } }: DeliveryProps) {
  return (
    <>
      <Text of={error ?? (code === null ? "" : String(code))} />
      {ms !== null && <span class="soft"> {digits(ms)} ms</span>}
      {answer !== null && answer !== "" && (
        <details>
          <summary>Body</summary>
          <pre>
            <Text of={answer} />
          </pre>
        </details>
      )}
    </>
  );
}
