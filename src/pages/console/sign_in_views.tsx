/** @jsxImportSource preact */
/**
 * The pages for signing in and joining: by a mailed code, an OpenID Connect provider, a key, or a link.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { MS_PER_MINUTE } from "../../lib/time_units.ts";
import { CODE_DIGITS, CODE_MS, PROVEN_MS } from "../../limits.ts";
import { Facts, Field, Message, Text, Time } from "../layout/parts.tsx";
import { ROLE_NAMES } from "./frame.tsx";
import type { Linked, Role, Session } from "./sessions.ts";
import type { View } from "./visit.ts";
import type { WaitingAgent } from "./waiting_agent.ts";

/** How people sign in at this gateway, besides by key. */
export interface SignInWays {
  readonly hasMail: boolean;
  /** What the OpenID Connect provider is called. Undefined if there is none. */
  readonly openId: string | undefined;
  /** Whether anybody may join. */
  readonly isOpen: boolean;
}

interface SignInView {
  readonly root: string;
  /** Where the sign-in goes on, if not to the console. */
  readonly next: string | undefined;
  readonly ways: SignInWays;
  /** The agent that somebody signs in to connect. */
  readonly waiting?: WaitingAgent | undefined;
  /** The address that was typed, if it was refused. */
  readonly address?: string;
}

/** The page where a person signs in. */
export function signInView({ root, next, ways, waiting, address = "" }: SignInView): View {
  const { hasMail, openId, isOpen } = ways;
  const isPersonal = hasMail || openId !== undefined;
  const title = isPersonal && isOpen ? "Sign in or sign up" : "Sign in";
  return {
    title,
    content: (
      <>
        <h1>{title}</h1>
        {waiting !== undefined && (
          <Message tone="plain">
            <p>
              <strong>
                <Text of={waiting.name} />
              </strong>{" "}
              wants to connect. After you sign in, you decide what it may read and spend.
              {!waiting.isSite && " Its name is not verified."}
            </p>
          </Message>
        )}
        {openId !== undefined && (
          <form class="stack" method="post" action={`${root}/console/sign-in/openid`}>
            <Next to={next} />
            <div>
              <button type="submit">
                Continue with <Text of={openId} />
              </button>
            </div>
          </form>
        )}
        {hasMail && (
          <form class="stack" method="post" action={`${root}/console/sign-in`}>
            <Next to={next} />
            <Field
              label="Email address"
              name="address"
              hint={`We'll email you an ${CODE_DIGITS}-digit code. No password needed.`}
            >
              <input
                id="address"
                name="address"
                type="email"
                autocomplete="email"
                spellcheck={false}
                value={address}
                required
              />
            </Field>
            <div>
              <button type="submit" class={openId === undefined ? undefined : "quiet"}>
                Email me a code
              </button>
            </div>
          </form>
        )}
        {isPersonal ? (
          <details class="folded">
            <summary>Sign in with an API key</summary>
            <KeyForm root={root} next={next} />
          </details>
        ) : (
          <>
            <p class="lead">Sign in with an API key. You can do everything the key permits.</p>
            <KeyForm root={root} next={next} />
            <h2>Don't have a key?</h2>
            <p class="text">
              Ask the operator for a link. On the server, <code>feedgate console</code> prints one
              that works once, for 15 minutes.
            </p>
          </>
        )}
      </>
    ),
  };
}

function Next({ to }: { readonly to: string | undefined }) {
  return to === undefined ? null : <input type="hidden" name="next" value={to} />;
}

function KeyForm({ root, next }: { readonly root: string; readonly next: string | undefined }) {
  return (
    <form class="stack" method="post" action={`${root}/console/sign-in`}>
      <Next to={next} />
      {/* Password managers keep a name beside a password. */}
      <input type="text" name="username" autocomplete="username" value="Feedgate" hidden readOnly />
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
          A read key shows a consumer's account, a write key a provider's feeds, an admin key the
          whole gateway. A session lasts 12 hours.
        </p>
      </div>
      <div>
        <button type="submit">Sign in</button>
      </div>
    </form>
  );
}

