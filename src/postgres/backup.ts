/**
 * Writes a whole database to one file while it serves, and reads it back into an empty one.
 *
 * The embedded PostgreSQL does not include `pg_dump`, so this is our own format, gzipped text:
 *
 * - a line of JSON: `{"feedgate_backup":1,"schema":<migrations applied>,"fingerprint":<their digest>,
 *   "created_at":…,"tables":[…]}`, each table with its columns and, where it is partitioned, its partitions and
 *   their bounds;
 * - for each table, in that order, its rows in PostgreSQL's COPY text format, one per line, and a line `\.`;
 * - a line of JSON: `{"rows":[<of each table>]}`, which is missing if the file is truncated.
 *
 * Everything is read in one snapshot. Generated columns are omitted and computed again. While rows are restored,
 * triggers are disabled, because the file contains their results, and foreign keys are dropped, because tables are
 * restored in name order. The keys are created again at the end, which validates all rows at once. The owner of the
 * tables may do all of that, so a role of a managed PostgreSQL may. COPY's text format is the same in all versions of
 * PostgreSQL.
 *
 * A file may be malicious, so none of its text becomes part of a statement. Names are looked up in the database,
 * partition bounds are parsed and rebuilt, and rows go through COPY.
 *
 * @module
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "../lib/error_fields.ts";
import type { Connections } from "./client/connect.ts";
import { isBadData, isInvalidDefinition } from "./client/failures.ts";
import { hasOtherGateways } from "./client/other_gateways.ts";
import { MIGRATIONS } from "./generated/statements.ts";
import { findForeignTable, inTransaction } from "./migrate/migrate.ts";
import { digestOf, listTables } from "./migrate/schema_check.ts";

export interface BackupReport {
  readonly tables: number;
  readonly rows: number;
}

/** Progress of a backup or restore. */
export interface BackupOptions {
  /** Called often, with the rows so far and PostgreSQL's estimate of the total, which is 0 if unknown. */
  readonly onRows?: (rows: number, estimated: number) => void;
}

/** The file or the database can't be used. The message says what to do. */
export class BackupRefusedError extends Error {
  override readonly name = "BackupRefusedError";
}

const FORMAT = 1;

const TABLE_SHAPE = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  partitions: Type.Array(Type.Object({ name: Type.String(), bound: Type.String() })),
});
const HEADER = Type.Object({
  feedgate_backup: Type.Literal(FORMAT),
  schema: Type.Integer({ minimum: 1 }),
  /** The first versions wrote none. */
  fingerprint: Type.Optional(Type.String()),
  created_at: Type.Optional(Type.String()),
  tables: Type.Array(TABLE_SHAPE),
});
type TableShape = Static<typeof TABLE_SHAPE>;
type Header = Static<typeof HEADER>;
/** A backup whose header has been read. */
export interface OpenedBackup {
  readonly header: Header;
  /** The lines after the header. */
  readonly lines: AsyncGenerator<Buffer, undefined>;
}

/** The partitions of the usage log, one per month. No other table is partitioned. */
const PARTITION_NAME = /^usage_events_\d{4}_\d{2}$/;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const PARTITION_BOUND = new RegExp(`^FOR VALUES FROM \\('(${UUID})'\\) TO \\('(${UUID})'\\)$`);
const LINE_BREAK = 10;
/** Several times the largest row. A file with a longer line is not a backup. */
const LINE_BYTES_MAX = 64 * 1_024 * 1_024;
/** The line after the last row. No row looks like this. */
const END_OF_TABLE = Buffer.from("\\.\n");
/**
 * The driver returns one row at a time. Passing each to gzip or a socket separately costs more than its compression.
 */
const PIECE_BYTES = 1_024 * 1_024;

