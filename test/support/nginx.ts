/**
 * Runs an installed nginx with its own folder.
 *
 * @module
 */
import { join } from "node:path";

/** The path of nginx, or null if it is not installed. */
export const NGINX = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });

/** The text of `nginx.conf`: the contents of its `http` context, and the lines before it. */
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

/** Resolves when nginx responds. */
export async function untilAnswering(address: string): Promise<void> {
  while ((await fetch(address).catch(() => undefined)) === undefined) await Bun.sleep(20);
}
