/** @jsxImportSource preact */
/**
 * A provider's pages: own feeds and what became of pushes, the listing, a file to push, earnings.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import type { Earnings } from "../earnings/earnings.ts";
import {
  Badge,
  Chart,
  digits,
  Facts,
  Field,
  type Figure,
  FigureCard,
  Message,
  plain,
  Table,
  Text,
  Time,
} from "../ui/parts.tsx";
import { callThenGo, typed } from "./acting.ts";
import { FeedAsSeen, priceText, type ShownFeed } from "./feed_as_seen.tsx";
import { bodyOf, parseExact, typedNumber } from "./own_api.ts";
import {
  type Acted,
  type Download,
  type Form,
  idOf,
  nextHref,
  type PageRoute,
  type Visit,
} from "./visit.ts";

interface OwnFeed extends ShownFeed {
  readonly id: string;
  readonly status: string;
  readonly review: string;
  readonly review_reason: string | null;
  readonly last_sync_at: string | null;
  readonly row_count: number;
  readonly reads: number;
  readonly readers: number;
  readonly net_usd: Figure;
  readonly last_refusal: { readonly code: string; readonly pushed_at: string } | null;
  readonly open_batches: readonly {
    readonly batch_id: string;
    readonly rows: number;
    readonly begun_at: string;
    readonly closes_at: string | null;
  }[];
  readonly is_public: boolean;
  readonly schema_locked: boolean;
  readonly schema_version: Figure;
  readonly sync_interval_mins: number | null;
}

interface OwnFeeds {
  readonly feeds: readonly OwnFeed[];
  readonly total: number;
}

const FEED_TYPES = ["collection", "stream", "singleton"];

const own: PageRoute = {
  path: "",
  async show(visit) {
    const { feeds } = bodyOf(await visit.ask<OwnFeeds>("/v1/provider/feeds?limit=100"));
    return {
      title: "Your feeds",
      content: (
        <>
          <h1>Your feeds</h1>
          <p class="lead">Reads, readers and earnings are those of the last 30 days.</p>
          <Table
            label="Your feeds"
            rows={feeds}
            columns={[
              {
                head: "Feed",
                cell: (row) => (
                  <a href={`${visit.root}/console/feeds/${row.id}`}>
                    <Text of={row.name} />
                  </a>
                ),
              },
              {
                head: "State",
                cell: (row) => (
                  <>
                    <Badge tone={row.status === "active" ? "good" : "plain"}>{row.status}</Badge>{" "}
                    {row.review !== "none" && (
                      <Badge tone={row.review === "declined" ? "bad" : "plain"}>{row.review}</Badge>
                    )}
                  </>
                ),
              },
              { head: "Rows", kind: "num", cell: (row) => digits(row.row_count) },
              { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
              { head: "Readers", kind: "num", cell: (row) => digits(row.readers) },
              { head: "Earned, USD", kind: "num", cell: (row) => digits(row.net_usd) },
              { head: "Last push", kind: "when", cell: (row) => <Time of={row.last_sync_at} /> },
              {
                head: "Last refusal",
                cell: (row) =>
                  row.last_refusal === null ? (
                    ""
                  ) : (
                    <Badge tone="bad">{row.last_refusal.code}</Badge>
                  ),
              },
              { head: "Open batches", kind: "num", cell: (row) => row.open_batches.length },
            ]}
            empty={
              <>
                You have no feed yet. <a href={`${visit.root}/console/new`}>Make one</a>, or push a
                file with the command <code>feedgate push</code>.
              </>
            }
          />
        </>
      ),
    };
  },
};

interface Pushes {
  readonly pushes: readonly {
    readonly pushed_at: string;
    readonly outcome: string;
    readonly code: string | null;
    readonly detail: string | null;
    readonly rows_received: number;
    readonly rows_inserted: number;
    readonly bytes: number;
    readonly ms: number;
  }[];
  readonly next_cursor: string | null;
}

async function findOwn(visit: Visit): Promise<OwnFeed> {
  const { feeds } = bodyOf(await visit.ask<OwnFeeds>("/v1/provider/feeds?limit=100&full=true"));
  const id = idOf(visit);
  const feed = feeds.find((each) => each.id === id);
  if (feed !== undefined) return feed;
  const one = await visit.ask<never>(`/v1/provider/feed/${id}/pushes?limit=1`);
  return bodyOf(one);
}

const feed: PageRoute = {
  path: "feeds/:id",
  async show(visit) {
    const shown = await findOwn(visit);
    const cursor = visit.query.get("cursor");
    const history = bodyOf(
      await visit.ask<Pushes>(
        `/v1/provider/feed/${shown.id}/pushes?limit=20${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      ),
    );
    const here = `${visit.root}/console/feeds/${shown.id}`;
    return {
      title: shown.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console`}>Feeds</a>
          </p>
          <h1>
            <Text of={shown.name} />
          </h1>
          <div class="cards">
            <FigureCard label="Rows" value={digits(shown.row_count)} note="that readers see" />
            <FigureCard label="Reads" value={digits(shown.reads)} note="of 30 days" />
            <FigureCard label="Readers" value={digits(shown.readers)} note="accounts, of 30 days" />
            <FigureCard
              label="Earned"
              value={`${digits(shown.net_usd)} USD`}
              note="of 30 days, less the fee"
            />
          </div>
          <Facts
            of={{
              Status: (
                <Badge tone={shown.status === "active" ? "good" : "plain"}>{shown.status}</Badge>
              ),
              Review: shown.review,
              "Declined because": shown.review_reason && <Text of={shown.review_reason} />,
              Price: priceText(shown),
              "Last push": <Time of={shown.last_sync_at} />,
            }}
          />
          <div class="actions">
            <a class="button" href={`${here}/push`}>
              Push a file
            </a>
            <a class="button quiet" href={`${here}/edit`}>
              Edit the listing
            </a>
            {!shown.is_public && shown.review !== "waiting" && (
              <form method="post">
                <button class="quiet" type="submit" name="act" value="review">
                  Ask to be listed
                </button>
              </form>
            )}
          </div>
          {shown.open_batches.length > 0 && (
            <>
              <h2>Open batches</h2>
              <Table
                label="Open batches"
                rows={shown.open_batches}
                columns={[
                  {
                    head: "Batch",
                    cell: (row) => (
                      <code>
                        <Text of={row.batch_id} />
                      </code>
                    ),
                  },
                  { head: "Rows so far", kind: "num", cell: (row) => digits(row.rows) },
                  { head: "Begun", kind: "when", cell: (row) => <Time of={row.begun_at} /> },
                  {
                    head: "Closed by itself",
                    kind: "when",
                    cell: (row) => <Time of={row.closes_at} />,
                  },
                ]}
                empty=""
              />
            </>
          )}
          <h2>Pushes</h2>
          <Table
            label="Pushes"
            rows={history.pushes}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.pushed_at} /> },
              {
                head: "Outcome",
                cell: (row) =>
                  row.outcome === "stored" ? (
                    <Badge tone="good">stored</Badge>
                  ) : (
                    <Badge tone="bad">{row.code}</Badge>
                  ),
              },
              { head: "Rows", kind: "num", cell: (row) => digits(row.rows_received) },
              { head: "New", kind: "num", cell: (row) => digits(row.rows_inserted) },
              { head: "Took, ms", kind: "num", cell: (row) => digits(row.ms) },
              { head: "Why not", cell: (row) => <Text of={row.detail} /> },
            ]}
            empty="Nothing was pushed in the last 90 days. Push a file, or see the providers' guide."
          />
          {history.next_cursor !== null && (
            <p class="pager">
              <a class="button quiet" href={nextHref(visit, history.next_cursor)}>
                Older pushes
              </a>
            </p>
          )}
          <h2>As agents see it</h2>
          <FeedAsSeen feed={shown} />
        </>
      ),
    };
  },
  acts: {
    review: {
      run: (visit) => {
        const id = idOf(visit);
        return callThenGo(
          visit,
          { method: "PATCH", path: `/v1/provider/feed/${id}/edit`, body: { request_review: true } },
          { to: `feeds/${id}`, done: "asked" },
        );
      },
    },
  },
};

/** The fields of a listing, as a form sends them to create and edit. */
function listingOf(form: Form) {
  const json = (name: string) => {
    const text = form.given(name);
    if (text === undefined) return null;
    try {
      return parseExact<unknown>(text);
    } catch {
      throw new NotJson(name);
    }
  };
  const price = form.given("price_per_1k");
  const cents = form.given("one_time_price_cents");
  const minutes = form.given("sync_interval_mins");
  const version = form.given("schema_version");
  return {
    name: form.given("name"),
    endpoint_path: form.given("endpoint_path"),
    feed_type: form.given("feed_type"),
    // What was emptied is cleared.
    description: form.given("description") ?? null,
    category: form.given("category") ?? null,
    update_frequency_text: form.given("update_frequency_text") ?? null,
    readme_md: form.given("readme_md") ?? null,
    status: form.given("status"),
    price_type: form.given("price_type"),
    ...(price !== undefined && { price_per_1k: typedNumber(price) }),
    ...(cents !== undefined && { one_time_price_cents: typedNumber(cents) }),
    ...(minutes !== undefined && { sync_interval_mins: typedNumber(minutes) }),
    ...(version !== undefined && { schema_version: typedNumber(version) }),
    schema_locked: form.text("schema_locked") === "yes",
    schema_definition: json("schema_definition"),
    sample_response: json("sample_response"),
  };
}