interface CodeView {
  readonly root: string;
  readonly next: string | undefined;
  /** Where the code was sent. */
  readonly address: string;
}

/** The page that asks for the code. */
export function codeView({ root, next, address }: CodeView): View {
  return {
    title: "Enter the code",
    content: (
      <>
        <h1>Enter the code</h1>
        <p class="lead">
          We emailed an {CODE_DIGITS}-digit code to <strong>{<Text of={address} />}</strong>. It is
          valid for {CODE_MS / MS_PER_MINUTE} minutes, in this browser only.
        </p>
        <form class="stack" method="post" action={`${root}/console/sign-in/code`}>
          <Next to={next} />
          <Field label="Code" name="code">
            <input
              id="code"
              name="code"
              class="code-input"
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={2 * CODE_DIGITS}
              required
            />
          </Field>
          <div>
            <button type="submit">Sign in</button>
          </div>
        </form>
        <p class="text">
          No email? Check your spam folder, or{" "}
          <a href={`${root}/console/sign-in${queryOf(next)}`}>request another code</a>.
        </p>
      </>
    ),
  };
}

interface JoinView {
  readonly root: string;
  readonly next: string | undefined;
  readonly address: string;
  /** As the provider calls the person, or what was typed. */
  readonly name: string;
  readonly termsUrl: string | undefined;
}

/** The page on which a new person gives a name and agrees to the operator's terms. */
export function joinView({ root, next, address, name, termsUrl }: JoinView): View {
  return {
    title: "Sign up",
    content: (
      <>
        <h1>Welcome</h1>
        <p class="lead">
          You are signing up as <strong>{<Text of={address} />}</strong>. You have{" "}
          {PROVEN_MS / MS_PER_MINUTE} minutes to finish.
        </p>
        <form class="stack" method="post" action={`${root}/console/join`}>
          <Next to={next} />
          <Field
            label="Your name or company"
            name="name"
            hint="Shown to members of your account, and as the provider of your feeds. You can change it later."
          >
            <input
              id="name"
              name="name"
              autocomplete="name"
              maxLength={200}
              value={name}
              required
            />
          </Field>
          {termsUrl !== undefined && (
            <label class="check">
              <input type="checkbox" name="terms" value="yes" required />
              <span>
                I agree to the{" "}
                <a href={termsUrl} rel="noreferrer">
                  terms
                </a>
                .
              </span>
            </label>
          )}
          <div>
            <button type="submit">Create my account</button>
          </div>
        </form>
      </>
    ),
  };
}

/**
 * Goes on by itself. A browser leaves a strict cookie out of a request that another site has led to, but sends it with
 * one from this page.
 */
export function goOnView(href: string): View {
  return {
    title: "Signed in",
    head: <meta http-equiv="refresh" content={`0; url=${href}`} />,
    content: (
      <>
        <h1>Signed in</h1>
        <p>
          <a class="button" href={href}>
            Continue
          </a>
        </p>
      </>
    ),
  };
}

/** Why somebody could not sign in or join, and what to do. */
export function notSignedInView(root: string, why: ComponentChildren): View {
  return {
    title: "Not signed in",
    content: (
      <>
        <h1>Not signed in</h1>
        <Message tone="bad">
          <p>{why}</p>
        </Message>
        <p>
          <a class="button quiet" href={`${root}/console/sign-in`}>
            Back to sign-in
          </a>
        </p>
      </>
    ),
  };
}

export function queryOf(next: string | undefined): string {
  return next === undefined ? "" : `?${new URLSearchParams({ next })}`;
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
            "The link expires at": <Time of={linked.expiresAt} />,
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
            The link works once. If you don't know who sent it, close this page: everything you do
            after signing in is done as this account.
          </p>
        </form>
      </>
    ),
  };
}
