/**
 * Operator API: accounts and their keys.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import {
  AccountShape,
  CreateAccountInput,
  createAccount,
  EditAccountInput,
  editAccount,
  ListAccountsInput,
  listAccounts,
  ProvenAccountShape,
  ResumeAccountInput,
  resumeAccount,
  ShowAccountInput,
  SuspendAccountInput,
  showAccount,
  suspendAccount,
} from "../../operator/accounts.ts";
import {
  CreatedKeyShape,
  CreateKeyInput,
  createKey,
  EditKeyInput,
  editAccountKey,
  FindKeyInput,
  FoundKeyShape,
  findKeyRecord,
  KeyShape,
  ListKeysInput,
  listKeys,
  RevokeKeyInput,
  RotatedKeyShape,
  RotateKeyInput,
  revokeKey,
  rotateAccountKey,
} from "../../operator/keys.ts";
import { PAGE_ROWS } from "../../operator/keyset_page.ts";
import {
  CreateSignInLinkInput,
  createSignInLink,
  SignInLinkShape,
} from "../../operator/sign_in_links.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done, made } from "./define_route.ts";
import {
  ACCOUNT,
  CREATED_KEY,
  FOUND_KEY,
  KEY,
  PROVEN_ACCOUNT,
  ROTATED_KEY,
  SIGN_IN_LINK,
} from "./operator_examples.ts";

/** Problem codes of routes that require an account that is not closed. */
const OPEN_ACCOUNT_PROBLEMS = [...ACCOUNT_PROBLEMS, "ACCOUNT_CLOSED"] as const;
const KEY_PROBLEMS = ["KEY_NOT_FOUND", "REFERENCE_AMBIGUOUS"] as const;
const FEEDS_OF_KEY_PROBLEMS = ["FEED_NOT_FOUND", "FEED_DELETED", "KEY_NOT_FOR_READING"] as const;
const ACCOUNT_ANSWER = { shape: AccountShape, example: ACCOUNT };
const KEY_ANSWER = { shape: KeyShape, example: KEY };
const BY_ACCOUNT = { id: "account_id" };
const BY_KEY = { id: "key_id" };

const AccountWithKeysShape = Type.Object(
  {
    ...ProvenAccountShape.properties,
    keys: Type.Array(KeyShape, { description: `The first ${PAGE_ROWS}, the oldest first.` }),
  },
  { $id: "AccountWithKeys", description: "An account, the proof of its balance, and its keys." },
);

