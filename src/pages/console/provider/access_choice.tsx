/** @jsxImportSource preact */
/**
 * The access setting of a feed: the choice on its page, an explanation, and a link to the feed's readers.
 *
 * @module
 */
import { listWaitingFeeds } from "../../../access/account_access.ts";
import type { FeedAccess } from "../../../admission/claims.ts";
import { FEED_ACCESS } from "../../../feeds/find.ts";
import { assert } from "../../../lib/assert.ts";
import { ACCESS_NAMES } from "../../layout/access_text.tsx";
import { counted, Message, Text } from "../../layout/parts.tsx";
import { type Change, idOf, type Visit } from "../visit.ts";
import type { OwnFeed } from "./find_own.ts";
import { saveText } from "./listing_form.tsx";

const MEANINGS: Readonly<Record<FeedAccess, string>> = {
  open: "Every account with a read key can read it, at the feed's price.",
  by_request:
    "Everyone can find the feed and see its description and sample. Accounts ask for access, and you decide which of them can read its data.",
  invited: "Only accounts that you choose can find and read it. It is hidden from all others.",
};

/** What happens to accounts that read the feed now. */
const EFFECTS: Readonly<Record<FeedAccess, string>> = {
  open: "Every account with a read key will be able to read the feed from its next request. Pending access requests are no longer needed.",
  by_request:
    "Accounts that you have not granted access, including current readers, will be refused from their next request. Accounts that have bought the feed can still read it.",
  invited:
    "From their next request, accounts that you have not granted access, including current readers, will no longer find the feed. Its public page and its skill will be removed. Accounts that have bought the feed can still read it.",
};

interface AccessChoiceProps {
  readonly feed: OwnFeed;
  readonly visit: Visit;
}

export function AccessChoice({ feed, visit }: AccessChoiceProps) {
  return (
    <section id="access">
      <h2>Access</h2>
      {feed.suspension_reason === undefined ? (
        <form method="post" class="stack">
          <fieldset class="options">
            <legend>Who can read this feed</legend>
            {FEED_ACCESS.map((each) => (
              <label class="check">
                <input type="radio" name="access" value={each} checked={each === feed.access} />
                <span>
                  <strong>{ACCESS_NAMES[each]}</strong>
                  <br />
                  <span class="soft">{MEANINGS[each]}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <div class="actions">
            <button class="quiet" type="submit" name="act" value="access">
              Change access
            </button>
            <a class="button quiet" href={`${visit.root}/console/feeds/${feed.id}/readers`}>
              Readers and requests
            </a>
          </div>
        </form>
      ) : (
        <p>
          {MEANINGS[feed.access]}{" "}
          <a href={`${visit.root}/console/feeds/${feed.id}/readers`}>Readers and requests</a>
        </p>
      )}
    </section>
  );
}

export const CHANGE_ACCESS: Change = {
  confirm(form) {
    const access = FEED_ACCESS.find((each) => each === form.text("access"));
    if (access !== undefined) return EFFECTS[access];
    return { kind: "refused", why: "Choose who can read the feed." };
  },
  async run(visit, form) {
    const id = idOf(visit);
    const access = form.text("access");
    const saved = await saveText(visit, JSON.stringify({ access }), { feedId: id });
    assert(saved.kind === "saved", "only a dry run is judged");
    return { kind: "go", to: `feeds/${id}`, done: "access_set" };
  },
};

/** The feeds at which requests wait, for the home of a provider. */
export async function waitingFeeds(visit: Visit) {
  const { accountId } = await visit.admit("feeds");
  return listWaitingFeeds(visit.services.database, accountId);
}

interface WaitingRequestsProps {
  readonly visit: Visit;
  readonly of: Awaited<ReturnType<typeof waitingFeeds>>;
}

export function WaitingRequests({ visit, of }: WaitingRequestsProps) {
  if (of.length === 0) return null;
  return (
    <Message tone="warn">
      <p>Access requests are waiting for your answer:</p>
      <ul>
        {of.map((feed) => (
          <li>
            <a href={`${visit.root}/console/feeds/${feed.feed_id}/readers`}>
              <Text of={feed.name} />
            </a>
            , {counted(feed.requests, "request")}
          </li>
        ))}
      </ul>
    </Message>
  );
}