/** Writes the whole database to `sink`, which stays open. */
export async function writeBackup(
  connections: Connections,
  sink: Writable,
  { onRows }: BackupOptions = {},
): Promise<BackupReport> {
  const session = await connections.reserve();
  try {
    await session`begin isolation level repeatable read read only`;
    // Before the snapshot is taken, so that no month of the log is dropped while the backup runs.
    await session`lock table usage_events in access share mode`;
    const tables = await readShapes(session);
    const header: Header = {
      feedgate_backup: FORMAT,
      schema: MIGRATIONS.length,
      fingerprint: digestOf(MIGRATIONS),
      created_at: new Date().toISOString(),
      tables,
    };
    await send(sink, `${JSON.stringify(header)}\n`);
    const estimated = await estimateRows(session);
    const rows: number[] = [];
    let total = 0;
    for (const table of tables) {
      const count = await copyOut(session, table, {
        sink,
        onRows: (soFar) => onRows?.(total + soFar, estimated),
      });
      rows.push(count);
      total += count;
    }
    await send(sink, `${JSON.stringify({ rows })}\n`);
    await session`commit`;
    return { tables: tables.length, rows: total };
  } finally {
    session.release();
  }
}

/** Reads the header, whose schema must not be newer than this program's. @throws {BackupRefusedError} */
export async function openBackup(source: AsyncIterable<Uint8Array>): Promise<OpenedBackup> {
  const lines = linesOf(source);
  return { header: parseHeader((await lines.next()).value), lines };
}

/**
 * Refuses a database that something else uses, before anything is changed in it. A database that `migrate` has set up,
 * but that has no accounts or feeds yet, counts as empty.
 * @throws {BackupRefusedError}
 */
export async function refuseUsed(connections: Connections): Promise<void> {
  const table = await findForeignTable(connections);
  if (table !== undefined) {
    throw new BackupRefusedError(
      `the database contains tables of another application (${table}): restore into an empty one`,
    );
  }
}

/**
 * Restores the rest of a backup, all or nothing, into a database of the same schema without accounts and feeds. A
 * gateway that starts during the restore waits.
 * @throws {BackupRefusedError}
 */
export async function readBackup(
  connections: Connections,
  backup: OpenedBackup,
  { onRows = () => {} }: { readonly onRows?: (rows: number) => void } = {},
): Promise<BackupReport> {
  const rows = await inTransaction(connections, (session) => restore(session, backup, onRows));
  return { tables: backup.header.tables.length, rows };
}

async function restore(
  session: Connections,
  { header, lines }: OpenedBackup,
  onRows: (rows: number) => void,
): Promise<number> {
  await refuseFilled(session);
  await refuseOthers(session);
  await refuseOtherSchema(session, header);
  // From here on, all names come from the database, and none from the file.
  const tables = await readShapes(session);
  refuseOtherTables(header, tables);
  const foreignKeys = await dropForeignKeys(session);
  for (const { name } of tables) {
    await session.unsafe(`alter table ${quoted(name)} disable trigger user`);
  }
  await session.unsafe(`truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`);
  for (const { partitions } of header.tables) {
    for (const partition of partitions) {
      await refuseDamage(partition.name, session.unsafe(partitionStatement(partition)));
    }
  }
  const counts: number[] = [];
  let total = 0;
  for (const table of tables) {
    const onTableRows = (soFar: number) => onRows(total + soFar);
    const count = await copyIn(session, table, { lines, onRows: onTableRows });
    counts.push(count);
    total += count;
  }
  const trailer = (await lines.next()).value?.toString() ?? "";
  if (trailer !== `${JSON.stringify({ rows: counts })}\n`) throw cutShort();
  // Reads to the end of the file, where its checksum is.
  if ((await lines.next()).value !== undefined) {
    throw new BackupRefusedError("the backup is damaged: there is data after its end");
  }
  for (const { name } of tables) {
    await session.unsafe(`alter table ${quoted(name)} enable trigger user`);
  }
  for (const { table, statement } of foreignKeys) {
    await refuseDamage(table, session.unsafe(statement));
  }
  await advanceSequences(session);
  await renewIncarnation(session);
  return total;
}

/** Tags and cursors that were issued after the backup must not match those that are issued from now on. */
export async function renewIncarnation(session: Connections): Promise<void> {
  await session`
    insert into settings (name, value)
    values ('incarnation', gen_random_uuid()::text)
    on conflict (name) do update set value = excluded.value`;
}

/** Returns a function that creates them again. */
async function dropForeignKeys(session: Connections) {
  const keys = await session`
    select
      conrelid::regclass::text as table,
      quote_ident(conname) as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where confrelid::regclass::text in ${session(await listTables(session))}
      and contype = 'f'
      and conparentid = 0
    order by conrelid, conname`;
  for (const { table, name } of keys) {
    await session.unsafe(`alter table ${table} drop constraint ${name}`);
  }
  return keys.map(({ table, name, definition }) => ({
    table: String(table),
    statement: `alter table ${table} add constraint ${name} ${definition}`,
  }));
}

