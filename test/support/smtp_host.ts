/**
 * A local mail server that keeps the mails it accepts.
 *
 * @module
 */
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The mail as received. */
  readonly raw: string;
  /** Whether the connection was encrypted. */
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

export interface SmtpHost {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** The addresses of all calls of the hook `onRcptTo`. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export interface SmtpHostOptions {
  /** Refuses a recipient with this response. */
  readonly refuse?: (
    address: string,
    attempt: number,
  ) => { code: number; text: string } | undefined;
  /** Called when the mail has arrived, before it is accepted. */
  readonly beforeAccept?: (raw: string) => Promise<void>;
  /** Called with each part of a mail. Returns whether to break the connection. */
  readonly breaks?: () => boolean;
  readonly login?: { readonly user: string; readonly password: string };
  readonly isSecure?: boolean;
  readonly hasStartTls?: boolean;
  /** @default a free port */
  readonly port?: number;
  readonly host?: string;
}

/** Not a secret, because only these tests serve with this key. Valid for localhost and 127.0.0.1. */
const fileOf = (name: string) =>
  Bun.file(new URL(`../fixtures/document_host/${name}.pem`, import.meta.url)).text();

export const smtpCertificate = () => fileOf("certificate");

export async function startSmtpHost(options: SmtpHostOptions = {}): Promise<SmtpHost> {
  const { refuse, beforeAccept, breaks, login, isSecure = false, hasStartTls = false } = options;
  const received: ReceivedMail[] = [];
  const asked: string[] = [];
  const [key, cert] = await Promise.all([fileOf("key"), fileOf("certificate")]);
  const disabled = [...(hasStartTls ? [] : ["STARTTLS"]), ...(login ? [] : ["AUTH"])];
  const given: SMTPServerOptions = {
    secure: isSecure,
    key,
    cert,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: disabled,
    disableReverseLookup: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(Object.assign(new Error("Authentication failed"), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      const refused = refuse?.(address, asked.filter((each) => each === address).length);
      if (refused === undefined) done();
      else done(Object.assign(new Error(refused.text), { responseCode: refused.code }));
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => {
        parts.push(part);
        if (breaks?.() === true) for (const each of server.connections) each.close();
      });
      stream.on("end", async () => {
        const raw = Buffer.concat(parts).toString();
        await beforeAccept?.(raw);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map((each) => each.address),
          raw,
          isEncrypted: session.secure,
          user: session.user,
        });
        done(null, "queued");
      });
    },
  };
  const server = new SMTPServer(given);
  // A client disconnected during a transfer.
  server.on("error", () => {});
  await new Promise<void>((resolve) =>
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve),
  );
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    received,
    asked,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
