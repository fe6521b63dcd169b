import type { RpcCall, RpcOutcome } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { createWaker } from '../../kernel/running/waker.ts'
import { MonitorError } from '../../lib/errors.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import {
  type Known,
  type Log,
  type LogsRead,
  type ZoneLogs,
  cursorName,
  judge,
  knownName,
  mostKnown,
  slackMs,
  writtenName,
} from './judgeZoneLogs.ts'

interface Head {
  readonly height: number
  readonly at: UnixMs
  /** Block time; null where the node does not say it. */
  readonly time: UnixMs | null
}

/** Blocks asked for at once; fewer where the node refuses so many, or what they hold. */
const mostBlocks = 2_000

const requestsPerRun = 20

/** From one run to the next where the last one did not come to what may be read. */
const pauseMs = 1_000

/**
 * Reads what the bridge's contracts wrote in every block of the zone, for withdrawals that have no record: what a list
 * hides is seen whatever the explorer shows. Blocks are read once records have had the time to follow them; what was
 * not read while the node was away is read afterwards. Which logs mean a withdrawal is learned from those that have a
 * record.
 */
export function createZoneLogsPoll(zone: ZoneLogs): (signal: AbortSignal) => Promise<void> {
  const { clock, db, list } = zone
  const wakeIn = createWaker(zone, 'zoneLogs')
  const heads: Head[] = []
  const width: Width = { span: mostBlocks, most: mostBlocks, answered: 0 }
  return async (signal) => {
    // Of several nodes one answers all of a run: another one may not have come so far.
    const asked = { ...zone, rpc: zone.rpc.session() }
    const head = await readHead(asked, signal)
    heads.push(head)
    const passed = passedHead(heads, clock.now() - zone.settleMs())
    // After a start records of what was written while nothing ran are still being read: without them it would mean nothing.
    if (passed === null || list.readAt === null) return
    const until = passed.height <= head.height ? passed : head
    let next = (readMetaNumber(db, cursorName) ?? until.height) + 1
    let readTo: UnixMs | null = null
    for (
      let requests = 0;
      requests < requestsPerRun && next <= until.height && !signal.aborted;
      requests += 1
    ) {
      const last = Math.min(until.height, next + width.span - 1)
      const before = width.span
      // Also where it does not answer: it may have taken too long over so many.
      width.span = Math.max(1, Math.floor((last - next + 1) / 2))
      const read = await readLogs(asked, { first: next, last }, signal).catch((error: unknown) => {
        width.most = width.span
        throw error
      })
      if (read === 'too much') {
        width.most = width.span
        continue
      }
      widen(width, before)
      const known = compareKnown(asked, read, { first: next, last })
      if (known === 'too few') return
      await judge(asked, { ...read, known }, { first: next, last, at: until.time ?? until.at }, signal)
      next = last + 1
      readTo = read.until
    }
    if (readMetaNumber(db, cursorName) === null) saveMeta(db, cursorName, String(until.height))
    if (next > until.height) return
    wakeIn(pauseMs, signal)
    refuseLag(width, readTo === null ? 0 : until.at - readTo, next)
  }
}

/** @throws MonitorError where what may be read for long is not: the node gives too little at a time for its chain */
function refuseLag({ most }: Width, lagMs: number, next: number): void {
  if (lagMs <= patienceMs) return
  throw new MonitorError(
    'source.refused',
    `the zone's node gives the logs of ${most} blocks at a time: those from block ${next} on, ${Math.floor(lagMs / 60_000)} minutes of them, are still to be read`,
  )
}

/** How many blocks are asked for at once, at most how many, and how often so many were answered. */
interface Width {
  span: number
  most: number
  answered: number
}

/** After so many answers twice as many blocks are tried again. */
const widenAfter = 20

function widen(width: Width, answered: number): void {
  width.span = Math.min(width.most, answered * 2)
  width.answered = answered < width.most ? 0 : width.answered + 1
  if (width.answered < widenAfter) return
  width.most = Math.min(mostBlocks, width.most * 2)
  width.answered = 0
}