class NotJson extends Error {
  constructor(readonly field: string) {
    super(field);
  }
}

interface ListingProps {
  readonly form: Form | undefined;
  readonly feed?: OwnFeed;
}

function ListingFields({ form, feed }: ListingProps) {
  const json = (value: unknown) =>
    value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
  const choice = (name: string, values: readonly string[], now: string) => (
    <select id={name} name={name}>
      {values.map((value) => (
        <option value={value} selected={typed(form, name, now) === value}>
          {value}
        </option>
      ))}
    </select>
  );
  return (
    <>
      <Field label="Name" name="name">
        <input id="name" name="name" value={typed(form, "name", feed?.name)} required />
      </Field>
      <Field
        label="Slug"
        name="endpoint_path"
        hint="Lower-case letters, digits and hyphens. Agents read the feed by it."
      >
        <input
          id="endpoint_path"
          name="endpoint_path"
          value={typed(form, "endpoint_path", feed?.endpoint_path ?? "")}
        />
      </Field>
      <Field
        label="Type"
        name="feed_type"
        hint="collection: rows by id, replaced as a whole or one by one; stream: events in time; singleton: one row."
      >
        {choice("feed_type", FEED_TYPES, feed?.feed_type ?? "collection")}
      </Field>
      <Field label="Description" name="description" hint="Agents search by it.">
        <textarea id="description" name="description">
          {typed(form, "description", feed?.description ?? "")}
        </textarea>
      </Field>
      <Field label="Category" name="category">
        <input
          id="category"
          name="category"
          value={typed(form, "category", feed?.category ?? "")}
        />
      </Field>
      <Field label="How often there is new data" name="update_frequency_text">
        <input
          id="update_frequency_text"
          name="update_frequency_text"
          value={typed(form, "update_frequency_text", feed?.update_frequency_text ?? "")}
        />
      </Field>
      <Field
        label="Minutes between two pushes, at most"
        name="sync_interval_mins"
        hint="The feed is late, and less reliable, when a push is overdue."
      >
        <input
          id="sync_interval_mins"
          name="sync_interval_mins"
          inputMode="numeric"
          value={typed(form, "sync_interval_mins", String(feed?.sync_interval_mins ?? ""))}
        />
      </Field>
      <Field label="Price" name="price_type">
        {choice("price_type", ["free", "metered", "one_time"], feed?.price_type ?? "free")}
      </Field>
      <Field label="USD per 1,000 calls, if metered" name="price_per_1k">
        <input
          id="price_per_1k"
          name="price_per_1k"
          inputMode="decimal"
          value={typed(
            form,
            "price_per_1k",
            feed?.price_type === "metered" ? plain(feed.price_per_1k ?? "") : "",
          )}
        />
      </Field>
      <Field label="US cents once, if one_time" name="one_time_price_cents">
        <input
          id="one_time_price_cents"
          name="one_time_price_cents"
          inputMode="numeric"
          value={typed(
            form,
            "one_time_price_cents",
            feed?.price_type === "one_time" ? String(feed.one_time_price_cents) : "",
          )}
        />
      </Field>
      <Field label="Schema of a row, JSON Schema" name="schema_definition">
        <textarea id="schema_definition" name="schema_definition" spellcheck={false}>
          {typed(form, "schema_definition", json(feed?.schema_definition))}
        </textarea>
      </Field>
      <Field
        label="Version of the schema"
        name="schema_version"
        hint="A higher one says that a change which may surprise agents is meant."
      >
        <input
          id="schema_version"
          name="schema_version"
          inputMode="decimal"
          value={typed(
            form,
            "schema_version",
            feed === undefined ? "" : plain(feed.schema_version),
          )}
        />
      </Field>
      <label class="check">
        <input
          type="checkbox"
          name="schema_locked"
          value="yes"
          checked={
            form === undefined ? feed?.schema_locked === true : form.text("schema_locked") === "yes"
          }
        />
        Refuse pushes with rows that the schema does not allow
      </label>
      <Field label="Sample row, JSON" name="sample_response">
        <textarea id="sample_response" name="sample_response" spellcheck={false}>
          {typed(form, "sample_response", json(feed?.sample_response))}
        </textarea>
      </Field>
      <Field label="Read-me, Markdown" name="readme_md">
        <textarea id="readme_md" name="readme_md">
          {typed(form, "readme_md", feed?.readme_md ?? "")}
        </textarea>
      </Field>
    </>
  );
}

