/**
 * An nginx of this machine that writes into a folder of its own.
 *
 * @module
 */
import { join } from "node:path";

/** Null if it is not installed. */
export const NGINX = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });

/** The text of `nginx.conf`: what its `http` context holds, and what stands before it. */
export function nginxConfiguration(folder: string, http: string, main = ""): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((each) => `${each}_temp_path ${join(folder, each)};`)
    .join("\n");
  return `${main}
pid ${join(folder, "pid")};
error_log stderr;
events { worker_connections 4096; }
http {
access_log off;
${paths}
${http}
}
`;
}

/** Resolves once it answers. */
export async function untilAnswering(address: string): Promise<void> {
  while ((await fetch(address).catch(() => undefined)) === undefined) await Bun.sleep(20);
}
