import { toJson } from '../../lib/toJson.ts'
import type { Query } from '../connect.ts'
import type { RowsOf, ShownAlert, ShownCase, ShownDay, ShownRows, ShownTransfer, Walked } from './rows.ts'

/** A column of a table: its type, and what of a row stands there; `as` says how it is read from that. */
interface Column<Row> {
  readonly name: string
  readonly type: string
  readonly as?: (value: string) => string
  readonly of: (row: Row) => unknown
}

const asTime = (value: string) => `to_timestamp(${value} / 1000.0)`
const text = <Row>(name: string, of: (row: Row) => string | null): Column<Row> => ({
  name,
  type: 'text',
  of: (row) => cleanCell(of(row)),
})
const time = <Row>(name: string, of: (row: Row) => number | null): Column<Row> => ({
  name,
  type: 'bigint',
  as: asTime,
  of,
})
const number = <Row>(
  name: string,
  type: 'bigint' | 'integer' | 'numeric',
  of: (row: Row) => number | string | null,
) => ({
  name,
  type,
  of,
})

const transferColumns: readonly Column<ShownTransfer>[] = [
  number('key', 'bigint', ({ key }) => key),
  text('state', ({ state }) => state),
  text('direction', ({ direction }) => direction),
  { name: 'main_hash', type: 'bytea', of: ({ mainHash }) => toBytes(mainHash) },
  { name: 'zone_hash', type: 'bytea', of: ({ zoneHash }) => toBytes(zoneHash) },
  text('token', ({ token }) => token),
  text('symbol', ({ symbol }) => symbol),
  number('amount', 'numeric', ({ amount }) => amount),
  text('sender', ({ sender }) => sender),
  text('recipient', ({ recipient }) => recipient),
  time('origin_at', ({ originAt }) => originAt),
  time('destination_at', ({ destinationAt }) => destinationAt),
]

const caseColumns: readonly Column<ShownCase>[] = [
  number('id', 'bigint', ({ key }) => key),
  text('title', ({ title }) => title),
  text('severity', ({ severity }) => severity),
  text('state', ({ state }) => state),
  text('assignee', ({ assignee }) => assignee),
  text('by', ({ by }) => by),
  number('alerts', 'integer', ({ alerts }) => alerts),
  number('at_risk_usd', 'numeric', ({ atRiskUsd }) => atRiskUsd),
  { name: 'money', type: 'jsonb', of: ({ money }) => toCell(money) },
  time('opened_at', ({ openedAt }) => openedAt),
  time('ended_at', ({ endedAt }) => endedAt),
]

const alertColumns: readonly Column<ShownAlert>[] = [
  number('number', 'bigint', ({ key }) => key),
  text('id', ({ id }) => id),
  number('case_id', 'bigint', ({ caseId }) => caseId),
  text('rule', ({ rule }) => rule),
  text('kind', ({ kind }) => kind),
  text('severity', ({ severity }) => severity),
  text('state', ({ state }) => state),
  text('subject', ({ subject }) => subject),
  text('summary', ({ summary }) => summary),
  number('transfer_key', 'bigint', ({ transferKey }) => transferKey),
  // A list in a list would have to be as long as all others.
  {
    name: 'hashes',
    type: 'text',
    as: (value) =>
      `ARRAY(SELECT decode(h, 'hex') FROM unnest(string_to_array(NULLIF(${value}, ''), ' ')) AS h)`,
    of: ({ hashes }) => hashes.map((hash) => hash.slice(2)).join(' '),
  },
  time('since', ({ since }) => since),
  time('ended_at', ({ endedAt }) => endedAt),
]

const dayColumns: readonly Column<ShownDay>[] = [
  { name: 'day', type: 'text', as: (value) => `${value}::date`, of: ({ day }) => day },
  { name: 'body', type: 'jsonb', of: ({ body }) => toCell(JSON.parse(body)) },
]

/** Puts rows in, over those of the same keys, and takes away what is gone. */
export async function writeRows(query: Query, bridge: string, rows: ShownRows): Promise<void> {
  await write(query, bridge, rows.transfers, { table: 'transfers', key: 'bigint', columns: transferColumns })
  await write(query, bridge, rows.cases, { table: 'cases', key: 'bigint', columns: caseColumns })
  await write(query, bridge, rows.alerts, { table: 'alerts', key: 'bigint', columns: alertColumns })
  await write(query, bridge, rows.days, { table: 'daily', key: 'date', columns: dayColumns, stamp: true })
}

/** The column that each walked table is keyed by. */
const keyNames: Readonly<Record<Walked, string>> = { transfers: 'key', cases: 'id', alerts: 'number' }

/** Takes away what stands between two keys and is none of those that the ledger has there. */
export async function dropOthers(
  query: Query,
  bridge: string,
  of: {
    readonly table: Walked
    readonly after: number
    readonly until: number | null
    readonly kept: readonly number[]
  },
): Promise<void> {
  const key = keyNames[of.table]
  await query(
    `DELETE FROM spanwatch.${of.table} WHERE bridge = $1 AND ${key} > $2 AND ($3::bigint IS NULL OR ${key} <= $3)
     AND NOT ${key} = ANY ($4::bigint[])`,
    [bridge, of.after, of.until, of.kept],
  )
}

async function write<Row, Key>(
  query: Query,
  bridge: string,
  { rows, gone }: RowsOf<Row, Key>,
  of: {
    readonly table: string
    readonly key: string
    readonly columns: readonly Column<Row>[]
    /** Whether it has a column that says when it was written. */
    readonly stamp?: true
  },
): Promise<void> {
  const { table, columns, stamp } = of
  const [key] = columns
  if (key === undefined) return
  if (gone.length > 0)
    await query(`DELETE FROM spanwatch.${table} WHERE bridge = $1 AND ${key.name} = ANY ($2::${of.key}[])`, [
      bridge,
      gone,
    ])
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name)
  const others = names.slice(1)
  const list = (alias: string) => others.map((name) => `${alias}.${name}`).join(', ')
  // What did not change is not written again: most of what is read of a transfer is not shown.
  await query(
    `INSERT INTO spanwatch.${table} AS old (bridge, ${names.join(', ')}${stamp ? ', at' : ''})
     SELECT $1, ${columns.map(({ name, as }) => as?.(`r.${name}`) ?? `r.${name}`).join(', ')}${stamp ? ', clock_timestamp()' : ''}
     FROM unnest(${columns.map(({ type }, index) => `$${index + 2}::${type}[]`).join(', ')}) AS r (${names.join(', ')})
     ON CONFLICT (bridge, ${key.name}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}${stamp ? ', at = excluded.at' : ''}
     WHERE (${list('old')}) IS DISTINCT FROM (${list('excluded')})`,
    [bridge, ...columns.map((column) => rows.map((row) => column.of(row)))],
  )
}

/** Hashes as bytes; what is none, as the bytes of its text. */
function toBytes(hash: string | null): Buffer | null {
  if (hash === null) return null
  return /^0x(?:[0-9a-f]{2})+$/i.test(hash) ? Buffer.from(hash.slice(2), 'hex') : Buffer.from(hash)
}

/** PostgreSQL takes every character but this one. */
function cleanCell(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed()
}

/** JSON without what PostgreSQL refuses in it. */
function toCell(value: unknown): string {
  return JSON.stringify(JSON.parse(toJson(value)), (_, one: unknown) =>
    typeof one === 'string' ? cleanCell(one) : one,
  )
}
