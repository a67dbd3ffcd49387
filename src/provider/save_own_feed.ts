/**
 * A provider creates and edits its own feeds. See `src/spec/interface.md`, sections 4.7 and 4.8.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { findUsable } from "../api/input/usable_feed.ts";
import { problemOfSave } from "../api/problems/feed_problems.ts";
import { upsertIdOf } from "../feeds/feed_body.ts";
import { type Feeds, seekerOf } from "../feeds/find.ts";
import {
  type SavedDefinition,
  type SaveOutcome,
  type SaveTarget,
  saveFeed,
} from "../feeds/save.ts";
import type { JsonText } from "../lib/json_text.ts";
import type { Services } from "../services.ts";

/** The account that saves, the actor for the audit trail, and an abort signal. */
export interface Saver {
  readonly accountId: string;
  readonly actor: Actor;
  /** Aborts the check of a schema. */
  readonly signal: AbortSignal;
}

export type SaveOrder = SaveTarget & { readonly body: JsonText; readonly isDryRun: boolean };

type Saved = Extract<SaveOutcome, { kind: "saved" | "judged" }>;

/** @throws {Problem} if a create or edit whose body was read is refused */
export async function saveOwnFeed(
  { config, database, rowSchemas, storedFeeds }: Services,
  { accountId, actor, signal }: Saver,
  order: SaveOrder,
): Promise<Saved> {
  const caller = { accountId, signal };
  const saving = {
    database,
    limits: config.limits,
    checkSchema: (schema: string) => rowSchemas.checkSchema(schema, caller),
    compareSchemas: (before: string | null, after: string | null) =>
      rowSchemas.compareSchemas(before, after, caller),
    findWarnings: (definition: SavedDefinition) => rowSchemas.findWarnings(definition, caller),
  };
  const outcome = await saveFeed(saving, { accountId, actor }, order);
  if (outcome.kind === "saved") storedFeeds.forget(outcome.feedId);
  else if (outcome.kind !== "judged") throw problemOfSave(outcome);
  return outcome;
}

/**
 * The feed that a create body names. Ownership can be checked only once the body is parsed, so that happens here first.
 *
 * @throws {Problem} 403
 */
export async function targetOfCreate(
  feeds: Feeds,
  accountId: string,
  body: JsonText,
): Promise<SaveTarget> {
  const feedId = upsertIdOf(body);
  const isNew =
    feedId === undefined || (await feeds.find(seekerOf(accountId), feedId)) === undefined;
  if (isNew) return { feedId, mode: "create" };
  await findUsable(feeds, accountId, feedId);
  return { feedId, mode: "edit" };
}

/** The response of a dry-run edit (`EditJudgementShape`). */
export function judgementOf({ comparison, isSchemaRefused }: Extract<Saved, { kind: "judged" }>) {
  const { compatibility, changes } = comparison;
  const refusedWith = isSchemaRefused ? "SCHEMA_BREAKING" : null;
  return { dry_run: true, compatibility, changes, refused_with: refusedWith };
}