function parseHeader(line: Buffer | undefined): Header {
  let header: unknown;
  try {
    header = JSON.parse(line?.toString() ?? "");
  } catch {
    header = undefined;
  }
  if (!Value.Check(HEADER, header)) {
    throw new BackupRefusedError("the file is not a backup that this feedgate can read");
  }
  if (header.schema > MIGRATIONS.length) {
    throw new BackupRefusedError(
      `the backup has schema ${header.schema}, and this feedgate supports up to ${MIGRATIONS.length}: run a newer feedgate`,
    );
  }
  return header;
}

/** The columns of a table's rows. Migrations create the same columns in the same order everywhere. */
function columnsOf({ name, columns }: TableShape) {
  return { name, columns };
}

/** Rebuilt from the parsed bounds. @throws {BackupRefusedError} */
function partitionStatement({ name, bound }: TableShape["partitions"][number]): string {
  const [, from, to] = PARTITION_BOUND.exec(bound) ?? [];
  if (!PARTITION_NAME.test(name) || from === undefined || to === undefined) {
    throw new BackupRefusedError("the backup contains an unknown partition");
  }
  return `create table if not exists ${name} partition of usage_events for values from ('${from}') to ('${to}')`;
}

async function refuseFilled(session: Connections): Promise<void> {
  const found = await session`
    select exists (select from accounts) or exists (select from feeds) as is_filled`;
  if (found[0]?.is_filled !== false) {
    throw new BackupRefusedError(
      "the database already contains accounts: restore into an empty one, for example with --data-dir NEW_FOLDER",
    );
  }
}

/** A running gateway would continue with the old secrets and versions. One that starts now waits for our lock. */
async function refuseOthers(session: Connections): Promise<void> {
  if (!(await hasOtherGateways(session))) return;
  throw new BackupRefusedError(
    "gateways or commands are connected to the database: stop them, then try again",
  );
}

async function refuseOtherSchema(
  session: Connections,
  { schema, fingerprint }: Header,
): Promise<void> {
  const [found] = await session`select max(version) as schema from schema_migrations`;
  if (Number(found?.schema) !== schema) {
    throw new BackupRefusedError(
      `the backup has schema ${schema}, and the database already has ${found?.schema}: restore into an empty database or a new folder, for example with --data-dir NEW_FOLDER`,
    );
  }
  if (fingerprint !== undefined && fingerprint !== digestOf(MIGRATIONS.slice(0, schema))) {
    throw otherSchema(`its schema ${schema} comes from other migrations`);
  }
}

/** @throws {BackupRefusedError} with the first difference */
function refuseOtherTables(header: Header, tables: readonly TableShape[]): void {
  if (Bun.deepEquals(tables.map(columnsOf), header.tables.map(columnsOf))) return;
  for (const { name, columns } of tables) {
    const given = header.tables.find((table) => table.name === name);
    if (given === undefined) throw otherSchema(`it has no table ${name}`);
    const lacking = columns.find((column) => !given.columns.includes(column));
    if (lacking !== undefined) throw otherSchema(`its table ${name} has no column ${lacking}`);
  }
  // The extra name comes from the file, so it is not printed.
  throw otherSchema("it has additional tables or columns, or a different order");
}

function otherSchema(difference: string): BackupRefusedError {
  return new BackupRefusedError(
    `the backup's schema differs from this feedgate's (${difference}): restore it with the feedgate that wrote it`,
  );
}

/**
 * Every table of the schema except partitions, which are read and written through their parent. An operator's own
 * tables are excluded, whatever their names are and whatever the file says about them.
 */
async function readShapes(session: Connections): Promise<TableShape[]> {
  const names = await listTables(session);
  const rows = await session`
    select
      tables.relname as name,
      (
        select json_agg(attname order by attnum)
        from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = ''
      )::text as columns,
      (
        select coalesce(json_agg(
          json_build_object('name', parts.relname, 'bound', pg_get_expr(parts.relpartbound, parts.oid))
          order by parts.relname
        ), '[]')
        from pg_inherits
        join pg_class as parts
          on parts.oid = pg_inherits.inhrelid
        where pg_inherits.inhparent = tables.oid
      )::text as partitions
    from pg_class as tables
    where tables.oid::regclass::text in ${session(names)}
      and not tables.relispartition
    order by tables.relname`;
  return rows.map(({ name, columns, partitions }) => ({
    name,
    columns: JSON.parse(columns),
    partitions: JSON.parse(partitions),
  }));
}