/** How agents would see what was typed, above the form with it. Nothing is saved. */
async function previewListing(visit: Visit, form: Form): Promise<Acted> {
  try {
    const body = listingOf(form);
    const path = `/v1/provider/feed/${idOf(visit)}/edit?dry_run=true`;
    const judged = await visit.ask<Judgement>(path, { method: "PATCH", body });
    if (judged.kind === "refused") return { kind: "refused", why: judged.detail };
    const shown = await findOwn(visit);
    const { compatibility, changes, refused_with: refusedWith } = judged.body;
    const content = (
      <>
        <p class="crumbs">
          <a href={`${visit.root}/console/feeds/${shown.id}`}>
            <Text of={shown.name} />
          </a>
        </p>
        <h1>Preview</h1>
        <Message tone={refusedWith === null ? "plain" : "warn"}>
          <p>
            Nothing is saved yet. To agents that read the feed now, the schema is {compatibility}.
          </p>
          {changes.map((change) => (
            <p>
              <code>
                <Text of={change.path} />
              </code>{" "}
              <Text of={`${change.change}: ${change.why}`} />
            </p>
          ))}
        </Message>
        <h2>As agents see it</h2>
        <FeedAsSeen
          feed={{
            ...shown,
            ...body,
            name: body.name ?? shown.name,
            endpoint_path: body.endpoint_path ?? shown.endpoint_path,
            feed_type: body.feed_type ?? shown.feed_type,
            price_type: body.price_type ?? shown.price_type,
            price_per_1k: form.given("price_per_1k") ?? null,
            one_time_price_cents: form.given("one_time_price_cents") ?? null,
          }}
        />
        <h2>Edit the listing</h2>
        <EditForm form={form} feed={shown} />
      </>
    );
    return { kind: "show", view: { title: "Preview", content } };
  } catch (error) {
    if (error instanceof NotJson) return { kind: "refused", why: notJson(error) };
    throw error;
  }
}

