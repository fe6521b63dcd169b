import { MonitorError } from '../lib/errors.ts'
import type { Connections, Query } from './connect.ts'
import { createSchema, schemaVersions } from './schema.ts'

/** What this spanwatch works with. */
export const schemaVersion = schemaVersions.length

/** One who makes the tables keeps others waiting. */
const lockNumber = 7_316_022

/** Makes the tables, or brings them to this version. @returns the version that was there, 0 for none */
export async function setupSchema(connections: Connections): Promise<number> {
  return await connections.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber])
    await query(createSchema)
    const before = await readVersion(query)
    if (before > schemaVersions.length) throw newer(before)
    for (const sql of schemaVersions.slice(before)) await query(sql)
    if (before === 0) await query('INSERT INTO spanwatch.schema_version VALUES ($1)', [schemaVersions.length])
    else await query('UPDATE spanwatch.schema_version SET version = $1', [schemaVersions.length])
    return before
  })
}

/**
 * Makes sure that the tables are those of this version; makes them where the role may.
 * @throws MonitorError `replica.refused` where it may not, `replica.newer` where they are
 */
export async function ensureSchema(connections: Connections): Promise<void> {
  const version = await readSchemaVersion(connections.query)
  if (version > schemaVersions.length) throw newer(version)
  if (version < schemaVersions.length) await setupSchema(connections)
}

/** That of the tables that are there; 0 for none. */
export async function readSchemaVersion(query: Query): Promise<number> {
  // Not by to_regclass: that is an error where the role may not look into the schema.
  const there = await query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'spanwatch' AND c.relname = 'schema_version'`,
  )
  return there.length === 0 ? 0 : await readVersion(query)
}

async function readVersion(query: Query): Promise<number> {
  const rows = await query<{ version: number }>('SELECT version FROM spanwatch.schema_version')
  return rows[0]?.version ?? 0
}

function newer(version: number): MonitorError {
  return new MonitorError(
    'replica.newer',
    `The tables in PostgreSQL are of version ${version}, this spanwatch knows ${schemaVersions.length}: use the newer one.`,
  )
}
