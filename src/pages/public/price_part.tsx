/** @jsxImportSource preact */
/**
 * The price of a feed, and the cost of one read, of all data, and of a year of following.
 *
 * @module
 */
import { consumerType } from "../../feeds/feed_text.ts";
import { readsOfAll } from "../../feeds/read_costs.ts";
import { intervalText } from "../../lib/interval_text.ts";
import { creditsText, usdOfCents, usdText } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { Row } from "../../postgres/client/database.ts";
import { counted, digits, Facts } from "../layout/parts.tsx";
import { priceText } from "../layout/price_text.ts";

type Feed = Row<"find_feed_row">;

interface PricePartProps {
  readonly feed: Feed;
  /** Reads of the feed in any 60 seconds, of an account. */
  readonly readsMax: number;
}

const MINUTES_PER_YEAR = 525_600;

export function PricePart({ feed, readsMax }: PricePartProps) {
  return (
    <section class="card">
      <h2 class="price-head">{feed.price_type === "free" ? "Free" : priceText(feed)}</h2>
      <Costs {...feed} />
      {feed.price_type !== "free" && (
        <p>
          <a class="button" href={`../billing?feed_id=${feed.feed_id}`}>
            {feed.price_type === "one_time" ? "How to buy" : "How to pay"}
          </a>
        </p>
      )}
      <p class="soft small">
        Up to {digits(readsMax)} reads per minute for each account. A request with the ETag of your
        last response is free if nothing has changed.
      </p>
    </section>
  );
}

function Costs(feed: Feed) {
  switch (feed.price_type) {
    case "metered":
      return <MeteredCosts {...feed} />;
    case "one_time": {
      const cents = feed.one_time_price_cents ?? 0n;
      return (
        <p>
          Bought once for {digits(usdOfCents(cents))} USD (
          {digits(creditsText(cents * NANOS_PER_CENT))} credits). Every read after that is free,
          including updates.
        </p>
      );
    }
    default:
      return <p>Reads are free, but require a read key.</p>;
  }
}

function MeteredCosts(feed: Feed) {
  const price = feed.call_price_nanos ?? 0n;
  const type = consumerType(feed.feed_type);
  const reads = type === "singleton" ? 1n : readsOfAll(feed.row_count);
  const updates = BigInt(Math.ceil(MINUTES_PER_YEAR / feed.sync_interval_mins));
  // Each update of a stream is a page of new events. Other feeds are read as a whole again.
  const yearly = updates * (type === "stream" ? 1n : reads);
  return (
    <>
      <Facts
        of={{
          "One read": <Cost nanos={price} note={type === "singleton" ? "" : "up to 100 rows"} />,
          "All rows": <Cost nanos={price * reads} note={counted(reads, "read")} />,
          "One year of updates": <Cost nanos={price * yearly} note={counted(yearly, "read")} />,
        }}
      />
      <p class="soft small">
        The yearly cost is estimated from the stated update interval (
        {intervalText(feed.sync_interval_mins)}). Errors are never charged.
      </p>
    </>
  );
}

/** 1 USD is 1,000,000 credits. */
function Cost({ nanos, note }: { readonly nanos: bigint; readonly note: string }) {
  const credits = creditsText(nanos);
  return (
    <>
      {digits(usdText(nanos))} USD
      <div class="soft small">
        {counted(credits, "credit")}
        {note !== "" && `, ${note}`}
      </div>
    </>
  );
}