/** Rows of all tables, by PostgreSQL's statistics. */
async function estimateRows(session: Connections): Promise<number> {
  const [found] = await session`
    select coalesce(sum(greatest(reltuples, 0)), 0)::bigint as rows
    from pg_class as stored
    left join pg_inherits
      on pg_inherits.inhrelid = stored.oid
    where coalesce(pg_inherits.inhparent, stored.oid)::regclass::text
        in ${session(await listTables(session))}
      and stored.relkind = 'r'`;
  return Number(found?.rows);
}

async function copyOut(
  session: Connections,
  table: TableShape,
  { sink, onRows }: { readonly sink: Writable; readonly onRows: (rows: number) => void },
): Promise<number> {
  const columns = table.columns.map(quoted).join(", ");
  const statement = `copy (select ${columns} from ${quoted(table.name)}) to stdout`;
  const stream: Readable = await session.unsafe(statement).readable();
  let rows = 0;
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  const chunks: AsyncIterable<Buffer> = stream;
  for await (const chunk of chunks) {
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) {
      rows += 1;
    }
    pieces.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < PIECE_BYTES) continue;
    await send(sink, Buffer.concat(pieces));
    pieces = [];
    heldBytes = 0;
    onRows(rows);
  }
  await send(sink, Buffer.concat([...pieces, END_OF_TABLE]));
  return rows;
}

/** @throws {BackupRefusedError} if the table does not accept the rows. */
async function copyIn(
  session: Connections,
  table: TableShape,
  {
    lines,
    onRows,
  }: { readonly lines: AsyncIterator<Buffer>; readonly onRows: (rows: number) => void },
): Promise<number> {
  let rows = 0;
  async function* rowsOfTable() {
    let pieces: Buffer[] = [];
    let heldBytes = 0;
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) throw cutShort();
      if (line.equals(END_OF_TABLE)) break;
      rows += 1;
      pieces.push(line);
      heldBytes += line.length;
      if (heldBytes < PIECE_BYTES) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      heldBytes = 0;
      onRows(rows);
    }
    if (heldBytes > 0) yield Buffer.concat(pieces);
  }
  const columns = table.columns.map(quoted).join(", ");
  const statement = `copy ${quoted(table.name)} (${columns}) from stdin`;
  const sink = await session.unsafe(statement).writable();
  await refuseDamage(table.name, pipeline(rowsOfTable, sink));
  return rows;
}

/** @throws {BackupRefusedError} if rows violate their table's types or constraints, or if partition bounds overlap. */
async function refuseDamage(table: string, work: PromiseLike<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isBadData(error) && !isInvalidDefinition(error)) throw error;
    throw new BackupRefusedError(`the backup is damaged: ${table}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function advanceSequences(session: Connections): Promise<void> {
  const identities = await session`
    select attrelid::regclass::text as table, attname as column
    from pg_attribute
    join pg_class
      on pg_class.oid = attrelid
    where attrelid::regclass::text in ${session(await listTables(session))} and attidentity <> ''
    order by attrelid`;
  for (const { table, column } of identities) {
    await session.unsafe(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), max(${quoted(column)})) from ${table} having count(*) > 0`,
    );
  }
}

/**
 * The lines of a stream, each with its line end. An incomplete last line is omitted.
 * @throws {BackupRefusedError} if a line is too long to be a row.
 */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk);
    let from = 0;
    for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, from)) {
      const last = bytes.subarray(from, at + 1);
      yield pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      heldBytes = 0;
      from = at + 1;
    }
    pieces.push(bytes.subarray(from));
    heldBytes += bytes.length - from;
    if (heldBytes > LINE_BYTES_MAX) {
      throw new BackupRefusedError("the backup is damaged: a line is longer than any row");
    }
  }
  return undefined;
}

async function send(sink: Writable, text: string | Uint8Array): Promise<void> {
  if (!sink.write(text)) await once(sink, "drain");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function cutShort(): BackupRefusedError {
  return new BackupRefusedError("the backup is truncated or damaged");
}
