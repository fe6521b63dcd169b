import { createExplorer, type Explorer } from '../clients/explorer/createExplorer.ts'
import { zoneBlocks } from '../clients/explorer/endpoints/blocks.ts'
import { crossDetails, crossTransactions } from '../clients/explorer/endpoints/crossRecords.ts'
import { logsByAddress } from '../clients/explorer/endpoints/logs.ts'
import type { Answer } from '../clients/explorer/readAnswer.ts'
import type { Config } from '../config/config.ts'
import type { Observation } from '../domain/observation.ts'
import { formatDuration } from '../lib/duration.ts'
import { type ErrorCode, errorText, MonitorError } from '../lib/errors.ts'
import { createSilentLog } from '../lib/log.ts'
import type { Io } from './io.ts'
import type { OnlineResult } from './checkOnline.ts'

/** The service refuses requests whose time is further off than this. */
const maxClockDifferenceMs = 30_000
/** The Date header counts whole seconds and the answer travels: less than this says nothing. */
const noticeableMs = 5_000

/** The clock difference, and one question each of E3, E5, E12, and of E20 for each contract, with the configured credentials. */
export async function checkExplorer(
  io: Pick<Io, 'clock' | 'stop'>,
  settings: Config['explorer'],
  contracts: readonly string[] = [],
): Promise<OnlineResult[]> {
  const explorer = createExplorer({ ...settings, clock: io.clock, log: createSilentLog() })
  const how = { priority: 'urgent', attempts: 2, signal: io.stop } as const
  try {
    const list = await ask('E3 cross-chain list', () => explorer.call(crossTransactions, { limit: 20 }, how))
    const blocks = await ask('E5 zone blocks', () => explorer.call(zoneBlocks, { limit: 20 }, how))
    const hash = list.answer?.records.find((record: Observation) => record.zoneHash !== null)?.zoneHash
    const details = hash
      ? [
          (await ask('E12 cross-chain detail', () => explorer.call(crossDetails, { txId: [hash] }, how)))
            .result,
        ]
      : []
    const logs: OnlineResult[] = []
    for (const address of contracts) {
      const { result } = await ask(`E20 logs of bridge contract ${address}`, () =>
        explorer.call(logsByAddress, { address }, how),
      )
      logs.push(result.verdict === 'unsure' ? { ...result, remedy: noLogs } : result)
    }
    return [...checkClock(explorer), list.result, blocks.result, ...details, ...logs]
  } finally {
    await explorer.close()
  }
}

const noLogs =
  "A contract that emits nothing cannot be watched: check bridge.contracts. Behind a proxy the logs are the proxy's."

function checkClock(explorer: Explorer): OnlineResult[] {
  const what = `clock of ${explorer.host}`
  const { clockAheadMs } = explorer.health()
  if (clockAheadMs === null) return []
  const difference = formatDuration(Math.abs(clockAheadMs))
  const says = `${difference} ${clockAheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  if (Math.abs(clockAheadMs) < noticeableMs) {
    return [{ what, verdict: 'ok', says: 'agrees with this machine', remedy: null }]
  }
  const remedy =
    'Synchronise the clock of this machine (chrony, systemd-timesyncd): signed requests carry its time.'
  return [
    { what, verdict: Math.abs(clockAheadMs) >= maxClockDifferenceMs ? 'failed' : 'unsure', says, remedy },
  ]
}

async function ask<R>(
  what: string,
  call: () => Promise<Answer<R>>,
): Promise<{ readonly answer: Answer<R> | null; readonly result: OnlineResult }> {
  try {
    const answer = await call()
    return { answer, result: { what, ...judge(answer) } }
  } catch (error) {
    const remedy = error instanceof MonitorError ? (remedies[error.code] ?? null) : null
    return { answer: null, result: { what, verdict: 'failed', says: errorText(error), remedy } }
  }
}

function judge(answer: Answer<unknown>): Omit<OnlineResult, 'what'> {
  const [bad] = answer.quarantined
  if (bad !== undefined) {
    return {
      verdict: 'failed',
      says: `${answer.quarantined.length} of ${answer.records.length + answer.quarantined.length} records cannot be read: ${bad.problem}`,
      remedy: 'Compare explorer.dialect (field names, direction words) with an answer of this deployment.',
    }
  }
  if (answer.empty) {
    return {
      verdict: 'unsure',
      says: 'answered, without any record',
      remedy:
        'Right for a bridge without traffic; else check explorer.chains. Throttling can look like this too: try again.',
    }
  }
  const count = answer.records.length
  return { verdict: 'ok', says: `answered with ${count} record${count === 1 ? '' : 's'}`, remedy: null }
}

const remedies: Readonly<Partial<Record<ErrorCode, string>>> = {
  'source.rejected':
    'The credentials were refused: check explorer.auth (key, secret, passphrase, signer), explorer.dialect.headerPrefix, and the clock.',
  'source.unreachable':
    'Check explorer.baseUrl, name resolution, and whether a firewall or proxy stands between.',
  'source.throttled':
    'The service asks to slow down: lower explorer.pace.maxRequestsPerSecond, or stop what else uses this key.',
  'source.refused': 'The service does not accept the question: check explorer.chains.',
  'source.invalid': 'This is not the explorer API: check explorer.baseUrl and explorer.dialect.path.',
}
