/**
 * A link between the driver and the database that a test controls.
 *
 * @module
 */
import { type AddressInfo, createConnection, type Server, type Socket } from "node:net";

/** Opens a connection to the database's socket. */
export function connectTo(databaseUrl: string): Socket {
  const { searchParams, port } = new URL(databaseUrl);
  return createConnection(`${searchParams.get("host")}/.s.PGSQL.${port}`);
}

/** The database's address through a server of the test. */
export function throughLink(databaseUrl: string, link: Server): string {
  const url = new URL(databaseUrl);
  url.searchParams.set("host", "127.0.0.1");
  url.port = String((link.address() as AddressInfo).port);
  return url.href;
}
