/** @jsxImportSource preact */
/**
 * A new feed.
 *
 * @module
 */
import { ActForm } from "../act_form.tsx";
import { FeedAsSeen } from "../feed_as_seen.tsx";
import type { PageRoute } from "../visit.ts";
import { listingAsTyped, listingFields, requireListing, saveListing } from "./listing_form.tsx";

export const NEW_FEED: PageRoute = {
  path: "new",
  async show(_, form) {
    return {
      title: "New feed",
      content: (
        <>
          <h1>New feed</h1>
          <p class="lead">
            It begins as a draft that only you see. The first push makes it active: whoever has a
            read key can then read it by its slug, at the price that it has then. So set the price
            first.
          </p>
          <ActForm
            isTall
            form={form}
            fields={listingFields()}
            buttons={[{ act: "create", text: "Preview and make" }]}
          />
        </>
      ),
    };
  },
  acts: {
    create: {
      confirm(form) {
        requireListing(form);
        return {
          kind: "ask",
          sentence:
            "The feed is made as a draft that only you see. Your first push makes it active, and agents then see it like this.",
          details: <FeedAsSeen feed={listingAsTyped(form)} />,
        };
      },
      run: saveListing,
    },
  },
};
