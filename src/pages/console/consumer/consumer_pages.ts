/**
 * All pages of consumers.
 *
 * @module
 */
import { CONSUMER_NOTICES } from "../notices_page.tsx";
import type { PageRoute } from "../visit.ts";
import { FIND_FEEDS } from "./find_feeds.tsx";
import { OWN_ACCESS } from "./own_access.tsx";
import { OWN_ACCOUNT } from "./own_account.tsx";
import { OWN_KEYS } from "./own_keys.tsx";
import { OWN_PURCHASES } from "./own_purchases.tsx";
import { OWN_USAGE } from "./own_usage.tsx";
import { TRY_FEED } from "./try_feed.tsx";

export const CONSUMER_PAGES: readonly PageRoute[] = [
  OWN_ACCOUNT,
  OWN_USAGE,
  OWN_PURCHASES,
  OWN_ACCESS,
  OWN_KEYS,
  CONSUMER_NOTICES,
  FIND_FEEDS,
  TRY_FEED,
];
