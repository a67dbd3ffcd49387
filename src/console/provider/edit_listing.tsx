/** @jsxImportSource preact */
/**
 * The editor of a listing, and a preview of what agents would see.
 *
 * @module
 */
import { FEED_STATUSES } from "../../feeds/find.ts";
import { Message, Text } from "../../ui/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { FeedAsSeen } from "../feed_as_seen.tsx";
import { FeedLink } from "../lists.tsx";
import { type Acted, type Form, idOf, type PageRoute, type Visit } from "../visit.ts";
import { findOwn, type OwnFeed } from "./find_own.ts";
import { listingFields, listingOf, saveListing } from "./listing_form.tsx";

export const EDIT_LISTING: PageRoute = {
  path: "feeds/:id/edit",
  async show(visit, form) {
    const shown = await findOwn(visit);
    return {
      title: `Edit ${shown.name}`,
      content: (
        <>
          <p class="crumbs">
            <FeedLink visit={visit} id={shown.id} name={shown.name} />
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

interface EditFormProps {
  readonly form: Form | undefined;
  readonly feed: OwnFeed;
}

function EditForm({ form, feed }: EditFormProps) {
  return (
    <ActForm
      isTall
      form={form}
      fields={[
        ...listingFields(feed),
        {
          name: "status",
          label: "Status",
          hint: "Only an active feed can be read.",
          choices: FEED_STATUSES.map((status) => [status, status]),
          value: feed.status,
        },
      ]}
      buttons={[
        { act: "save", text: "Save" },
        { act: "preview", text: "Preview", tone: "quiet" },
      ]}
    />
  );
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

/** How agents would see what was typed, above the form with it. Nothing is saved. */
async function previewListing(visit: Visit, form: Form): Promise<Acted> {
  const body = listingOf(form);
  const path = `/v1/provider/feed/${idOf(visit)}/edit?dry_run=true`;
  const judged = await visit.ask<Judgement>(path, { method: "PATCH", body });
  if (judged.kind === "refused") return { kind: "refused", why: judged.detail };
  const shown = await findOwn(visit);
  const { compatibility, changes, refused_with: refusedWith } = judged.body;
  const content = (
    <>
      <p class="crumbs">
        <FeedLink visit={visit} id={shown.id} name={shown.name} />
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
}
