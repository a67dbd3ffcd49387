/**
 * All pages of operators.
 *
 * @module
 */
import type { PageRoute } from "../visit.ts";
import { ACCOUNTS_LIST } from "./accounts_list.tsx";
import { ALL_FEEDS } from "./all_feeds.tsx";
import { AUDIT_TRAIL } from "./audit_trail.tsx";
import { CALLS_OF_ACCOUNT } from "./calls_of_account.tsx";
import { FIND_ANYTHING } from "./find_anything.tsx";
import { FIND_KEY } from "./find_key.tsx";
import { JUDGE_FEED } from "./judge_feed.tsx";
import { KEYS_OF_ACCOUNT } from "./keys_of_account.tsx";
import { MONEY_MOVES } from "./money_moves.tsx";
import { MONEY_OF_ACCOUNT } from "./money_of_account.tsx";
import { ONE_ACCOUNT } from "./one_account.tsx";
import { OPERATORS_NOTICES } from "./operators_notices.tsx";
import { OVERVIEW } from "./overview.tsx";
import { SETTINGS_OF_ACCOUNT } from "./settings_of_account.tsx";
import { WAITING_FEEDS } from "./waiting_feeds.tsx";

export const OPERATOR_PAGES: readonly PageRoute[] = [
  OVERVIEW,
  WAITING_FEEDS,
  ALL_FEEDS,
  JUDGE_FEED,
  ACCOUNTS_LIST,
  ONE_ACCOUNT,
  KEYS_OF_ACCOUNT,
  CALLS_OF_ACCOUNT,
  MONEY_OF_ACCOUNT,
  SETTINGS_OF_ACCOUNT,
  FIND_ANYTHING,
  FIND_KEY,
  MONEY_MOVES,
  OPERATORS_NOTICES,
  AUDIT_TRAIL,
];
