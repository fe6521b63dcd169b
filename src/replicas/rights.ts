import type { Query } from './connect.ts'

/** What a node does with each table. One that is not named here is written anew as well: what people query. */
const rightsOf: Readonly<Record<string, readonly string[]>> = {
  schema_version: ['SELECT'],
  leases: ['SELECT', 'INSERT', 'UPDATE'],
  changes: ['SELECT', 'INSERT', 'DELETE'],
  snapshots: ['SELECT', 'INSERT', 'DELETE'],
  snapshot_pieces: ['SELECT', 'INSERT', 'DELETE'],
}
const allRights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

interface Needed {
  readonly table: string
  readonly rights: readonly string[]
}

/** What a role needs to run a node, and nothing more, by the tables and views that are there. */
export async function listNeeded(query: Query): Promise<Needed[]> {
  const rows = await query<{ name: string; is_view: boolean }>(
    `SELECT c.relname AS name, c.relkind = 'v' AS is_view FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'spanwatch' AND c.relkind IN ('r', 'p', 'v') ORDER BY c.relkind = 'v', c.oid`,
  )
  return rows.map(({ name, is_view }) => ({
    table: name,
    rights: is_view ? ['SELECT'] : (rightsOf[name] ?? allRights),
  }))
}

/** The statements that give a role what it needs, for whoever owns the tables. */
export function toGrants(role: string, needed: readonly Needed[]): string[] {
  const name = quote(role)
  return [
    `GRANT USAGE ON SCHEMA spanwatch TO ${name};`,
    ...needed.map(
      ({ table, rights }) => `GRANT ${rights.join(', ')} ON spanwatch.${quote(table)} TO ${name};`,
    ),
  ]
}

/** A name that needs no quotes is easier to read without. */
function quote(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** What the role of this connection lacks, such as `INSERT on changes`. */
export async function listLacking(query: Query): Promise<string[]> {
  const [schema] = await query<{ is_usable: boolean }>(
    "SELECT has_schema_privilege('spanwatch', 'USAGE') AS is_usable",
  )
  if (schema?.is_usable !== true) return ['USAGE on the schema spanwatch']
  const needed = await listNeeded(query)
  const pairs = needed.flatMap(({ table, rights }) => rights.map((right) => ({ table, right })))
  const rows = await query<{ what: string }>(
    `SELECT w.right_name || ' on ' || w.table_name AS what
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (table_name, right_name, place)
     WHERE NOT has_table_privilege('spanwatch.' || quote_ident(w.table_name), w.right_name) ORDER BY w.place`,
    [pairs.map(({ table }) => table), pairs.map(({ right }) => right)],
  )
  return rows.map(({ what }) => what)
}

export async function isRole(query: Query, role: string): Promise<boolean> {
  return (await query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])).length > 0
}
