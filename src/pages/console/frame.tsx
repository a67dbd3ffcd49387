/** @jsxImportSource preact */
/**
 * What all pages of the console have around their content: the menu of a role, who is signed in, and messages.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { CONSOLE_LINK, type MenuLink, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { Facts, Message, Text, Time } from "../layout/parts.tsx";
import { Fields } from "./act_form.tsx";
import type { Linked, Role, Session } from "./sessions.ts";
import type { Change, Form, Question, View } from "./visit.ts";

const MENUS: Readonly<Record<Role, readonly MenuLink[]>> = {
  admin: [
    { path: "console", text: "Overview" },
    { path: "console/reviews", text: "Reviews" },
    { path: "console/feeds", text: "Feeds" },
    { path: "console/accounts", text: "Accounts" },
    { path: "console/keys", text: "Find a key" },
    { path: "console/money", text: "Money" },
    { path: "console/audit", text: "Audit" },
  ],
  write: [
    { path: "console", text: "Feeds" },
    { path: "console/earnings", text: "Earnings" },
    { path: "console/new", text: "New feed" },
  ],
  read: [
    { path: "console", text: "Account" },
    { path: "console/catalog", text: "Catalog" },
    { path: "console/usage", text: "Usage" },
    { path: "console/purchases", text: "Bought" },
    { path: "console/own-keys", text: "Keys" },
  ],
};
const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: "operator",
  write: "provider",
  read: "consumer",
};

interface Framed {
  readonly root: string;
  /** The path of the page, without the leading slash. */
  readonly path: string;
  readonly session: Session | undefined;
  readonly view: View;
  /** What was done, or why not. */
  readonly message?: ComponentChildren;
}

/** A page of the console as HTML. */
export function renderFramed({ root, path, session, view, message }: Framed): string {
  const menu = session === undefined ? [...PUBLIC_MENU, CONSOLE_LINK] : MENUS[session.role];
  const current = menu.filter((link) => path === link.path || path.startsWith(`${link.path}/`));
  return renderPage({
    title: view.title,
    root,
    menu,
    current: current.at(-1)?.path ?? "",
    hasCharts: view.hasCharts ?? false,
    ...(session !== undefined && { who: <Who root={root} session={session} /> }),
    children: (
      <>
        {message}
        {view.content}
      </>
    ),
  });
}

function Who({ root, session }: { readonly root: string; readonly session: Session }) {
  return (
    <>
      <span>
        <Text of={session.account?.name ?? session.keyName} /> ({ROLE_NAMES[session.role]})
      </span>
      <form method="post" action={`${root}/console/sign-out`}>
        <button class="plain" type="submit">
          Sign out
        </button>
      </form>
      <form method="post" action={`${root}/console/sign-out`}>
        <button class="plain" type="submit" name="everywhere" value="yes">
          Sign out everywhere
        </button>
      </form>
    </>
  );
}

/** The page where a person signs in. `next`: where it goes on, if not to the console. */
export function signInView(root: string, next?: string): View {
  return {
    title: "Sign in",
    content: (
      <>
        <h1>Sign in</h1>
        <p class="lead">With an API key: what the key may do, you may do here.</p>
        <form class="stack" method="post" action={`${root}/console/sign-in`}>
          {next !== undefined && <input type="hidden" name="next" value={next} />}
          {/* Password managers keep a name beside a password. */}
          <input
            type="text"
            name="username"
            autocomplete="username"
            value="Feedgate"
            hidden
            readOnly
          />
          <div>
            <label for="key">API key</label>
            <input
              id="key"
              name="key"
              type="password"
              autocomplete="current-password"
              spellcheck={false}
              placeholder="fg_read_…, fg_write_… or fg_admin_…"
              required
            />
            <p class="hint">
              A read key shows a consumer's account, a write key a provider's feeds, an admin key
              the whole gateway. A session lasts 12 hours.
            </p>
          </div>
          <div>
            <button type="submit">Sign in</button>
          </div>
        </form>
        <h2>Without a key at hand</h2>
        <p class="text">
          Ask the operator for a link. On the server, <code>feedgate console</code> prints one that
          works once, for 15 minutes.
        </p>
      </>
    ),
  };
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
          {[...form.fields, ...fields].map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="once" value={crypto.randomUUID()} />
          <div class="actions">
            <button type="submit" name="confirmed" value="yes">
              Yes, do it
            </button>
            <button class="quiet" type="submit" name="confirmed" value="no" formNoValidate>
              No, go back
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

const LINKED_AS: Readonly<Record<Role, string>> = {
  admin: "an operator of this gateway",
  write: "a provider: you push and edit the account's feeds",
  read: "a consumer: you read feeds and spend the account's credits",
};

/**
 * Shows whom a link would sign in. Programs that preview the link, and pages of other sites that embed it, can't press
 * the button. The form has no address, so the link's token is not in the page.
 */
export function linkView(linked: Linked, session: Session | undefined): View {
  return {
    title: "Sign in",
    content: (
      <>
        <h1>Sign in with this link?</h1>
        <Facts
          of={{
            Account: linked.accountName !== undefined && <Text of={linked.accountName} />,
            "You act as": LINKED_AS[linked.role],
            "The link works until": <Time of={linked.expiresAt} />,
          }}
        />
        {session !== undefined && (
          <Message tone="warn">
            <p>
              You are signed in as <Text of={session.account?.name ?? session.keyName} /> (
              {ROLE_NAMES[session.role]}). Signing in replaces that session in this browser.
            </p>
          </Message>
        )}
        <form class="stack" method="post">
          <div>
            <button type="submit">Sign in</button>
          </div>
          <p class="hint">
            The link works once. If you don't know who sent it, close this page: what you do after
            signing in belongs to this account.
          </p>
        </form>
      </>
    ),
  };
}