/** The newest reading of the head that is old enough; those before it are forgotten. */
function passedHead(heads: Head[], before: UnixMs): Head | null {
  const found = heads.findLastIndex(({ at }) => at <= before)
  if (found === -1) return null
  heads.splice(0, found)
  return heads[0] ?? null
}

async function readHead({ clock, rpc }: ZoneLogs, signal: AbortSignal): Promise<Head> {
  const at = clock.now()
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false], { signal })
  if (block === null || block.number === null)
    throw new MonitorError('source.invalid', 'the newest block of the zone has no number at its node')
  return { height: block.number, at, time: block.timestamp === null ? null : block.timestamp * 1_000 }
}

/**
 * The logs of a range with both of its ends, in one request: behind one address nodes may be unequally far, and one that
 * has not come so far gives the logs of what it has.
 * @throws MonitorError where even one block cannot be asked for, or is not there
 */
async function readLogs(
  { contracts, rpc }: ZoneLogs,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
): Promise<LogsRead | 'too much'> {
  const block = (height: number): RpcCall => ({ method: 'eth_getBlockByNumber', params: [height, false] })
  const filter = { address: [...contracts], fromBlock: first, toBlock: last }
  const [logs, begin, end] = await rpc.callMany(
    [{ method: 'eth_getLogs', params: [filter] }, block(first), block(last)],
    { signal },
  )
  if (!logs || !begin || !end) throw new Error('a batch without its outcomes')
  if (!logs.ok) {
    // Every node has limits of its own, and words of its own for them.
    if (logs.error.details['rpcCode'] === undefined || first === last) throw logs.error
    return 'too much'
  }
  return {
    logs: logs.value as readonly Log[],
    from: timeOf(begin, first),
    until: timeOf(end, last),
  }
}

function timeOf(outcome: RpcOutcome<unknown>, height: number): UnixMs | null {
  if (!outcome.ok) throw outcome.error
  const block = outcome.value as RpcResult<'eth_getBlockByNumber'>
  if (block?.number !== height)
    throw new MonitorError('source.invalid', `the zone's node does not show block ${height}, below its head`)
  return block.timestamp === null ? null : block.timestamp * 1_000
}

/** A range in which so few withdrawals are known is read again later, with more of them, for at most so long. */
const leastKnown = 3

const patienceMs = 600_000

/** Of so many withdrawals known before, so large a share had logs of these contracts: then they write about each. */
const neededKnown = 5

const mostlyWritten = 0.9

/**
 * Compares an answer with the withdrawals that are known to lie in its range: what it lacks of these it may lack of
 * others. One that lacks a few is believed: a record may be forged.
 * @throws MonitorError where it lacks too many
 */
function compareKnown(
  { clock, db, ledger }: ZoneLogs,
  { from, logs, until }: LogsRead,
  { first, last }: { readonly first: number; readonly last: number },
): Known | 'too few' {
  const before = { known: readMetaNumber(db, knownName) ?? 0, written: readMetaNumber(db, writtenName) ?? 0 }
  if (from === null || until === null) return before
  const written = new Set(logs.map(({ transactionHash }) => transactionHash))
  const known = ledger
    .listTransfers({
      direction: 'ZoneToMain',
      originAtOrAfter: from - slackMs,
      originAtOrBefore: until + slackMs,
      limit: mostKnown,
    })
    .flatMap(({ originProof, zone }) => (zone !== null && originProof === 'proven' ? [zone] : []))
    .filter(({ height }) => height !== null && height >= first && height <= last)
  const hashes = new Set(known.map(({ hash }) => hash))
  const lacking = [...hashes].filter((hash) => !written.has(hash))
  const isUsual = before.known >= neededKnown && before.written >= before.known * mostlyWritten
  if (isUsual && lacking.length > 0) {
    if (lacking.length > Math.max(1, hashes.size / 4) && hashes.size >= leastKnown)
      throw new MonitorError(
        'source.empty',
        `eth_getLogs shows nothing of ${lacking.length} of ${hashes.size} withdrawals in blocks ${first} to ${last} of the zone, such as ${lacking[0] ?? ''}: these are read again until it does`,
      )
    if (hashes.size < leastKnown && clock.now() - until < patienceMs) return 'too few'
  }
  return { known: before.known + hashes.size, written: before.written + hashes.size - lacking.length }
}
