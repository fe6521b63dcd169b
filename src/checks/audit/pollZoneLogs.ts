import type { Rpc, RpcCall, RpcOutcome } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { meansWithdrawal, type SeenActions } from '../../ledger/lessons/withdrawActions.ts'
import { countAction, readActions } from '../../ledger/lessons/zoneActions.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { addLack, type Lack, toLack } from './store.ts'
import { toZoneAction } from './zoneAction.ts'
import { noteZoneBlocks } from './zoneStore.ts'

interface ZoneLogs
  extends Pick<Kernel, 'clock' | 'commit' | 'db' | 'ledger' | 'list' | 'numbers' | 'settleMs' | 'tellSince'> {
  readonly rpc: Pick<Rpc, 'call' | 'callMany' | 'session'>
  /** Of the zone: those that write a log about each withdrawal. */
  readonly contracts: readonly string[]
}

type Log = RpcResult<'eth_getLogs'>[number]

/** A transaction of one block with what the contracts wrote about it. */
interface Written {
  readonly hash: string
  readonly height: number
  readonly logs: readonly Log[]
}

interface Head {
  readonly height: number
  readonly at: UnixMs
  /** Block time; null where the node does not say it. */
  readonly time: UnixMs | null
}

/** Blocks asked for at once; fewer where the node refuses so many, or what they hold. */
const mostBlocks = 2_000
const requestsPerRun = 20
const cursorName = 'zone_logs_height'

/**
 * Reads what the bridge's contracts wrote in every block of the zone, for withdrawals that have no record: what a list
 * hides is seen whatever the explorer shows. Blocks are read once records have had the time to follow them; what was
 * not read while the node was away is read afterwards. Which logs mean a withdrawal is learned from those that have a
 * record.
 */
export function createZoneLogsPoll(zone: ZoneLogs): (signal: AbortSignal) => Promise<void> {
  const { clock, db, list } = zone
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
      if (read === 'too much') continue
      widen(width, before)
      const known = compareKnown(asked, read, { first: next, last })
      if (known === 'too few') break
      await judge(asked, { ...read, known }, { first: next, last, at: until.time ?? until.at }, signal)
      next = last + 1
    }
    if (readMetaNumber(db, cursorName) === null) saveMeta(db, cursorName, String(until.height))
  }
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

interface LogsRead {
  readonly logs: readonly Log[]
  /** Block times of both ends; null where the node does not say them. */
  readonly from: UnixMs | null
  readonly until: UnixMs | null
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
const knownName = 'zone_logs_known'
const writtenName = 'zone_logs_written'

/** Withdrawals that were known in what was read, and how many of them had logs. */
interface Known {
  readonly known: number
  readonly written: number
}

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

/** Block times are whole seconds. */
const slackMs = 2_000
const mostKnown = 2_000

async function judge(
  zone: ZoneLogs,
  { logs, known }: Pick<LogsRead, 'logs'> & { readonly known: Known },
  span: { readonly first: number; readonly last: number; readonly at: UnixMs },
  signal: AbortSignal,
): Promise<void> {
  const { clock, commit, db, tellSince } = zone
  const requestedAt = zone.numbers.next()
  const judged = groupLogs(logs).map((written) => ({ written, kind: kindOf(zone, written) }))
  const seen = tally(db, judged)
  const hidden = judged.filter(
    ({ written, kind }) => kind === null && clock.now() >= tellSince && meansLeaving(seen, written),
  )
  const lacks: Lack[] = []
  for (const { written } of hidden)
    lacks.push(toLack(await toAction(zone, written, requestedAt, signal), 'action', clock.now()))
  commit({
    apply: () => {
      for (const { written, kind } of judged)
        for (const word of wordsOf(written)) countAction(db, word, toSeen(kind))
      for (const lack of lacks) addLack(db, lack)
      noteZoneBlocks(db, span.at, { read: span.last - span.first + 1, ...span })
      saveMeta(db, cursorName, String(span.last))
      saveMeta(db, knownName, String(known.known))
      saveMeta(db, writtenName, String(known.written))
      return []
    },
  })
}

function groupLogs(logs: readonly Log[]): Written[] {
  const groups = Map.groupBy(
    logs.filter(({ removed }) => !removed),
    ({ transactionHash }) => transactionHash,
  )
  return [...groups].map(([hash, own]) => ({ hash, height: own[0]?.blockNumber ?? 0, logs: own }))
}

/** Which way the ledger knows a transaction to cross; null for what it does not know. */
type Kind = 'withdrawal' | 'deposit' | null

function kindOf({ ledger }: ZoneLogs, { hash }: Written): Kind {
  const known = ledger.listTransfers({ hash, limit: 20 })
  if (known.some(({ direction }) => direction === 'ZoneToMain')) return 'withdrawal'
  return known.length > 0 ? 'deposit' : null
}

/** What was seen of each word before, and is now. */
function tally(
  db: Kernel['db'],
  judged: readonly { readonly written: Written; readonly kind: Kind }[],
): ReadonlyMap<string, SeenActions> {
  const seen = new Map<string, SeenActions>()
  for (const { written, kind } of judged)
    for (const word of wordsOf(written)) {
      const before = seen.get(word) ?? readActions(db, word)
      const { matched, unmatched } = toSeen(kind)
      seen.set(word, { matched: before.matched + matched, unmatched: before.unmatched + unmatched })
    }
  return seen
}

function toSeen(kind: Kind): SeenActions {
  return kind === 'withdrawal' ? { matched: 1, unmatched: 0 } : { matched: 0, unmatched: 1 }
}

function meansLeaving(seen: ReadonlyMap<string, SeenActions>, written: Written): boolean {
  return wordsOf(written).some((word) => {
    const counts = seen.get(word) ?? { matched: 0, unmatched: 0 }
    return meansWithdrawal({ ...counts, withdrawals: counts.matched, deposits: 0 })
  })
}

const nobody = `0x${'0'.repeat(64)}`

/** What its logs are called: a token's Transfer to nobody is another word than one between people. */
function wordsOf({ logs }: Written): string[] {
  const words = logs.flatMap(({ address, topics: [topic, , to] }) =>
    topic === undefined ? [] : [`log ${address} ${topic}${to === nobody ? ' to nobody' : ''}`],
  )
  return [...new Set(words)]
}

/** Its block says when it happened: few have to be asked for. */
async function toAction(
  { clock, rpc }: ZoneLogs,
  { hash, height }: Written,
  requestedAt: UnixMs,
  signal: AbortSignal,
) {
  const block = await rpc.call('eth_getBlockByNumber', [height, false], { signal })
  const seconds = block?.timestamp ?? null
  return toZoneAction({
    requestedAt,
    zoneHash: hash,
    zoneHeight: height,
    zoneTime: seconds === null ? clock.now() : seconds * 1_000,
    zoneBlockHash: block?.hash ?? null,
    sourceAddress: '',
    value: '',
    amountRaw: null,
  })
}
