import { isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import { readHeight } from '../../kernel/heads/heads.ts'
import { maxSpanBlocks, readSpan, type SpanRead, splitSpan } from '../../kernel/reads/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { isSetAside } from '../../lib/errors.ts'
import { findBirth } from './findBirth.ts'
import { findLostActs, forgetGoneControl, type LostActs, takeBackActs } from './goneLogs.ts'
import { shownLogs } from './logLag.ts'
import { newestOf, toControl } from './logPlaces.ts'
import { type ContractProgress, readProgress, saveGap, saveProgress } from './progressStore.ts'
import { takeLogs, type WatchedContract } from './takeLogs.ts'

/** Read again at every tick, because a service indexes logs late; and from time to time more of it. */
const overlapBlocks = 60
const deepOverlapBlocks = 900
const deepEvery = 8
/**
 * The newest known log is read again with every range when it lies so near: whoever holds it back is caught, and what was
 * emitted while the logs stood still for so long is read once they go on.
 */
const reachBlocks = 9_000
/** How much of the past the very first reading takes; the rest is read backwards, without hurry. */
const firstBlocks = 3_600
/** For how many blocks a contract has no logs before what is not proven to be empty is kept for later. */
const quietBlocks = 5_000

/**
 * Follows the newest logs of one contract. The range always ends at the head and begins before what was read last, if
 * possible at a log that is known, so that an empty answer contradicts itself. Where nothing is known to be, the
 * cursor waits until the range was empty by the rules of absence; the logs behind it are seen at once all the same.
 */
export function followContract(contract: WatchedContract): (options: ReadOptions) => Promise<void> {
  const { address, commit, db, log } = contract
  let ticks = 0
  let turn = 0
  let hidden = 0
  const lost: LostActs = new Map()
  return async (options) => {
    const head = readHeight(db, 'main')
    if (head === null) return
    const before = readProgress(db, address)
    const isDeep = (ticks += 1) % deepEvery === 0
    const wanted = chooseSpan(before, head, isDeep ? deepOverlapBlocks : overlapBlocks)
    const cut = Math.max(wanted.first, wanted.last - maxSpanBlocks + 1)
    const span = { first: cut, last: wanted.last }
    const read = await readAbove(contract, span, before.lastLogHeight, options)
    // An answer that found nothing because nothing could be asked moves nothing.
    if (read.logs.length === 0 && read.missed.length > 0) {
      // Once it may be throttling in disguise, which hides what is there now and then.
      hidden += 1
      if (hidden >= leastHidden && (await forgetGoneControl(contract, span, options))) return
      turn = await readActs(contract, { turn, first: cut }, options)
      throw read.error ?? incomplete(address, wanted)
    }
    hidden = 0
    if (read.missed.length === 0) noteRead(contract, read, span)
    if (isLagging(contract)) turn = await readActs(contract, { turn, first: cut }, options)
    const controlAt =
      read.logs.length === 0 ? await askControl(contract, { ...before, first: cut }, options) : null
    if (read.missed.length > 0) log.warn({ contract: address, err: read.error }, 'logs are read again later')
    const birth = await findBirth(contract, read.logs, options.signal)
    const gone = await findLostActs(contract, lost, { ...read, ...span }, options)
    const { progress, gaps } = advance(before, { ...wanted, cut }, { ...read, controlAt })
    commit({
      bad: read.bad,
      mayWait: 'without-news',
      apply: (now) => {
        const findings = [
          ...takeLogs(contract, { ...read, birth }, now),
          ...takeBackActs(contract, gone, now),
        ]
        const followed = before.next === null && { followedSince: now }
        saveProgress(db, address, { ...readProgress(db, address), ...progress, ...followed })
        for (const gap of gaps) saveGap(db, address, { ...gap, attempts: 1, retryAt: now })
        return findings
      },
    })
    for (const hash of gone) lost.delete(hash)
  }
}

/** So often in a row nothing is shown where a log is known to be, before it is asked whether its transaction still stands. */
const leastHidden = 2

/** Where a log that is known stays hidden, what lies above it is looked at all the same. */
async function readAbove(
  { address, contractReads }: WatchedContract,
  span: BlockSpan,
  known: number | null,
  options: ReadOptions,
): Promise<SpanRead> {
  if (known === null || known < span.first || known > span.last)
    return readSpan(contractReads, address, span, options)
  const read = await readSpan(contractReads, address, span, { ...options, isKnown: true })
  if (!isSetAside(read.error) || known === span.last) return read
  const above = await readSpan(contractReads, address, { first: known + 1, last: span.last }, options)
  return { ...above, missed: [span], error: read.error }
}

function noteRead(
  { address, endpointLags }: WatchedContract,
  { logs, requestedAt }: SpanRead,
  { last }: BlockSpan,
) {
  const newest = logs.reduce((most, { height }) => Math.max(most, height), -1)
  endpointLags.noteRead(shownLogs(address), { newest, to: last, at: requestedAt })
}

/** An index that lags for so long may do so for hours. */
const lagMs = 90_000

function isLagging({ address, endpointLags }: WatchedContract): boolean {
  const { endpoint, list } = shownLogs(address)
  return endpointLags
    .list()
    .some((one) => one.endpoint === endpoint && one.list === list && one.lagMs > lagMs)
}

/** So many kinds of acts are asked for at a tick: all of them within two minutes. */
const actsAtOnce = 10

/**
 * While the logs of a range are not shown, or lag, the acts of administration are asked for by their topics, some at each tick:
 * they are rare, so that no list of them is cut. @returns where to go on
 */
async function readActs(
  contract: WatchedContract,
  { turn, first }: { readonly turn: number; readonly first: number },
  { signal }: ReadOptions,
): Promise<number> {
  const { address, administration, commit, contractReads, named } = contract
  const topics = [...named.keys(), ...administration.keys()]
  const due = [...topics, ...topics].slice(turn, turn + Math.min(actsAtOnce, topics.length))
  for (const topic of due) {
    try {
      const { records, bad } = await contractReads.logsOfTopic(address, topic, { priority: 'sweep', signal })
      const logs = records.filter(({ height }) => height >= first)
      commit({
        bad,
        mayWait: 'without-news',
        apply: (now) => (logs.length > 0 ? takeLogs(contract, { logs, birth: null }, now) : []),
      })
    } catch (error) {
      signal.throwIfAborted()
      contract.log.warn(
        { contract: address, topic, err: error },
        'acts of administration are asked for again later',
      )
      break
    }
  }
  return (turn + due.length) % topics.length
}

function chooseSpan(progress: ContractProgress, head: number, overlap: number): BlockSpan {
  if (progress.next === null) return { first: Math.max(0, head - firstBlocks), last: head }
  const first = Math.max(0, Math.min(progress.next, head) - overlap)
  const { lastLogHeight } = progress
  const isNear = lastLogHeight !== null && lastLogHeight < first && first - lastLogHeight <= reachBlocks
  return { first: isNear ? lastLogHeight : first, last: head }
}

/** Where logs are known to be and the range did not reach: their answer says that the service answers. */
async function askControl(
  { address, contractReads }: WatchedContract,
  { lastLogHeight, first }: Pick<ContractProgress, 'lastLogHeight'> & { readonly first: number },
  options: ReadOptions,
): Promise<UnixMs | null> {
  if (lastLogHeight === null || lastLogHeight >= first) return null
  const read = await contractReads.logs(address, { first: lastLogHeight, last: lastLogHeight }, options)
  return read.records.length > 0 ? read.requestedAt : null
}

type Advance = Partial<ContractProgress>

function advance(
  before: ContractProgress,
  { cut, ...wanted }: BlockSpan & { readonly cut: number },
  { controlAt, ...read }: SpanRead & { readonly controlAt: UnixMs | null },
): { progress: Advance; gaps: BlockSpan[] } {
  const old = wanted.first < cut ? splitSpan({ first: wanted.first, last: cut - 1 }) : []
  const start: Advance = before.next === null ? { historyFrom: wanted.first } : {}
  if (read.logs.length > 0) {
    const newest = newestOf(read.logs)
    // What a whole answer leaves out of its range a reorganisation moved or took: it is no control question any more.
    const isCovered = (before.lastLogHeight ?? 0) >= cut && read.missed.length === 0
    const isNewer = isCovered || (newest?.height ?? 0) > (before.lastLogHeight ?? -1)
    const control = isNewer ? toControl(newest) : {}
    const moved = { next: wanted.last + 1, ...control, empty: notYetAbsent, emptyUntil: null }
    return { progress: { ...start, ...moved }, gaps: [...old, ...read.missed] }
  }
  const from = before.next ?? wanted.first
  const noted = noteReading(before.empty, { kind: 'absent', at: read.requestedAt })
  const empty = controlAt === null ? noted : noteReading(noted, { kind: 'control', at: controlAt })
  const emptyUntil = before.emptyUntil ?? wanted.last
  if (isAbsent(noted)) {
    const moved = { next: Math.max(from, emptyUntil + 1), empty: notYetAbsent, emptyUntil: null }
    return { progress: { ...start, ...moved }, gaps: old }
  }
  if (wanted.last - from <= quietBlocks && old.length === 0) {
    return { progress: { ...start, next: from, empty, emptyUntil }, gaps: [] }
  }
  const moved = { next: wanted.last + 1, empty: notYetAbsent, emptyUntil: null }
  return {
    progress: { ...start, ...moved },
    gaps: [...old, { first: Math.max(from, cut), last: wanted.last }],
  }
}

function incomplete(address: string, { first, last }: BlockSpan): Error {
  return new Error(`the logs of ${address} from block ${first} to ${last} did not come whole`)
}
