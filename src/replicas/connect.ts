import { DatabaseError, Pool, type QueryResultRow } from 'pg'
import { codeOf, errorText, MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import { type DatabaseSettings, readAddress } from './address.ts'

/**
 * Asks one statement, of a pool or of a transaction.
 * @throws MonitorError `replica.unreachable`, `replica.refused`
 */
export type Query = <R extends QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<R[]>

/** Connections for one purpose: what is slow in one pool does not hold up another. */
export interface Connections {
  readonly query: Query
  /** All of `work` in one transaction of one connection. */
  readonly transaction: <T>(work: (query: Query) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

export interface PoolLimits {
  readonly most: number
  /** How long one statement may take, ms. */
  readonly timeoutMs: number
}

/** How long opening a connection may take, ms. */
const connectMs = 3_000

export function openConnections(
  settings: DatabaseSettings,
  { most, timeoutMs }: PoolLimits,
  name: string,
): Connections {
  const pool = new Pool({
    ...readAddress(settings),
    max: most,
    connectionTimeoutMillis: connectMs,
    // Here and there: a server that hangs does not cancel by itself, and a path that is cut says nothing.
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + 500,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: cleanText(`spanwatch ${name}`, 60),
  })
  // One that is idle and breaks is opened anew by the next question.
  pool.on('error', ignore)
  const run = async <R extends QueryResultRow>(
    of: Pick<Pool, 'query'>,
    sql: string,
    values: readonly unknown[],
  ) => {
    try {
      const { rows } = await of.query<R>(sql, [...values])
      return rows
    } catch (error) {
      throw toReplicaError(error)
    }
  }
  return {
    query: (sql, values = []) => run(pool, sql, values),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw toReplicaError(error)
      })
      // Between two statements nobody waits for an answer: the next one says that it is broken.
      client.on('error', ignore)
      let problem: unknown = null
      try {
        await run(client, 'BEGIN', [])
        const result = await work((sql, values = []) => run(client, sql, values))
        await run(client, 'COMMIT', [])
        return result
      } catch (error) {
        problem = error
        throw error
      } finally {
        client.off('error', ignore)
        // Closed, it is rolled back.
        client.release(problem !== null)
      }
    },
    close: () => pool.end(),
  }
}

/** What a retry cannot help: rights, names, passwords, what is there. */
const refusedStates = /^(28|3D|3F|42|0A)/

const ignore = () => undefined

/** The system's words, never the address: it holds a password. */
function toReplicaError(error: unknown): MonitorError {
  if (error instanceof MonitorError) return error
  if (error instanceof DatabaseError) {
    const state = error.code ?? ''
    const text = `PostgreSQL says: ${cleanText(error.message, 300)} (${state})`
    if (refusedStates.test(state)) return new MonitorError('replica.refused', `${text}. ${remedyOf(state)}`)
    return new MonitorError('replica.unreachable', text, { retryable: true })
  }
  const code = codeOf(error)
  if (/CERT|SELF_SIGNED|TLS|UNABLE_TO/.test(code) || /does not support SSL/.test(errorText(error)))
    return new MonitorError(
      'replica.refused',
      `PostgreSQL's certificate cannot be verified: ${cleanText(errorText(error), 200)}. Name who signs it with replicas.ca, or write sslmode=disable into the address if nobody else is on that network.`,
    )
  // Several addresses of one name fail as one error without a message.
  const text = errorText(error) || code || 'no answer'
  return new MonitorError('replica.unreachable', `PostgreSQL cannot be reached: ${cleanText(text, 200)}`, {
    retryable: true,
  })
}

function remedyOf(state: string): string {
  if (state.startsWith('28')) return 'Check user and password of replicas.database.'
  if (state === '42P01' || state.startsWith('3F')) return 'Make its tables once: spanwatch replicas setup.'
  return 'docs/replicas.md lists the rights that it needs.'
}
