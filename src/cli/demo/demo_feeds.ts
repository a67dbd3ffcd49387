/**
 * The demo's feeds: real data, priced in all three ways (free, metered, and sold once). For sources and licenses, see
 * `data/NOTICE.md`.
 *
 * @module
 */
import airports from "./data/airports.ndjson" with { type: "text" };
import earthquakes from "./data/earthquakes.ndjson" with { type: "text" };
import euroRates from "./data/euro-rates.ndjson" with { type: "text" };
import goldPrices from "./data/gold-prices.ndjson" with { type: "text" };
import territoryNames from "./data/territory-names.ndjson" with { type: "text" };

export interface DemoFeed {
  /** Body of the create call. */
  readonly definition: {
    readonly endpoint_path: string;
    readonly feed_type: "singleton" | "collection" | "stream";
    readonly [field: string]: unknown;
  };
  /** Rows as JSON text. For a singleton, its one document. */
  readonly rows: readonly string[];
}

const MONTHS = 12;
const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const TEXT_OR_NULL = { type: ["string", "null"] };
const NUMBER_OR_NULL = { type: ["number", "null"] };
const TIME = { type: "string", format: "date-time" };

const EURO_RATES: DemoFeed = {
  definition: {
    endpoint_path: "euro-rates",
    name: "Euro exchange rates",
    description: "The daily value of one euro in 339 currencies, including digital ones.",
    readme_md:
      "# Euro exchange rates\n\nOne document: `date`, and in `eur` the rate of each currency, keyed by its lowercase code.\n\nSource: fawazahmed0/exchange-api. Terms: CC0 1.0.",
    category: "Currency Exchange",
    feed_type: "singleton",
    sync_interval_mins: 1_440,
    update_frequency_text: "daily",
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["date", "eur"],
      properties: {
        date: TEXT,
        eur: { type: "object", additionalProperties: { type: "number", exclusiveMinimum: 0 } },
      },
    },
    sample_response: { date: "2026-09-29", eur: { usd: 1.13607202, jpy: 178.90554702 } },
  },
  rows: linesOf(euroRates),
};

const AIRPORTS: DemoFeed = {
  definition: {
    endpoint_path: "airports",
    name: "Large airports of the world",
    description: "463 large airports: codes, location, elevation and keywords.",
    readme_md:
      "# Large airports\n\nFilter by equality, such as `iso_country=eq.JP` or `iata_code=eq.NRT`.\n\nSource: OurAirports. Terms: public domain.",
    category: "Transportation",
    feed_type: "collection",
    sync_interval_mins: 43_200,
    update_frequency_text: "monthly",
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["id", "name", "latitude_deg", "longitude_deg"],
      properties: {
        id: TEXT,
        ident: TEXT,
        type: TEXT,
        name: TEXT,
        latitude_deg: { type: "number", minimum: -90, maximum: 90 },
        longitude_deg: { type: "number", minimum: -180, maximum: 180 },
        elevation_ft: NUMBER_OR_NULL,
        continent: TEXT,
        iso_country: TEXT,
        iso_region: TEXT,
        municipality: TEXT_OR_NULL,
        scheduled_service: { type: "boolean" },
        iata_code: TEXT,
        keywords: { type: "array", items: TEXT },
      },
    },
    sample_response: {
      id: "5531",
      name: "Narita International Airport",
      latitude_deg: 35.764702,
      longitude_deg: 140.386002,
      iso_country: "JP",
      iata_code: "NRT",
    },
  },
  rows: linesOf(airports),
};

const EARTHQUAKES: DemoFeed = {
  definition: {
    endpoint_path: "earthquakes",
    name: "Earthquakes",
    description:
      "600 earthquakes from February 2018 as first reported: magnitude, place, depth and felt reports.",
    readme_md:
      "# Earthquakes\n\nA stream, newest first. Limit it with `start_time` and `end_time`, or select fields: `jsonpath=$[*].{mag: mag, place: place}`.\n\nSource: U.S. Geological Survey. Terms: public domain.",
    category: "Science",
    feed_type: "stream",
    sync_interval_mins: 60,
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["id", "mag", "place"],
      properties: {
        id: TEXT,
        event_timestamp: TIME,
        mag: NUMBER,
        place: TEXT,
        magType: TEXT,
        felt: NUMBER_OR_NULL,
        alert: TEXT_OR_NULL,
        tsunami: NUMBER,
        geometry: { type: "object" },
      },
    },
    sample_response: {
      id: "ci37868143",
      event_timestamp: "2018-02-07T01:26:13.840Z",
      mag: 2,
      place: "4km W of Castaic, CA",
    },
  },
  rows: linesOf(earthquakes),
};