interface Judgement {
  readonly compatibility: string;
  readonly changes: readonly {
    readonly path: string;
    readonly change: string;
    readonly why: string;
  }[];
  readonly refused_with: string | null;
}

function notJson({ field }: NotJson): string {
  return `${field} is no JSON. Correct it and save again.`;
}

async function saveListing(
  visit: Visit,
  form: Form,
  call: { method: "POST" | "PATCH"; path: string },
) {
  try {
    const body = listingOf(form);
    const saved = await visit.ask<{ readonly id: string; readonly warnings: readonly string[] }>(
      call.path,
      {
        method: call.method,
        body,
      },
    );
    if (saved.kind === "refused") return { kind: "refused", why: saved.detail } as const;
    const { id, warnings } = saved.body;
    if (warnings.length === 0) return { kind: "go", to: `feeds/${id}`, done: "edited" } as const;
    return { kind: "show", view: savedView(visit, id, warnings) } as const;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { kind: "refused", why: notJson(error) } as const;
  }
}

function savedView(visit: Visit, id: string, warnings: readonly string[]) {
  return {
    title: "Saved",
    content: (
      <>
        <h1>Saved</h1>
        <Message tone="warn">
          {warnings.map((warning) => (
            <p>
              <Text of={warning} />
            </p>
          ))}
        </Message>
        <p>
          <a class="button" href={`${visit.root}/console/feeds/${id}`}>
            To the feed
          </a>
        </p>
      </>
    ),
  };
}

