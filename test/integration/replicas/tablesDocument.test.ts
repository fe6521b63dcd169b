import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { openConnections } from '../../../src/replicas/connect.ts'
import { setupSchema } from '../../../src/replicas/setupSchema.ts'
import { postgresBin, type Postgres, startPostgres } from '../../support/startPostgres.ts'
import { listCodes, readDoc } from '../../unit/docs/markdown.ts'

if (postgresBin === null) console.warn('skipped: the document of the tables, PostgreSQL is missing')

/** The columns that a section of the document lists, by the table or view that it is about. */
function readSections(): ReadonlyMap<string, readonly string[]> {
  const sections = readDoc('docs/replicas.md').split(/^### /m).slice(1)
  return new Map(
    sections.map((text) => {
      const [, name = ''] = /^(?:View )?`spanwatch\.(\w+)`/.exec(text) ?? []
      const [, rows = ''] = /\n\|---[^\n]*\n((?:\|[^\n]*\n)*)/.exec(text) ?? []
      return [
        name,
        rows
          .trimEnd()
          .split('\n')
          .flatMap((row) => listCodes(row.split('|')[1] ?? '')),
      ]
    }),
  )
}

const others = 'leases nodes changes snapshots snapshot_pieces requests schema_version shown fleet_reports'

describe.skipIf(postgresBin === null)('docs/replicas.md', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('lists every column of every table and view that people query, and no other', async () => {
    const { query, transaction, close } = openConnections(
      { database: new Secret(postgres.url) },
      { most: 1, timeoutMs: 5_000 },
      'test',
    )
    await setupSchema({ query, transaction, close })
    const columns = await query<{ table_name: string; column_name: string }>(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'spanwatch'
       ORDER BY table_name, ordinal_position`,
    )
    await close()
    const there = Object.groupBy(
      columns.filter(({ table_name }) => !others.split(' ').includes(table_name)),
      ({ table_name }) => table_name,
    )
    const documented = readSections()
    expect([...documented.keys()].toSorted()).toEqual(Object.keys(there).toSorted())
    for (const [name, listed] of documented)
      expect(listed.toSorted(), name).toEqual(there[name]?.map(({ column_name }) => column_name).toSorted())
  })
})
