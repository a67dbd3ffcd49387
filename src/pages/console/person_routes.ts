/**
 * Pages of a person that do not belong to an account: choosing an account, and the data stored about the person. See
 * `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { Elysia } from "elysia";
import { listAddressInvitations } from "../../access/account_access.ts";
import { personActor } from "../../accounts/actor.ts";
import { callPlugin } from "../../http/call.ts";
import { urlOf } from "../../http/query_string.ts";
import { Refused } from "../../operator/refused.ts";
import { acceptInvitation, listInvitations, withdrawInvitation } from "../../people/members.ts";
import { readOwnName } from "../../people/own_name.ts";
import { enterAccount, listMemberships, type Person } from "../../people/person_sessions.ts";
import { showPerson } from "../../people/persons.ts";
import type { Services } from "../../services.ts";
import { rootOf } from "../layout/page.tsx";
import { PRIVATE_PAGE_HEADERS } from "../layout/page_headers.ts";
import { readForm } from "./forms.ts";
import { PAGE_ROUTE, type PageAnswers, type Routed } from "./page_answers.ts";
import { messageOf } from "./page_messages.tsx";
import { aboutYouView, personText } from "./person/about_you.tsx";
import { chooseView } from "./person/choose_account.tsx";
import { type Session, type SignedInPerson, visitorOf } from "./sessions.ts";
import { type Done, doneText, type Form } from "./visit.ts";
import { nextOf } from "./visitors.ts";

/** A person who is signed in, in an account or in none. */
interface Visiting {
  readonly context: Routed;
  readonly person: Person & { readonly token: string };
  readonly session: Session | undefined;
}

export function personRoutes(services: Services, { page, shown, goTo }: PageAnswers) {
  const { database } = services;
  const operator = { database, limits: services.config.limits };

  /** The same for a person who is signed in. Whoever is not goes to the sign-in. */
  function shownToPerson(handler: (visiting: Visiting) => Promise<Response>) {
    return shown(async (context) => {
      const { call } = context;
      const { session, person } = await visitorOf(services, call.request);
      const { member } = session ?? {};
      const known: SignedInPerson | undefined =
        person ?? (session && member && { ...member, token: session.token });
      if (known === undefined) {
        // Closing one's only account signs out, and the next page still says that it is closed.
        const done = urlOf(call.request).searchParams.get("done");
        const query = doneText(done) && done ? `?${new URLSearchParams({ done })}` : "";
        return goTo(`${rootOf(pathOf(context))}/console/sign-in${query}`);
      }
      return handler({ context, person: known, session });
    });
  }

  function whoOf({ person, session }: Visiting) {
    return session === undefined ? { person } : { session };
  }

  async function choosePage(visiting: Visiting, more: Shown = {}): Promise<Response> {
    const { context, person, session } = visiting;
    const query = urlOf(context.call.request).searchParams;
    const [memberships, invitations] = await Promise.all([
      listMemberships(database, person.id),
      listInvitations(database, { addressKey: person.addressKey }),
    ]);
    const view = chooseView({
      person,
      memberships,
      invitations,
      current: session?.account?.id,
      next: nextOf(query.get("next")),
    });
    const done = messageOf("good", doneText(query.get("done")));
    return page(context.call, { ...whoOf(visiting), view, message: done, ...more });
  }

  async function choose(visiting: Visiting, form: Form): Promise<Response> {
    const { context, person } = visiting;
    const root = rootOf(pathOf(context));
    const next = nextOf(form.text("next"));
    const invitationId = form.text("invitation_id");
    switch (form.text("act")) {
      case "enter":
        return enter(visiting, form.text("account_id"), `${root}${next ?? "/console"}`);
      case "accept": {
        const accepted = { invitationId, personId: person.id };
        const accountId = await acceptInvitation(database, accepted);
        const to = next ?? `/console?done=${"joined" satisfies Done}`;
        return enter(visiting, accountId, `${root}${to}`);
      }
      case "decline": {
        const by = { personId: person.id, actor: personActor(person.id) };
        await withdrawInvitation(database, invitationId, by);
        return goTo(`${root}/console/choose?done=${"declined_invitation" satisfies Done}`);
      }
      default:
        return choosePage(visiting);
    }
  }

  async function enter(visiting: Visiting, accountId: string, to: string): Promise<Response> {
    const { token } = visiting.person;
    const outcome = await enterAccount(database, { token, accountId });
    switch (outcome) {
      case "entered":
        return goTo(to);
      case "suspended":
        return refused(
          visiting,
          "This account is suspended. Its owner can ask the operator for the reason.",
        );
      default:
        return refused(visiting, "You are no longer a member of this account.");
    }
  }

  function refused(visiting: Visiting, why: string): Promise<Response> {
    return choosePage(visiting, { message: messageOf("bad", why), status: 422 });
  }

  return new Elysia({ name: "persons" })
    .use(callPlugin())
    .get("/console/choose", shownToPerson(choosePage), PAGE_ROUTE)
    .post(
      "/console/choose",
      shownToPerson(async (visiting) => {
        const { call, server = null } = visiting.context;
        const form = await readForm(services, call, { server });
        try {
          return await choose(visiting, form);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return refused(visiting, "This invitation has expired or was withdrawn.");
        }
      }),
      PAGE_ROUTE,
    )
    .get(
      "/console/you",
      shownToPerson(async (visiting) => {
        const { context, person } = visiting;
        const kept = await showPerson(operator, { person: person.id });
        const query = urlOf(context.call.request).searchParams;
        if (query.get("download") === "json") {
          const { addressKey } = person;
          const [invitations, toFeeds, sessions, signIns, mailChoices] = await Promise.all([
            listInvitations(database, { addressKey }),
            listAddressInvitations(database, addressKey),
            database.rows("list_person_sessions", { person_id: person.id }),
            database.rows("list_person_proofs", { address_key: addressKey }),
            database.rows("list_person_mail_choices", { person_id: person.id }),
          ]);
          const text = personText(kept, {
            invitations,
            feed_invitations: toFeeds,
            sessions,
            sign_ins: signIns,
            mail_choices: mailChoices,
          });
          const headers = {
            ...PRIVATE_PAGE_HEADERS,
            "Content-Type": "application/json",
            "Content-Disposition": 'attachment; filename="feedgate-person.json"',
          };
          return new Response(text, { headers });
        }
        const message = messageOf("good", doneText(query.get("done")));
        return page(context.call, { ...whoOf(visiting), view: aboutYouView(kept), message });
      }),
      PAGE_ROUTE,
    )
    .post(
      "/console/you",
      shownToPerson(async (visiting) => {
        const { context, person } = visiting;
        const form = await readForm(services, context.call, { server: context.server ?? null });
        const named = readOwnName(form.text("name"));
        if (named.kind === "refused") {
          const view = aboutYouView(await showPerson(operator, { person: person.id }), form);
          const message = messageOf("bad", named.why);
          return page(context.call, { ...whoOf(visiting), view, message, status: 422 });
        }
        await database.row("edit_person", { person_id: person.id, name: named.name });
        return goTo(`you?done=${"edited" satisfies Done}`);
      }),
      PAGE_ROUTE,
    );
}

interface Shown {
  readonly message?: ReturnType<typeof messageOf>;
  readonly status?: number;
}

function pathOf({ call }: Routed): string {
  return urlOf(call.request).pathname;
}
