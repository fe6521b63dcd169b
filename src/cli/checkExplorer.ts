import { type CallOptions, createExplorer, type Explorer } from '../clients/explorer/createExplorer.ts'
import { describeLacks } from '../clients/explorer/describeLacks.ts'
import type { Dialect } from '../clients/explorer/dialect.ts'
import { mainBlockDetail, zoneBlocks } from '../clients/explorer/endpoints/blocks.ts'
import { crossDetails, crossTransactions } from '../clients/explorer/endpoints/crossRecords.ts'
import { logsByAddress } from '../clients/explorer/endpoints/logs.ts'
import { blockTransactions } from '../clients/explorer/endpoints/mainTransactions.ts'
import { manyTransactionsTransfers } from '../clients/explorer/endpoints/mainTransfers.ts'
import { zoneTransactions } from '../clients/explorer/endpoints/zoneTransactions.ts'
import type { Answer } from '../clients/explorer/readAnswer.ts'
import type { Config } from '../config/config.ts'
import type { Observation } from '../bridge/observation.ts'
import { formatDuration } from '../lib/duration.ts'
import { type ErrorCode, errorText, MonitorError } from '../lib/errors.ts'
import { createSilentLog } from '../lib/log.ts'
import type { Io } from './io.ts'
import type { OnlineResult } from './onlineResult.ts'

/** The service refuses requests whose time is further off than this. */
const maxClockDifferenceMs = 30_000
/** What came, and what it means. */
type Ask = <R>(
  what: string,
  call: () => Promise<Answer<R>>,
) => Promise<{ readonly answer: Answer<R> | null; readonly result: OnlineResult }>

/** A block as the explorer shows it: a node of the same chain has the same one. */
export interface ShownBlock {
  readonly height: number
  readonly hash: string
}

/** What was tried, and a block of each chain; null where the answers name none. */
export interface ExplorerCheck {
  readonly results: readonly OnlineResult[]
  readonly shown: { readonly main: ShownBlock | null; readonly zone: ShownBlock | null }
}

/** The Date header counts whole seconds and the answer travels: less than this says nothing. */
const noticeableMs = 5_000

/**
 * The clock difference, and one question of every endpoint in use that a listed record or a contract gives a question
 * for, with the configured credentials: each answer is compared with the dialect.
 */
export async function checkExplorer(
  io: Pick<Io, 'clock' | 'stop'>,
  settings: Omit<Config['explorer'], 'name' | 'others' | 'quorum'>,
  contracts: readonly string[] = [],
): Promise<ExplorerCheck> {
  const explorer = createExplorer({ ...settings, clock: io.clock, log: createSilentLog() })
  const how = { priority: 'urgent', attempts: 2, signal: io.stop } as const
  const ask: Ask = (what, call) => askWith(settings.dialect, what, call)
  try {
    const list = await ask('E3 cross-chain list', () => explorer.call(crossTransactions, { limit: 20 }, how))
    const blocks = await ask('E5 zone blocks', () => explorer.call(zoneBlocks, { limit: 20 }, how))
    const of = readSample(list.answer?.records ?? [])
    const asked: OnlineResult[] = []
    const main = await ask('E11 main block', () =>
      explorer.call(mainBlockDetail, { height: of.height ?? 1 }, how),
    )
    const { ofZone, ofMain } = listQuestions(explorer, of, how)
    for (const [what, question] of ofZone) asked.push((await ask(what, question)).result)
    asked.push(main.result)
    for (const [what, question] of ofMain) asked.push((await ask(what, question)).result)
    const logs: OnlineResult[] = []
    for (const address of contracts) {
      const { result } = await ask(`E20 logs of bridge contract ${address}`, () =>
        explorer.call(logsByAddress, { address }, how),
      )
      logs.push(result.verdict === 'unsure' ? { ...result, remedy: noLogs } : result)
    }
    const results = [list.result, blocks.result, ...asked, ...logs]
    return {
      results: [...checkClock(explorer), ...results.map((result) => namePath(result, results))],
      // The oldest of a page of newest ones: a node that lags a little knows it.
      shown: {
        main: toShown(main.answer?.records ?? []),
        zone: toShown((blocks.answer?.records ?? []).toReversed()),
      },
    }
  } finally {
    await explorer.close()
  }
}

