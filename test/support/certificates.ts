/**
 * Creates certificates of this machine for tests, and finds out which one a gateway presents. Needs `openssl`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";

/** Creates a certificate and its key as files. Returns the certificate's serial number. */
export function makeCertificate(files: { readonly cert: string; readonly key: string }): string {
  const { status, stderr } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ...["-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", files.key, "-out", files.cert],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
  ]);
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return new X509Certificate(readFileSync(files.cert)).serialNumber;
}

/** Resolves when the connection is open. Accepts any certificate. */
export function openTls(baseUrl: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(baseUrl).port);
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () =>
      resolve(socket),
    );
    socket.once("error", reject);
  });
}

/** The serial number of the certificate that a new connection receives. */
export async function servedSerial(baseUrl: string): Promise<string> {
  const socket = await openTls(baseUrl);
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