function EditForm({ form, feed }: { readonly form: Form | undefined; readonly feed: OwnFeed }) {
  return (
    <form class="stack" method="post">
      <ListingFields form={form} feed={feed} />
      <Field label="Status" name="status" hint="Only an active feed can be read.">
        <select id="status" name="status">
          {["active", "draft", "inactive"].map((status) => (
            <option value={status} selected={typed(form, "status", feed.status) === status}>
              {status}
            </option>
          ))}
        </select>
      </Field>
      <div class="actions">
        <button type="submit" name="act" value="save">
          Save
        </button>
        <button class="quiet" type="submit" name="act" value="preview">
          Preview
        </button>
      </div>
    </form>
  );
}

const edit: PageRoute = {
  path: "feeds/:id/edit",
  async show(visit, form) {
    const shown = await findOwn(visit);
    return {
      title: `Edit ${shown.name}`,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/feeds/${shown.id}`}>
              <Text of={shown.name} />
            </a>
          </p>
          <h1>Edit the listing</h1>
          <EditForm form={form} feed={shown} />
        </>
      ),
    };
  },
  acts: {
    preview: { run: previewListing },
    save: {
      run: (visit, form) =>
        saveListing(visit, form, {
          method: "PATCH",
          path: `/v1/provider/feed/${idOf(visit)}/edit`,
        }),
    },
  },
};

const create: PageRoute = {
  path: "new",
  async show(_, form) {
    return {
      title: "New feed",
      content: (
        <>
          <h1>New feed</h1>
          <p class="lead">
            It begins as a draft that only you see. Push rows, then make it active.
          </p>
          <form class="stack" method="post">
            <ListingFields form={form} />
            <div>
              <button type="submit" name="act" value="create">
                Make it
              </button>
            </div>
          </form>
        </>
      ),
    };
  },
  acts: {
    create: {
      run: (visit, form) =>
        saveListing(visit, form, { method: "POST", path: "/v1/provider/feed/create" }),
    },
  },
};

const push: PageRoute = {
  path: "feeds/:id/push",
  async show(visit) {
    const shown = await findOwn(visit);
    return {
      title: `Push to ${shown.name}`,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/feeds/${shown.id}`}>
              <Text of={shown.name} />
            </a>
          </p>
          <h1>Push a file</h1>
          <p class="lead">
            A file of JSON (an array of rows, or one row of a singleton), NDJSON (a row a line) or
            CSV. All of it is stored, or nothing.
          </p>
          <form class="stack" method="post" encType="multipart/form-data">
            <Field label="File" name="file" hint="Up to 2 MB. Larger files: feedgate push.">
              <input
                id="file"
                name="file"
                type="file"
                accept=".json,.ndjson,.jsonl,.csv"
                required
              />
            </Field>
            <div>
              <button type="submit" name="act" value="push">
                Push it
              </button>
            </div>
          </form>
        </>
      ),
    };
  },
  acts: {
    push: {
      async run(visit, form) {
        const { file } = form;
        if (file === undefined) return { kind: "refused", why: "Choose a file first." };
        const { route, type } = sortOf(file.name);
        const bytes = new Uint8Array(await file.arrayBuffer());
        const path = `/v1/provider/feed/${idOf(visit)}/${route}`;
        const answer = await visit.askText(path, { method: "POST", file: { bytes, type } });
        if (answer.kind === "refused") {
          return { kind: "refused", why: whyOf(answer.text, answer.detail) };
        }
        const { receipt, problem } = endOf(route, answer.text);
        return receipt === undefined
          ? { kind: "refused", why: whyOf(JSON.stringify(problem), problem?.detail ?? "") }
          : { kind: "show", view: receiptView(visit, receipt) };
      },
    },
  },
};

