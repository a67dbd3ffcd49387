/** @jsxImportSource preact */
/**
 * The frame of all pages of the console: the menu of a role, the signed-in visitor, and messages.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { CONSOLE_LINK, type MenuLink, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { Message, Text } from "../layout/parts.tsx";
import { Fields } from "./act_form.tsx";
import type { Role, Session, SignedInPerson } from "./sessions.ts";
import type { Change, Choice, Form, Question, View } from "./visit.ts";

const MENUS: Readonly<Record<Role, readonly MenuLink[]>> = {
  admin: [
    { path: "console", text: "Overview" },
    { path: "console/reviews", text: "Reviews" },
    { path: "console/feeds", text: "Feeds" },
    { path: "console/accounts", text: "Accounts" },
    { path: "console/keys", text: "Find a key" },
    { path: "console/money", text: "Money" },
    { path: "console/webhooks", text: "Notices" },
    { path: "console/audit", text: "Audit" },
  ],
  write: [
    { path: "console", text: "Feeds" },
    { path: "console/earnings", text: "Earnings" },
    { path: "console/new", text: "New feed" },
    { path: "console/feed-notices", text: "Notices" },
  ],
  read: [
    { path: "console", text: "Account" },
    { path: "console/catalog", text: "Catalog" },
    { path: "console/usage", text: "Usage" },
    { path: "console/purchases", text: "Purchases" },
    { path: "console/access", text: "Access" },
    { path: "console/own-keys", text: "Keys" },
    { path: "console/notices", text: "Notices" },
  ],
};
const PERSON_MENU: readonly MenuLink[] = [
  { path: "console", text: "Account" },
  { path: "console/catalog", text: "Catalog" },
  { path: "console/usage", text: "Usage" },
  { path: "console/purchases", text: "Purchases" },
  { path: "console/access", text: "Access" },
  { path: "console/feeds", text: "Feeds" },
  { path: "console/earnings", text: "Earnings" },
  { path: "console/own-keys", text: "Keys" },
  { path: "console/notices", text: "Notices" },
  { path: "console/members", text: "Members" },
  { path: "console/settings", text: "Settings" },
];
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: "operator",
  write: "provider",
  read: "consumer",
};

interface Framed {
  readonly root: string;
  /** The path of the page, without the leading slash. */
  readonly path: string;
  readonly session: Session | undefined;
  /** Somebody who is signed in and acts in no account. */
  readonly person?: SignedInPerson | undefined;
  readonly view: View;
  /** What was done, or why not. */
  readonly message?: ComponentChildren;
}

/** A page of the console as HTML. */
export function renderFramed({ root, path, session, person, view, message }: Framed): string {
  const menu = menuOf(session);
  const current = menu.filter((link) => path === link.path || path.startsWith(`${link.path}/`));
  const isSignedIn = session !== undefined || person !== undefined;
  return renderPage({
    title: view.title,
    root,
    menu,
    current: current.at(-1)?.path ?? "",
    hasCharts: view.hasCharts ?? false,
    live: view.live,
    ...(view.head !== undefined && { head: view.head }),
    ...(isSignedIn && { who: <Who root={root} session={session} person={person} /> }),
    children: (
      <>
        {message}
        {view.content}
      </>
    ),
  });
}

interface SignOutEverywhereProps {
  readonly root: string;
  readonly tone: "plain" | "quiet";
}

export function SignOutEverywhere({ root, tone }: SignOutEverywhereProps) {
  return (
    <form method="post" action={`${root}/console/sign-out`}>
      <button class={tone} type="submit" name="everywhere" value="yes">
        Sign out everywhere
      </button>
    </form>
  );
}

function menuOf(session: Session | undefined): readonly MenuLink[] {
  if (session === undefined) return [...PUBLIC_MENU, CONSOLE_LINK];
  return session.member === undefined ? MENUS[session.role] : PERSON_MENU;
}

interface WhoProps {
  readonly root: string;
  readonly session: Session | undefined;
  readonly person: SignedInPerson | undefined;
}

function Who({ root, session, person: outside }: WhoProps) {
  const person = outside ?? session?.member;
  const account = session?.account?.name ?? session?.keyName;
  return (
    <>
      {person !== undefined && (
        <a href={`${root}/console/you`}>
          <Text of={person.address} />
        </a>
      )}
      {session !== undefined &&
        (session.member === undefined ? (
          <span>
            <Text of={account} /> ({ROLE_NAMES[session.role]})
          </span>
        ) : (
          <a href={`${root}/console/choose`} title="Switch to another account">
            <Text of={account} /> ({session.member.role})
          </a>
        ))}
      <form method="post" action={`${root}/console/sign-out`}>
        <button class="plain" type="submit">
          Sign out
        </button>
      </form>
      {/* A person does so on its own page. */}
      {person === undefined && <SignOutEverywhere root={root} tone="plain" />}
    </>
  );
}

interface Confirming {
  readonly question: Question;
  readonly change: Change;
  readonly form: Form;
  readonly action: string;
}

/** Asks whether the change is meant, and names what will happen. "No" shows the form again with what was typed. */
export function confirmView({ question, change, form, action }: Confirming): View {
  const { sentence, details, fields = [] } = question;
  const given = new Set(fields.map(([name]) => name));
  return {
    title: "Please confirm",
    content: (
      <>
        <h1>Please confirm</h1>
        <div class="note-box warn">
          <p>
            <Text of={sentence} />
          </p>
        </div>
        {details}
        <form class="stack" method="post" encType="multipart/form-data" action={action}>
          <Fields fields={change.asks ?? []} typed={undefined} />
          {[...form.fields.filter(([name]) => !given.has(name)), ...fields].map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="once" value={crypto.randomUUID()} />
          <div class="actions">
            <button type="submit" name="confirmed" value="yes">
              Confirm
            </button>
            <button class="quiet" type="submit" name="confirmed" value="no" formNoValidate>
              Cancel
            </button>
          </div>
        </form>
      </>
    ),
  };
}

interface Choosing {
  readonly choice: Choice;
  readonly form: Form;
  readonly action: string;
}

/** Asks which one was meant. The form is then sent again with the choice. */
export function chooseView({ choice, form, action }: Choosing): View {
  const { field, sentence, choices } = choice;
  return {
    title: "Please choose",
    content: (
      <>
        <h1>Please choose</h1>
        <p class="lead">
          <Text of={sentence} />
        </p>
        <form class="stack" method="post" encType="multipart/form-data" action={action}>
          {form.fields
            .filter(([name]) => name !== field)
            .map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
          {choices.map(({ value, text, note }) => (
            <label class="check">
              <input type="radio" name={field} value={value} required />
              <span>
                <Text of={text} /> <span class="soft small">{note}</span>
              </span>
            </label>
          ))}
          <div class="actions">
            <button type="submit">Continue</button>
            <button class="quiet" type="submit" name="confirmed" value="no" formNoValidate>
              Cancel
            </button>
          </div>
        </form>
      </>
    ),
  };
}

interface NextStep {
  readonly href: string;
  readonly text: string;
}

/** A page that says what is wrong, and leads on. */
export function problemView(title: string, detail: string, next: NextStep): View {
  return {
    title,
    content: (
      <>
        <h1>{title}</h1>
        <Message tone="bad">
          <p>
            <Text of={detail} />
          </p>
        </Message>
        <p>
          <a class="button quiet" href={next.href}>
            {next.text}
          </a>
        </p>
      </>
    ),
  };
}
