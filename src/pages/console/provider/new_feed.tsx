/** @jsxImportSource preact */
/**
 * A new feed: proposed for a file, or described in a short form.
 *
 * @module
 */
import type { FieldError } from "../../../lib/field_error.ts";
import { convertFile, type FileForm, type UnreadableFile } from "../../../push/rows/read_file.ts";
import { counted, digits, Field, Text } from "../../layout/parts.tsx";
import { Fields } from "../act_form.tsx";
import { FeedAsSeen, priceText } from "../feed_as_seen.tsx";
import { mistakeText } from "../mistake_list.tsx";
import type { Acted, Confirmation, Form, PageRoute, Refused, View, Visit } from "../visit.ts";
import {
  checkRows,
  ProposalForm,
  type Proposed,
  proposeFor,
  readingOf,
  withProposal,
} from "./file_proposal.tsx";
import {
  listingAsTyped,
  listingFields,
  listingText,
  marked,
  PriceFields,
  saveListing,
  saveText,
} from "./listing_form.tsx";
import { refusedPush, sendRows } from "./send_rows.tsx";
import { fileOf, hasFile } from "./sent_file.ts";

export const NEW_FEED: PageRoute = {
  path: "new",
  async show(visit, form, refused) {
    // A file that was just chosen and refused is chosen again.
    const isChosen = form?.file !== undefined;
    if (form === undefined || isChosen || !hasFile(form)) return startView(form, refused);
    const proposed = await proposedFor(visit, form);
    return "file" in proposed
      ? proposalView(visit, proposed, form, refused)
      : startView(form, refused);
  },
  acts: {
    look: { look: proposeAgain },
    again: { look: proposeAgain },
    publish: { confirm: confirmPublish, run: publish },
    draft: {
      async run(visit, form) {
        const proposed = await proposedFor(visit, form);
        if (!("file" in proposed)) return proposed;
        return saveListing(visit, form, undefined, "drafted");
      },
    },
    create: { run: (visit, form) => saveListing(visit, form, undefined, "drafted") },
  },
};

/** The proposal for the form's file, or why there is none. */
async function proposedFor(visit: Visit, form: Form): Promise<Proposed | Refused> {
  const file = await fileOf(form);
  if (file === undefined) return { kind: "refused", why: "Select a file first." };
  const { requestBodyBytes: bytesMax } = visit.services.config.limits;
  if (file.bytes.length > bytesMax) {
    const why = `${file.name} has ${digits(file.bytes.length)} bytes; this page accepts up to ${digits(bytesMax)}. For larger files, use the commands feedgate feed init and feedgate push.`;
    return { kind: "refused", why };
  }
  const proposed = await proposeFor(visit, file, form);
  return "kind" in proposed ? refusedFile(proposed, "csv") : proposed;
}

function refusedFile({ why, mistakes }: UnreadableFile, form: FileForm): Refused {
  return {
    kind: "refused",
    why: `${why} Correct the file and select it again.`,
    mistakes: mistakes.map((mistake) => mistakeText(mistake, form)),
  };
}

async function proposeAgain(visit: Visit, form: Form): Promise<Acted> {
  const proposed = await proposedFor(visit, form);
  if (!("file" in proposed)) return proposed;
  return { kind: "show", view: await proposalView(visit, proposed, form, undefined) };
}

async function proposalView(
  visit: Visit,
  proposed: Proposed,
  sent: Form,
  refused: Refused | undefined,
): Promise<View> {
  const form = withProposal(sent, proposed);
  const rows = await checkRows(proposed, readingOf(proposed, form, visit));
  const { name } = proposed.file;
  return {
    title: "New feed",
    content: (
      <>
        <p class="crumbs">
          <a href={`${visit.root}/console/new`}>New feed</a>
        </p>
        <h1>
          New feed from <Text of={name} />
        </h1>
        <p class="lead">
          This is a proposal, and you can change all of it. Nothing is saved until you publish the
          feed or save it as a draft.
        </p>
        <ProposalForm proposed={proposed} form={form} rows={rows} errors={refused?.errors} />
      </>
    ),
  };
}