/** How a file is sent, by the end of its name. */
function sortOf(name: string) {
  if (/\.csv$/i.test(name)) return { route: "import", type: "text/csv" } as const;
  const isLines = /\.(ndjson|jsonl)$/i.test(name);
  return { route: "push", type: isLines ? "application/x-ndjson" : "application/json" } as const;
}

interface End {
  readonly receipt?: Receipt;
  readonly problem?: { readonly detail: string };
}

/** What came of it: of an import, the last line of its answer. */
function endOf(route: "import" | "push", text: string): End {
  if (route === "push") return { receipt: JSON.parse(text) };
  return JSON.parse(text.trim().split("\n").at(-1) ?? "{}");
}

interface Receipt {
  readonly rows_inserted: number;
  readonly rows_updated: number;
  readonly rows_duplicate: number;
  readonly is_visible: boolean;
  readonly detail?: string;
}

/** The problem's detail, and the first rows that are wrong. */
function whyOf(text: string, detail: string): string {
  const { errors = [] }: { errors?: readonly { path?: string; message?: string }[] } =
    JSON.parse(text);
  const first = errors
    .slice(0, 5)
    .map(({ path = "", message = "" }) => `${path} ${message}`.trim());
  return [detail, ...first].join(" · ");
}

function receiptView(visit: Visit, receipt: Receipt) {
  return {
    title: "Stored",
    content: (
      <>
        <h1>Stored</h1>
        <Facts
          of={{
            "New rows": digits(receipt.rows_inserted),
            "Replaced rows": digits(receipt.rows_updated),
            "There before": digits(receipt.rows_duplicate),
            "Readers see them": receipt.is_visible ? "yes" : "not yet",
            Note: receipt.detail && <Text of={receipt.detail} />,
          }}
        />
        <p>
          <a class="button" href={`${visit.root}/console/feeds/${idOf(visit)}`}>
            To the feed
          </a>
        </p>
      </>
    ),
  };
}

interface Payouts {
  readonly earned_usd?: Figure;
  readonly owed_usd?: Figure;
  readonly payouts: readonly {
    readonly paid_at: string;
    readonly usd: Figure;
    readonly reference: string;
  }[];
}

/** The days of a month, as the API writes them. */
async function statementOf(visit: Visit): Promise<Download | undefined> {
  const month = visit.query.get("statement") ?? "";
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) return undefined;
  const to = new Date(Date.UTC(Number(year), Number(number), 0)).toISOString().slice(0, 10);
  const path = `/v1/provider/earnings?group_by=day&format=csv&from=${month}-01&to=${to}`;
  const answer = await visit.askText(path);
  bodyOf(answer);
  return { name: `statement-${month}.csv`, type: "text/csv; charset=utf-8", text: answer.text };
}

