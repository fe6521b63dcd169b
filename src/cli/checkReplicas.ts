import { errorText, MonitorError } from '../lib/errors.ts'
import type { Config } from '../config/config.ts'
import { openConnections, type Query } from '../replicas/connect.ts'
import { readCa } from '../replicas/readCa.ts'
import { listLacking } from '../replicas/rights.ts'
import { readSchemaVersion, schemaVersion } from '../replicas/setupSchema.ts'
import type { OnlineResult } from './onlineResult.ts'

type Settings = NonNullable<Config['replicas']>

const timeoutMs = 10_000

/** Whether PostgreSQL answers, how it is spoken to, and whether a node has what it needs there. */
export async function checkReplicas({ database, caFile }: Settings): Promise<OnlineResult> {
  const what = `replicas, PostgreSQL at ${new URL(database.reveal()).host}`
  let connections: ReturnType<typeof openConnections> | null = null
  try {
    connections = openConnections({ database, ca: readCa(caFile) }, { most: 1, timeoutMs }, 'check')
    return { what, ...(await ask(connections.query)) }
  } catch (error) {
    const isAway = error instanceof MonitorError && error.code === 'replica.unreachable'
    const remedy = isAway
      ? 'Check replicas.database, name resolution, and whether a firewall stands between.'
      : 'See docs/replicas.md.'
    return { what, verdict: 'failed', says: errorText(error), remedy }
  } finally {
    await connections?.close()
  }
}

async function ask(query: Query): Promise<Omit<OnlineResult, 'what'>> {
  const [row] = await query<{ is_tls: boolean | null; may_create: boolean }>(
    `SELECT (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS is_tls,
       has_database_privilege(current_database(), 'CREATE') AS may_create`,
  )
  const answers = `answers, ${row?.is_tls === true ? 'TLS with a verified certificate' : 'in the clear'}`
  const version = await readSchemaVersion(query)
  if (version === 0) {
    return row?.may_create === true
      ? { verdict: 'ok', says: `${answers}, no tables yet: the first node makes them`, remedy: null }
      : failed(`${answers}, no tables yet, and this role may not make them`, setupRemedy)
  }
  const says = `${answers}, tables of version ${version}`
  if (version > schemaVersion)
    return failed(`${says}, this spanwatch knows ${schemaVersion}`, 'Use the newer one.')
  if (version < schemaVersion) return failed(`${says}, this spanwatch needs ${schemaVersion}`, setupRemedy)
  const lacking = await listLacking(query)
  return lacking.length === 0
    ? { verdict: 'ok', says: `${says}, all rights that a node needs`, remedy: null }
    : failed(
        `${says}; the role lacks ${lacking.join(', ')}`,
        'spanwatch replicas setup prints the rights to give it.',
      )
}

const setupRemedy = 'Make them once: spanwatch replicas setup, with the address of a role that may.'

function failed(says: string, remedy: string): Omit<OnlineResult, 'what'> {
  return { verdict: 'failed', says, remedy }
}