/** Hashes and a height that the list names: what is asked for by them should be there. */
function readSample(records: readonly Observation[]) {
  const whole = records.find(({ mainHash, zoneHash }) => mainHash !== null && zoneHash !== null)
  const { mainHash = null, zoneHash = null, mainHeight = null } = whole ?? records[0] ?? {}
  return { main: mainHash ?? '', zone: zoneHash ?? '', height: mainHeight }
}

function toShown(
  blocks: readonly { readonly height: number; readonly hash: string | null }[],
): ShownBlock | null {
  const found = blocks.find(({ hash }) => hash !== null)
  return found === undefined || found.hash === null ? null : { height: found.height, hash: found.hash }
}

type Question = readonly [string, () => Promise<Answer<unknown>>]

/** What the sample gives a question for. */
function listQuestions(
  explorer: Explorer,
  { main, zone, height }: ReturnType<typeof readSample>,
  how: CallOptions,
): { readonly ofZone: readonly Question[]; readonly ofMain: readonly Question[] } {
  const range = { startBlockHeight: height ?? 1, endBlockHeight: height ?? 1, limit: 20 }
  const ofZone = [
    ['E12 cross-chain detail', () => explorer.call(crossDetails, { txId: [zone] }, how)],
    ['E9 zone transaction', () => explorer.call(zoneTransactions, { txId: [zone] }, how)],
  ] as const
  const ofMain = [
    ['E13 token transfers', () => explorer.call(manyTransactionsTransfers, { txId: [main] }, how)],
    ['E7 transactions of a block', () => explorer.call(blockTransactions, range, how)],
  ] as const
  return { ofZone: zone === '' ? [] : ofZone, ofMain: main === '' || height === null ? [] : ofMain }
}

const noPath = 'there is no such path'

/** Which of the two path words it is: the main chain's stands in every path, the zone's in its own alone. */
function namePath(result: OnlineResult, all: readonly OnlineResult[]): OnlineResult {
  if (!result.says.includes(noPath)) return result
  const isMainFound = all.some(({ what, says }) => what.startsWith('E11') && !says.includes(noPath))
  const word = isMainFound ? 'explorer.dialect.path.zone' : 'explorer.dialect.path.main, or explorer.baseUrl,'
  return { ...result, remedy: `${word} does not fit this deployment.` }
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

/** What a service that misses a header tells of how its headers are called. */
function advisePrefix({ details: { headerPrefix } }: MonitorError): string | null {
  return headerPrefix === undefined
    ? null
    : `Set explorer.dialect.headerPrefix: ${headerPrefix}, if it is not; else check explorer.auth.`
}

async function askWith<R>(
  dialect: Dialect,
  what: string,
  call: () => Promise<Answer<R>>,
): Promise<{ readonly answer: Answer<R> | null; readonly result: OnlineResult }> {
  try {
    const answer = await call()
    return { answer, result: { what, ...judge(answer, dialect) } }
  } catch (error) {
    const remedy =
      error instanceof MonitorError ? (advisePrefix(error) ?? remedies[error.code] ?? null) : null
    return { answer: null, result: { what, verdict: 'failed', says: errorText(error), remedy } }
  }
}

function judge(answer: Answer<unknown>, dialect: Dialect): Omit<OnlineResult, 'what'> {
  const { endpoint, requestedAt } = answer
  const noted = { endpoint, firstAt: requestedAt, lastAt: requestedAt, isStill: true, seenAt: null }
  const lacks = describeLacks(
    dialect,
    answer.lacks.map((lack) => ({ ...lack, ...noted })),
  )
  if (lacks.length > 0) {
    return {
      verdict: lacks.some(({ use }) => use === 'judged') ? 'failed' : 'unsure',
      says: lacks.map(({ problem }) => problem).join('; '),
      remedy:
        'Compare explorer.dialect with an answer of this deployment: what rests on these keys is not judged.',
    }
  }
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