/** The month of today, which comes first, and those in which something happened. */
function isStatement(group: Group, index: number): boolean {
  const { reads, purchases, refunded_usd: refunded } = group;
  if (index === 0) return true;
  return digits(reads) !== "0" || digits(purchases) !== "0" || digits(refunded) !== "0";
}

const earnings: PageRoute = {
  path: "earnings",
  download: statementOf,
  async show(visit) {
    const [days, months, feeds, paid] = await Promise.all([
      visit.ask<Earnings>("/v1/provider/earnings?group_by=day"),
      visit.ask<Earnings>(`/v1/provider/earnings?group_by=month&from=${yearAgo()}`),
      visit.ask<Earnings>("/v1/provider/earnings?group_by=feed"),
      visit.ask<Payouts>("/v1/provider/payouts?limit=20"),
    ]);
    const { groups, totals, complete_until: until } = bodyOf(days);
    const payouts = bodyOf(paid);
    return {
      title: "Earnings",
      hasCharts: true,
      content: (
        <>
          <h1>Earnings</h1>
          <p class="small soft">
            The last 30 days, in UTC; complete until <Time of={until} />
          </p>
          <div class="cards">
            <FigureCard
              label="Net"
              value={`${digits(totals.net_usd)} USD`}
              note="gross − refunded − fee"
            />
            <FigureCard
              label="Gross"
              value={`${digits(totals.gross_usd)} USD`}
              note={`${digits(totals.paid_reads)} paid reads, ${digits(totals.purchases)} purchases`}
            />
            <FigureCard label="Fee" value={`${digits(totals.fee_usd)} USD`} note="the platform's" />
            <FigureCard
              label="Customers"
              value={digits(totals.accounts)}
              note="distinct accounts"
            />
          </div>
          <Chart
            title="Net earnings by day, USD"
            series={["net", "gross"]}
            points={groups.map((group) => ({
              at: group.date ?? "",
              values: [group.net_usd, group.gross_usd],
            }))}
          />
          <h2>By month</h2>
          <EarningsTable
            groups={[...bodyOf(months).groups].reverse().filter(isStatement)}
            head="Month"
            cell={({ month = "" }) => (
              <>
                {month} <a href={`?statement=${month}`}>statement as CSV</a>
              </>
            )}
          />
          <h2>By feed</h2>
          <EarningsTable
            groups={bodyOf(feeds).groups}
            head="Feed"
            cell={(group) => (
              <a href={`${visit.root}/console/feeds/${group.feed_id}`}>
                <Text of={group.name} />
              </a>
            )}
          />
          <h2>Payouts</h2>
          <Table
            label="Payouts"
            rows={payouts.payouts}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.paid_at} /> },
              { head: "USD", kind: "num", cell: (row) => digits(row.usd) },
              { head: "Reference", cell: (row) => <Text of={row.reference} /> },
            ]}
            empty="You have not been paid yet. The operator records payouts."
          />
        </>
      ),
    };
  },
};

type Group = Earnings["groups"][number];

function EarningsTable(props: {
  readonly groups: readonly Group[];
  readonly head: string;
  cell(group: Group): ComponentChildren;
}) {
  const { groups, head, cell } = props;
  return (
    <Table
      label={`Earnings by ${head.toLowerCase()}`}
      rows={groups}
      columns={[
        { head, cell },
        { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
        { head: "Purchases", kind: "num", cell: (row) => digits(row.purchases) },
        { head: "Gross, USD", kind: "num", cell: (row) => digits(row.gross_usd) },
        { head: "Refunded, USD", kind: "num", cell: (row) => digits(row.refunded_usd) },
        { head: "Fee, USD", kind: "num", cell: (row) => digits(row.fee_usd) },
        { head: "Net, USD", kind: "num", cell: (row) => digits(row.net_usd) },
      ]}
      empty="Nothing was sold in this time. Set a price, and ask to be listed."
    />
  );
}

/** The first day of a month eleven months ago, in UTC. */
function yearAgo(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1))
    .toISOString()
    .slice(0, 10);
}

export const PROVIDER_PAGES: readonly PageRoute[] = [own, feed, edit, create, push, earnings];
