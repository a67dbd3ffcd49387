import { waitFor } from "../support/processes.ts";

const READY_MS_MAX = 120_000;
const KEY = /fg_(?:read|write)_[0-9A-Za-z]{38}/;

/** Where a gateway is installed: how its shell runs lines, and the address that it serves at. */
export interface Installed {
  readonly type: (lines: string) => string;
  readonly baseUrl: string;
  readonly dataDir: string;
}

/** Waits until the gateway serves. @throws if it does not */
export async function untilServed({ type, baseUrl }: Installed, log: string): Promise<void> {
  const isReady = await waitFor(
    () =>
      fetch(`${baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    READY_MS_MAX,
  );
  if (!isReady) throw new Error(`it is not ready: ${type(log)}`);
}

/** Makes a feed with the gateway's own commands, and reads it. Returns the key that reads it. */
export async function firstRead(installed: Installed): Promise<string> {
  const { type, baseUrl, dataDir } = installed;
  const own = (words: string) => type(`feedgate ${words} --data-dir ${dataDir}`);
  const keyOf = (text: string) => KEY.exec(text)?.[0] ?? "";
  own("account create --name Provider");
  const writeKey = keyOf(own("key create --account Provider --permission write"));
  const client = `FEEDGATE_URL=${baseUrl} FEEDGATE_KEY=${writeKey} feedgate`;
  type("printf 'id,city,degrees\\n1,Bern,4.5\\n2,Graz,7\\n' > /tmp/temperatures.csv");
  type(`${client} feed init /tmp/temperatures.csv`);
  type(`${client} push temperatures /tmp/temperatures.csv`);
  own("feed publish temperatures");
  own("account create --name Reader");
  const readKey = keyOf(own("key create --account Reader --permission read"));
  await readAgain(installed, readKey);
  return readKey;
}

/** Reads that feed. @throws if its rows are not there */
export async function readAgain({ baseUrl }: Installed, key: string): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/feed/temperatures`, {
    headers: { "x-api-key": key },
  });
  const text = await response.text();
  if (response.status !== 200 || !text.includes("Graz")) throw new Error(`not read: ${text}`);
}
