/** @jsxImportSource preact */
/**
 * The editor of a listing, and a preview of what agents would see.
 *
 * @module
 */
import { FEED_STATUSES } from "../../../feeds/find.ts";
import type { Compatibility } from "../../../feeds/schema_changes.ts";
import { assert } from "../../../lib/assert.ts";
import { judgementOf } from "../../../provider/save_own_feed.ts";
import { Text } from "../../layout/parts.tsx";
import { Fields } from "../act_form.tsx";
import { FeedAsSeen } from "../feed_as_seen.tsx";
import type { FormField } from "../form_field.ts";
import { FeedLink } from "../lists.tsx";
import type { Confirmation, Form, PageRoute, Visit } from "../visit.ts";
import { findListing, findOwn } from "./find_own.ts";
import {
  listingAsTyped,
  listingFields,
  listingText,
  marked,
  PriceFields,
  saveListing,
  saveText,
} from "./listing_form.tsx";

export const EDIT_LISTING: PageRoute = {
  path: "feeds/:id/edit",
  async show(visit, form, refused) {
    const shown = await findListing(visit);
    const parts = listingFields(shown);
    const typed = form && ((name: string) => form.typed(name));
    const show = (fields: readonly FormField[]) => marked(fields, form, refused?.errors);
    return {
      title: `Edit ${shown.name}`,
      content: (
        <>
          <p class="crumbs">
            <FeedLink visit={visit} id={shown.id} name={shown.name} />
          </p>
          <h1>Edit the listing</h1>
          <form class="stack wide" method="post" encType="multipart/form-data">
            <Fields fields={parts.listing} typed={typed} />
            <Fields fields={[statusField(shown.status)]} typed={typed} />
            <PriceFields feed={shown} form={form} />
            <Fields fields={show([...parts.schema, ...parts.version])} typed={typed} />
            <Fields fields={show([...parts.sample, ...parts.more])} typed={typed} />
            <div class="actions">
              <button type="submit" name="act" value="save">
                Preview and save
              </button>
            </div>
          </form>
        </>
      ),
    };
  },
  acts: {
    save: {
      confirm: judgeListing,
      run: async (visit, form) => saveListing(visit, form, await findOwn(visit)),
    },
  },
};

function statusField(status: string): FormField {
  return {
    name: "status",
    label: "Status",
    hint: "Only active feeds can be read. The first push activates a draft.",
    choices: FEED_STATUSES.map((each) => [each, each]),
    value: status,
  };
}

/** What a new schema means to agents that read the feed now. */
const OF_SCHEMA: Readonly<Record<Compatibility, string>> = {
  same: "Its schema does not change.",
  compatible: "Its new schema is compatible: agents can read new rows the same way as old ones.",
  breaking: "Its new schema is breaking: agents that read the feed now may stop working.",
  unknown: "It can't be determined whether its new schema breaks agents that read the feed now.",
};

/** How agents would see what was typed, and what changes for those that read the feed now. */
async function judgeListing(form: Form, visit: Visit): Promise<Confirmation> {
  const feed = await findOwn(visit);
  const saving = { feedId: feed.id, isDryRun: true };
  const judged = await saveText(visit, listingText(form, feed), saving);
  assert(judged.kind === "judged", "a dry run saves nothing");
  const { compatibility, changes, refused_with: refusedWith } = judgementOf(judged);
  if (refusedWith !== null) {
    const words = changes.map(({ path, change, why }) => `${path} ${change}: ${why}`);
    return {
      kind: "refused",
      why: `${refusedWith}: agents that read the feed now may stop working. If the change is intended, increase the schema version. ${words.join(" · ")}`,
    };
  }
  const seen =
    form.text("status") === "active"
      ? "Agents will see the feed like this from the next request."
      : `The feed will be ${form.text("status")}, so agents can't read it.`;
  return {
    kind: "ask",
    sentence: `${seen} ${OF_SCHEMA[compatibility]}`,
    details: (
      <>
        {changes.map((change) => (
          <p>
            <code>
              <Text of={change.path} />
            </code>{" "}
            <Text of={`${change.change}: ${change.why}`} />
          </p>
        ))}
        <h2>As agents see it</h2>
        <FeedAsSeen feed={listingAsTyped(form, feed)} />
      </>
    ),
  };
}
