/** @jsxImportSource preact */
/**
 * The contents of a feed: rows as a table and as JSON, with a chart of a stream's numbers; a singleton's document; or
 * the sample of a feed that is not free or needs access.
 *
 * @module
 */
import { consumerType } from "../../feeds/feed_text.ts";
import { SITE_ROWS_BYTES_MAX, SITE_ROWS_SHOWN } from "../../limits.ts";
import type { Row } from "../../postgres/client/database.ts";
import { counted, digits } from "../layout/parts.tsx";
import { type ShownRows, showRows } from "../layout/shown_rows.ts";
import { Json, ROWS_ID, TableAndJson } from "../layout/table_and_json.tsx";
import { RowMap } from "./map_part.tsx";

type Feed = Row<"find_feed_row">;

interface DataPartProps {
  readonly feed: Feed;
  /** JSON texts of the feed's first rows, separated by commas. Null if it has none or if they are not shown. */
  readonly rowTexts: string | null;
}

/** Of JSON. */
const DOCUMENT_CHARS_SHOWN = 12_000;

export function DataPart({ feed, rowTexts }: DataPartProps) {
  if (feed.price_type !== "free" || feed.access !== "open") {
    return <Sample sample={feed.sample_response} isPaid />;
  }
  const type = consumerType(feed.feed_type);
  if (rowTexts === null) return <NoRows {...feed} />;
  if (type === "singleton") return <Document text={rowTexts} />;
  const json = `[${rowTexts}]`;
  const shown = showRows(json, SITE_ROWS_SHOWN);
  return (
    <section>
      <h2>{type === "stream" ? "Latest events" : "Rows"}</h2>
      <p class="soft small">{countWords(feed, shown.rows.length)}</p>
      {type === "stream" && <RowChart {...shown} />}
      <RowMap {...shown} />
      <TableAndJson shown={shown} json={json} name="rows" />
    </section>
  );
}

function countWords({ row_count: total, feed_type: type }: Feed, shown: number): string {
  const what = type === "stream" ? "event" : "row";
  if (BigInt(shown) >= total) return `All ${counted(shown, what)}.`;
  const which = type === "stream" ? "The newest" : "The first";
  return `${which} ${digits(shown)} of ${counted(total, what)}.`;
}

function NoRows(feed: Feed) {
  const isLarge = feed.row_count > 0n;
  return (
    <>
      <section>
        <h2>Rows</h2>
        <div class="empty">
          {isLarge ? "The rows are too large to show here." : "This feed has no rows yet."}
        </div>
      </section>
      <Sample sample={feed.sample_response} />
    </>
  );
}

function Document({ text }: { readonly text: string }) {
  return (
    <section>
      <h2>Document</h2>
      <Json json={text} charsMax={DOCUMENT_CHARS_SHOWN} />
    </section>
  );
}

interface SampleProps {
  readonly sample: string | null;
  readonly isPaid?: boolean;
}

function Sample({ sample, isPaid = false }: SampleProps) {
  if (sample === null) return null;
  const shown = showRows(sample.length > SITE_ROWS_BYTES_MAX ? "null" : sample, SITE_ROWS_SHOWN);
  return (
    <section>
      <h2>Sample</h2>
      {isPaid && <p class="soft small">The provider's example. Reads return the current data.</p>}
      {shown.columns.length === 0 ? (
        <Json json={sample} />
      ) : (
        <TableAndJson shown={shown} json={sample} name="sample" />
      )}
    </section>
  );
}

/** Numbers that say nothing in a chart are the last choice. */
const ID_NAME = /(?:^|[^a-z])id$/i;

/** Drawn from the table of rows by the page's script, which alone shows it. */
function RowChart({ columns, timePlace }: ShownRows) {
  const drawn = columns
    .flatMap(({ head, isDrawable }, place) => (isDrawable ? [{ head, place }] : []))
    .toSorted((a, b) => Number(ID_NAME.test(a.head)) - Number(ID_NAME.test(b.head)));
  if (drawn.length === 0 || timePlace < 0) return null;
  return (
    <figure class="chart" data-rows={ROWS_ID} data-time={timePlace} hidden>
      <figcaption>
        <label>
          Chart of{" "}
          <select>
            {drawn.map(({ head, place }) => (
              <option value={place}>{head}</option>
            ))}
          </select>
        </label>
      </figcaption>
      <div class="plot" aria-hidden="true" />
    </figure>
  );
}