const GOLD_PRICES: DemoFeed = {
  definition: {
    endpoint_path: "gold-prices",
    name: "Gold prices since 1833",
    description: "The monthly price of an ounce of gold in US dollars since 1833.",
    readme_md:
      "# Gold prices\n\nA stream of months, newest first. Metered: each read costs one credit.\n\nSource: datasets/gold-prices. Terms: ODC-PDDL 1.0.",
    category: "Finance",
    feed_type: "stream",
    sync_interval_mins: 43_200,
    update_frequency_text: "monthly",
    price_type: "metered",
    price_per_1k: 0.001,
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["id", "event_timestamp", "price_usd"],
      properties: { id: TEXT, event_timestamp: TIME, price_usd: NUMBER },
    },
    sample_response: {
      id: "gold-2026-06-01",
      event_timestamp: "2026-06-01T00:00:00Z",
      price_usd: 4228,
    },
  },
  rows: linesOf(goldPrices),
};

const TERRITORY_NAMES: DemoFeed = {
  definition: {
    endpoint_path: "territory-names",
    name: "Country names in 37 languages",
    description: "295 countries and regions with their names in 37 languages and scripts.",
    readme_md:
      "# Country names\n\nOne row per territory, with `names` by locale. One-time price: buy the feed before you read it.\n\nSource: Unicode CLDR. Terms: Unicode License V3.",
    category: "Geocoding",
    feed_type: "collection",
    sync_interval_mins: 259_200,
    update_frequency_text: "twice a year",
    price_type: "one_time",
    one_time_price_cents: 500,
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["id", "kind", "names"],
      properties: {
        id: TEXT,
        kind: { enum: ["territory", "region"] },
        names: { type: "object", additionalProperties: TEXT },
        alternatives: { type: "object" },
      },
    },
    sample_response: { id: "JP", kind: "territory", names: { en: "Japan", ja: "日本" } },
  },
  rows: linesOf(territoryNames),
};

/** Yearly averages, computed from the monthly prices. It awaits review. */
export const GOLD_BY_YEAR: DemoFeed = {
  definition: {
    endpoint_path: "gold-by-year",
    name: "Gold prices by year",
    description: "The average price of an ounce of gold in US dollars for each year since 1833.",
    readme_md:
      "# Gold by year\n\nOne row per year: the average of its twelve months.\n\nSource: datasets/gold-prices. Terms: ODC-PDDL 1.0.",
    category: "Finance",
    feed_type: "collection",
    sync_interval_mins: 43_200,
    update_frequency_text: "yearly",
    price_type: "metered",
    price_per_1k: 0.002,
    schema_locked: true,
    schema_definition: {
      type: "object",
      required: ["id", "year", "average_usd"],
      properties: { id: TEXT, year: { type: "integer" }, average_usd: NUMBER },
    },
    sample_response: { id: "1833", year: 1833, average_usd: 18.93 },
  },
  rows: yearsOf(linesOf(goldPrices)),
};

export const DEMO_FEEDS: readonly DemoFeed[] = [
  EURO_RATES,
  AIRPORTS,
  EARTHQUAKES,
  GOLD_PRICES,
  TERRITORY_NAMES,
];

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** One row per complete year, oldest first. */
function yearsOf(months: readonly string[]): readonly string[] {
  const years = new Map<string, number[]>();
  for (const line of months) {
    const month: { event_timestamp: string; price_usd: number } = JSON.parse(line);
    const year = month.event_timestamp.slice(0, 4);
    years.set(year, [...(years.get(year) ?? []), month.price_usd]);
  }
  return [...years]
    .filter(([, prices]) => prices.length === MONTHS)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([id, prices]) => {
      const average = prices.reduce((sum, price) => sum + price, 0) / MONTHS;
      const average_usd = Number(average.toFixed(2));
      return JSON.stringify({ id, year: Number(id), average_usd });
    });
}
