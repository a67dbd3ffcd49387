/**
 * All pages of providers.
 *
 * @module
 */
import { PROVIDER_NOTICES } from "../notices_page.tsx";
import type { PageRoute } from "../visit.ts";
import { EDIT_LISTING } from "./edit_listing.tsx";
import { FEED_READERS } from "./feed_readers.tsx";
import { FEED_STATE } from "./feed_state.tsx";
import { NEW_FEED } from "./new_feed.tsx";
import { OWN_EARNINGS } from "./own_earnings.tsx";
import { OWN_FEEDS } from "./own_feeds.tsx";
import { PUSH_FILE } from "./push_file.tsx";
import { STATEMENT } from "./statement_page.tsx";

export const PROVIDER_PAGES: readonly PageRoute[] = [
  OWN_FEEDS,
  FEED_STATE,
  FEED_READERS,
  EDIT_LISTING,
  NEW_FEED,
  PUSH_FILE,
  OWN_EARNINGS,
  STATEMENT,
  PROVIDER_NOTICES,
];