function startView(form: Form | undefined, refused: Refused | undefined): View {
  const parts = listingFields();
  const isSent = form?.text("act") === "create";
  const sent = isSent ? form : undefined;
  const typed = sent && ((name: string) => sent.typed(name));
  return {
    title: "New feed",
    content: (
      <>
        <h1>New feed</h1>
        <p class="lead">
          Start from a file. The feed's name and fields are proposed from it, and you can edit the
          proposal.
        </p>
        <form class="stack" method="post" encType="multipart/form-data">
          <Field
            label="File"
            name="file"
            hint="CSV, NDJSON, or JSON (an array of rows, or one object), up to 2 MB. The proposal is based on the first 1 MB. Nothing is saved yet."
          >
            <input id="file" name="file" type="file" accept=".csv,.ndjson,.jsonl,.json" required />
          </Field>
          <div class="actions">
            <button type="submit" name="act" value="look">
              Preview the file
            </button>
          </div>
        </form>
        <h2>Without a file</h2>
        <p>It starts as a draft that only you can see. Your first push activates it.</p>
        <form class="stack" method="post" encType="multipart/form-data">
          <Fields fields={parts.listing} typed={typed} />
          <PriceFields form={sent} />
          <details open={isSent}>
            <summary>Schema, sample, category, interval, README</summary>
            <div class="stack">
              <Fields
                fields={marked(
                  [...parts.schema, ...parts.sample, ...parts.more],
                  sent,
                  refused?.errors,
                )}
                typed={typed}
              />
            </div>
          </details>
          <div class="actions">
            <button type="submit" name="act" value="create">
              Save as draft
            </button>
          </div>
        </form>
      </>
    ),
  };
}

async function confirmPublish(form: Form, visit: Visit): Promise<Confirmation> {
  const proposed = await proposedFor(visit, form);
  if (!("file" in proposed)) return proposed;
  const rows = await checkRows(proposed, readingOf(proposed, form, visit));
  const { form: written, isCut, rows: looked } = proposed.looked;
  if (rows.kind === "unreadable" || rows.mistakes.length > 0) {
    return refusedRows(rows.mistakes, written);
  }
  const feed = listingAsTyped(form);
  const { feedType } = proposed.proposal;
  const count = isCut ? `more than ${digits(looked.length)} rows` : counted(looked.length, "row");
  const what = feedType === "singleton" ? "the document" : count;
  return {
    kind: "ask",
    sentence: `“${feed.name}” will contain ${what} from ${proposed.file.name}. Anyone with a read key can then read it at this price: ${priceText(feed)}. The operator will be asked to list it.`,
    details: (
      <>
        <h2>As agents see it</h2>
        <FeedAsSeen feed={feed} />
      </>
    ),
  };
}

function refusedRows(mistakes: readonly FieldError[], form: FileForm): Refused {
  return {
    kind: "refused",
    why: "Nothing was published, because some rows of the file can't be stored. Correct the file and select it again, or save the feed as a draft.",
    mistakes: mistakes.map((mistake) => mistakeText(mistake, form)),
  };
}

/** Makes the feed, pushes the file, and asks for a review. What was made stays if the file is refused. */
async function publish(visit: Visit, form: Form): Promise<Acted> {
  const proposed = await proposedFor(visit, form);
  if (!("file" in proposed)) return proposed;
  const reading = readingOf(proposed, form, visit);
  const converted = await convertFile(proposed.file, reading);
  if (converted.kind === "unreadable") return refusedRows(converted.mistakes, proposed.looked.form);
  const saved = await saveText(visit, listingText(form), { feedId: undefined });
  const { id } = JSON.parse("text" in saved ? saved.text : "{}");
  const way = converted.isDocument ? "push" : "import";
  const { problem } = await sendRows(visit, id, { text: converted.text, way });
  if (problem !== undefined) {
    return { kind: "show", view: refusedPush(visit, { id, problem, form: converted.form }) };
  }
  await saveText(visit, '{"request_review":true}', { feedId: id });
  return { kind: "go", to: `feeds/${id}`, done: "submitted" };
}
