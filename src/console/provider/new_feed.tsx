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
            It begins as a draft that only you see. Push rows, then make it active.
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
          sentence: "The feed is made as a draft that only you see. Agents would see it like this.",
          details: <FeedAsSeen feed={listingAsTyped(form)} />,
        };
      },
      run: (visit, form) =>
        saveListing(visit, form, { method: "POST", path: "/v1/provider/feed/create" }),
    },
  },
};
