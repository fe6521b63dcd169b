import { type Absence, isAbsent, notYetAbsent, noteReading } from '../../clients/explorer/absence.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readStream, saveStream } from '../../kernel/mainStreams.ts'
import { listOperators, saveOperatorActivity, saveOperatorBalance, type StoredOperator } from './store.ts'
import type { BalanceReads } from '../../kernel/balanceReads.ts'
import type { MainReads, SentTransaction } from '../../kernel/mainReads.ts'
import { waitForHead } from '../../kernel/waitForHead.ts'
import type { Commit } from '../../kernel/reads.ts'

export interface OperatorsDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'sent'>
  /** Null when no node is configured: balances are then not known. */
  readonly balances: Pick<BalanceReads, 'readNative'> | null
  readonly commit: Commit
  readonly addresses: readonly string[]
}

/** E10 takes so many addresses. */
const batchSize = 20
/** E10 takes ranges of at most so many blocks; the first reading looks back by that much. */
const maxBlocks = 9_990
const overlapBlocks = 60
/** Activity is read no more often than this, so at every tick of the shipped schedule: silence is a matter of hours. */
const activityMs = 25_000

/** Reads what operators hold of the native currency, and when each last sent a transaction. */
export function createOperatorsPoll(deps: OperatorsDeps): (signal: AbortSignal) => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const [balances, activity] = await Promise.allSettled([
      readBalances(deps, signal),
      deps.clock.now() - readAt < activityMs ? null : readActivity(deps, signal),
    ])
    if (activity.status === 'fulfilled' && activity.value !== null) readAt = deps.clock.now()
    if (balances.status === 'rejected') throw balances.reason
    if (activity.status === 'rejected') throw activity.reason
  }
}

async function readBalances(deps: OperatorsDeps, signal: AbortSignal): Promise<void> {
  if (!deps.balances || deps.addresses.length === 0) return
  const at = deps.clock.now()
  const found = await deps.balances.readNative(deps.addresses, signal)
  deps.commit({
    apply: () => {
      for (const [index, address] of deps.addresses.entries()) {
        const balance = found[index] ?? null
        if (balance !== null) saveOperatorBalance(deps.db, address, balance, at)
      }
      return []
    },
  })
}

/** @returns whether anything was asked */
async function readActivity(deps: OperatorsDeps, signal: AbortSignal): Promise<boolean | null> {
  const head = await waitForHead(deps, signal)
  if (head === null) return null
  for (let from = 0; from < deps.addresses.length; from += batchSize) {
    await readBatch(deps, deps.addresses.slice(from, from + batchSize), head, signal)
  }
  return true
}

async function readBatch(
  deps: OperatorsDeps,
  addresses: readonly string[],
  head: number,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map(listOperators(deps.db).map((operator) => [operator.address, operator]))
  const id = `operators:${addresses[0]}:${addresses.length}`
  const state = readStream(deps.db, id)
  const start = Math.max(0, head - maxBlocks)
  const newest = Math.max(-1, ...addresses.map((address) => known.get(address)?.last?.height ?? -1))
  // A range over a transaction that is known tells a whole answer from an empty one.
  const isKnown = newest >= start && newest <= head
  const from = Math.max(
    start,
    Math.min(state ? state.cursor - overlapBlocks : start, isKnown ? newest : head),
  )
  const blocks = { from, to: Math.max(from, head) }
  const read = await deps.reads.sent(addresses, blocks, { priority: 'sweep', signal, isKnown })
  const isWhole = read.isWhole && (!isKnown || read.rows.some(({ height }) => height === newest))
  const controlAt =
    isWhole && !isKnown && newest >= 0 ? await askControl(deps, addresses, newest, signal) : null
  const isTrusted = isWhole && (isKnown || read.rows.length > 0 || controlAt !== null)
  deps.commit({
    bad: read.bad,
    apply: () => {
      for (const address of addresses) {
        const before = known.get(address) ?? null
        saveOperatorActivity(
          deps.db,
          noteActivity(address, before, read.rows, { at: read.requestedAt, isTrusted }),
        )
      }
      if (isWhole) saveStream(deps.db, { id, cursor: blocks.to, known: null, deepAt: read.requestedAt })
      return []
    },
  })
}

/** Asks for a block in which a transaction of theirs is known to be. */
async function askControl(
  deps: OperatorsDeps,
  addresses: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<number | null> {
  const blocks = { from: height, to: height }
  const read = await deps.reads.sent(addresses, blocks, { priority: 'sweep', signal, isKnown: true })
  return read.rows.some((row) => row.height === height) ? read.requestedAt : null
}

/** What one more reading says of an operator: that it sent something new, or, when it can be trusted, that it did not. */
function noteActivity(
  address: string,
  before: Pick<StoredOperator, 'last' | 'absence' | 'readAt'> | null,
  rows: readonly SentTransaction[],
  reading: { readonly at: number; readonly isTrusted: boolean },
): Pick<StoredOperator, 'address' | 'last' | 'absence' | 'readAt'> {
  const newest = rows
    .filter((row) => row.from.split(',').includes(address))
    .reduce<SentTransaction | null>(
      (best, row) => (best === null || row.height > best.height ? row : best),
      null,
    )
  const last = before?.last ?? null
  if (newest && (last === null || newest.height > last.height)) {
    const at = Math.min(newest.time ?? reading.at, reading.at)
    return {
      address,
      last: { hash: newest.hash, height: newest.height, at },
      absence: null,
      readAt: reading.at,
    }
  }
  if (!reading.isTrusted) {
    return { address, last, absence: before?.absence ?? null, readAt: before?.readAt ?? null }
  }
  const noted = noteReading(parseAbsence(before?.absence ?? null), {
    kind: 'absent-among-others',
    at: reading.at,
  })
  return { address, last, absence: JSON.stringify(noted), readAt: reading.at }
}

/** Whether readings prove that nothing was sent since the newest known transaction. */
export function isSilenceProven(absence: string | null): boolean {
  return isAbsent(parseAbsence(absence))
}

function parseAbsence(text: string | null): Absence {
  // Written by noteActivity.
  return text === null ? notYetAbsent : (JSON.parse(text) as Absence)
}