export const ACCOUNT_ROUTES = [
  defineList({
    path: "/accounts",
    operationId: "listAccounts",
    summary: "List accounts",
    description: "Oldest first. Several accounts can have the same name.",
    input: ListAccountsInput,
    name: "accounts",
    $id: "AccountList",
    entry: { shape: AccountShape, example: ACCOUNT },
    problems: [],
    list: listAccounts,
  }),
  defineRoute({
    method: "POST",
    path: "/accounts",
    operationId: "createAccount",
    summary: "Create an account",
    input: CreateAccountInput,
    example: { name: "Acme agents" },
    answers: { 201: ACCOUNT_ANSWER },
    problems: [],
    act: async ({ operator, actor }, input) => made(await createAccount(operator, input, actor)),
  }),
  defineRoute({
    method: "GET",
    path: "/accounts/:id",
    operationId: "showAccount",
    summary: "Show an account, the proof of its balance, and its keys",
    input: ShowAccountInput,
    names: BY_ACCOUNT,
    answers: { 200: { shape: AccountWithKeysShape, example: PROVEN_ACCOUNT } },
    problems: [...ACCOUNT_PROBLEMS, "REPORT_TOO_LONG"],
    act: async ({ operator }, input) => {
      const account = await showAccount(operator, input);
      const { entries } = await listKeys(operator, { account_id: account.id });
      return done({ ...account, keys: entries });
    },
  }),
  defineRoute({
    method: "PATCH",
    path: "/accounts/:id",
    operationId: "editAccount",
    summary: "Edit an account's name or quota",
    description: "Fields that the body leaves out stay unchanged.",
    input: EditAccountInput,
    names: BY_ACCOUNT,
    example: { max_feeds_allowed: 10 },
    answers: { 200: ACCOUNT_ANSWER },
    problems: OPEN_ACCOUNT_PROBLEMS,
    act: async ({ operator, actor }, input) => done(await editAccount(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/accounts/:id/suspend",
    operationId: "suspendAccount",
    summary: "Suspend an account",
    description: "Calls with its keys are refused from the next request. Its feeds stay readable.",
    input: SuspendAccountInput,
    names: BY_ACCOUNT,
    example: { reason: "scraping from 40 hosts" },
    isSafeToRepeat: true,
    answers: {
      200: {
        shape: AccountShape,
        example: { ...ACCOUNT, suspension_reason: "scraping from 40 hosts" },
      },
    },
    problems: OPEN_ACCOUNT_PROBLEMS,
    act: async ({ operator, actor }, input) => done(await suspendAccount(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/accounts/:id/resume",
    operationId: "resumeAccount",
    summary: "Resume an account",
    input: ResumeAccountInput,
    names: BY_ACCOUNT,
    isSafeToRepeat: true,
    answers: { 200: ACCOUNT_ANSWER },
    problems: OPEN_ACCOUNT_PROBLEMS,
    act: async ({ operator, actor }, input) => done(await resumeAccount(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/accounts/:id/sessions",
    operationId: "createSignInLink",
    summary: "Create a sign-in link for a customer",
    description:
      "The link opens the console. It works once, within 15 minutes. Send it only to the customer.",
    input: CreateSignInLinkInput,
    names: BY_ACCOUNT,
    example: { permission: "read" },
    isSecret: true,
    isSafeToRepeat: true,
    answers: { 201: { shape: SignInLinkShape, example: SIGN_IN_LINK } },
    problems: [...OPEN_ACCOUNT_PROBLEMS, "ACCOUNT_SUSPENDED"],
    act: async ({ operator, actor }, input) => made(await createSignInLink(operator, input, actor)),
  }),
];

export const KEY_ROUTES = [
  defineList({
    path: "/keys",
    operationId: "listKeys",
    summary: "List an account's keys",
    description: "In any state, oldest first. The keys themselves are never included.",
    input: ListKeysInput,
    name: "keys",
    $id: "KeyList",
    entry: { shape: KeyShape, example: KEY },
    problems: ACCOUNT_PROBLEMS,
    list: listKeys,
  }),
  defineRoute({
    method: "POST",
    path: "/keys",
    operationId: "createKey",
    summary: "Create a key of an account",
    description:
      "The response contains the key itself, only this once, because only its hash is stored.",
    input: CreateKeyInput,
    example: { account_id: "Acme agents", permission: "read", daily_credits: 500 },
    isSecret: true,
    answers: { 201: { shape: CreatedKeyShape, example: CREATED_KEY } },
    problems: [...OPEN_ACCOUNT_PROBLEMS, ...FEEDS_OF_KEY_PROBLEMS],
    act: async ({ operator, actor }, input) => made(await createKey(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/keys/find",
    operationId: "findKey",
    summary: "Find the record of a key",
    description: "By the complete key or its beginning, for example a leaked key.",
    input: FindKeyInput,
    example: { key: "fg_read_abcd" },
    isSafeToRepeat: true,
    answers: { 200: { shape: FoundKeyShape, example: FOUND_KEY } },
    problems: KEY_PROBLEMS,
    act: async ({ operator }, input) => done(await findKeyRecord(operator, input)),
  }),
  defineRoute({
    method: "PATCH",
    path: "/keys/:id",
    operationId: "editKey",
    summary: "Edit a key's name, expiration, daily budget or feeds",
    description:
      "Fields that the body leaves out stay unchanged; null removes a limit. Agents that were connected through OAuth with the key expire no later than an earlier `expires_at`.",
    input: EditKeyInput,
    names: BY_KEY,
    example: { daily_credits: 1_000, feed_ids: null },
    answers: { 200: KEY_ANSWER },
    problems: [...KEY_PROBLEMS, ...FEEDS_OF_KEY_PROBLEMS, "KEY_NOT_USABLE", "ADMIN_KEY_BY_COMMAND"],
    act: async ({ operator, actor }, input) => done(await editAccountKey(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/keys/:id/revoke",
    operationId: "revokeKey",
    summary: "Revoke a key",
    description:
      "The key is refused from the next request, and so are the agents that were connected through OAuth with it. Admin keys can also be revoked.",
    input: RevokeKeyInput,
    names: BY_KEY,
    isSafeToRepeat: true,
    answers: { 200: KEY_ANSWER },
    problems: KEY_PROBLEMS,
    act: async ({ operator, actor }, input) => done(await revokeKey(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/keys/:id/rotate",
    operationId: "rotateKey",
    summary: "Rotate a key",
    description:
      "Creates a key that replaces the old one, which expires after a grace period. The response contains the new key itself, only this once. Agents that were connected through OAuth with the old key stay connected, unless `grace_seconds` is 0: then the old key is revoked and they are disconnected.",
    input: RotateKeyInput,
    names: BY_KEY,
    example: { grace_seconds: 3_600 },
    isSecret: true,
    answers: { 201: { shape: RotatedKeyShape, example: ROTATED_KEY } },
    problems: [...KEY_PROBLEMS, "KEY_NOT_USABLE", "ADMIN_KEY_BY_COMMAND"],
    act: async ({ operator, actor }, input) => made(await rotateAccountKey(operator, input, actor)),
  }),
];
