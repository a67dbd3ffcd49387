/**
 * All pages of a person in an account, each with the role whose key it uses. Except for the home pages, they are the
 * pages that providers and consumers see when they sign in with a key.
 *
 * @module
 */
import { CONSUMER_PAGES } from "../consumer/consumer_pages.ts";
import { OWN_ACCOUNT } from "../consumer/own_account.tsx";
import { OWN_FEEDS } from "../provider/own_feeds.tsx";
import { PROVIDER_PAGES } from "../provider/provider_pages.ts";
import type { PageRoute } from "../visit.ts";
import { ACCOUNT_SETTINGS } from "./account_settings.tsx";
import { MEMBERS } from "./members_page.tsx";
import { OWN_HOME } from "./own_home.tsx";

interface PersonPage {
  readonly page: PageRoute;
  readonly role: "read" | "write";
}

const as = (role: PersonPage["role"], pages: readonly PageRoute[]): readonly PersonPage[] =>
  pages.map((page) => ({ page, role }));

export const PERSON_PAGES: readonly PersonPage[] = [
  ...as("read", [OWN_HOME, MEMBERS, ACCOUNT_SETTINGS]),
  ...as(
    "read",
    CONSUMER_PAGES.filter((page) => page !== OWN_ACCOUNT),
  ),
  ...as("write", [{ ...OWN_FEEDS, path: "feeds" }]),
  ...as(
    "write",
    PROVIDER_PAGES.filter((page) => page !== OWN_FEEDS),
  ),
];
