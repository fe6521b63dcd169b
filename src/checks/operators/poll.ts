import { isAbsent, notYetAbsent, noteReading } from '../../clients/explorer/absence.ts'
import type { BalanceReads } from '../../kernel/reads/balanceReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { MainReads, SentTransaction } from '../../kernel/reads/mainReads.ts'
import { type BlockSources, isGone } from '../../kernel/reads/isGone.ts'
import { readStream, saveStream } from '../../kernel/reads/mainStreams.ts'
import { type Head, listHeads } from '../../kernel/heads/heads.ts'
import { waitForHead } from '../../kernel/heads/waitForHead.ts'
import { listOperators, saveOperatorActivity, saveOperatorBalance, type StoredOperator } from './store.ts'

interface Operators extends BlockSources, Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly reads: Pick<MainReads, 'sent'>
  /** Null when no node is configured: balances are then not known. */
  readonly balances: Pick<BalanceReads, 'readNative'> | null
  readonly addresses: readonly string[]
}

/** How many addresses E10 takes. */
const batchSize = 20
/** How many blocks a range of E10 may have; the first reading looks back by that much. */
const maxBlocks = 9_990
const overlapBlocks = 60
/** Activity is read no more often than this, so at every tick of the shipped schedule: silence is a matter of hours. */
const activityMs = 25_000

/** Reads what operators hold of the native currency, and when each last sent a transaction. */
export function createOperatorsPoll(of: Operators): (signal: AbortSignal) => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const [balances, activity] = await Promise.allSettled([
      readBalances(of, signal),
      of.clock.now() - readAt < activityMs ? null : readActivity(of, signal),
    ])
    if (activity.status === 'fulfilled' && activity.value !== null) readAt = of.clock.now()
    if (balances.status === 'rejected') throw balances.reason
    if (activity.status === 'rejected') throw activity.reason
  }
}

async function readBalances(of: Operators, signal: AbortSignal): Promise<void> {
  if (!of.balances || of.addresses.length === 0) return
  const at = of.clock.now()
  const found = await of.balances.readNative(of.addresses, signal)
  of.commit({
    mayWait: 'without-news',
    apply: () => {
      for (const [index, address] of of.addresses.entries()) {
        const balance = found[index] ?? null
        if (balance !== null) saveOperatorBalance(of.db, { address, balance, at })
      }
      return []
    },
  })
}

/** @returns whether anything was asked */
async function readActivity(of: Operators, signal: AbortSignal): Promise<boolean | null> {
  await waitForHead(of, signal)
  const head = listHeads(of.db).find(({ chain }) => chain === 'main')
  if (head === undefined) return null
  for (let from = 0; from < of.addresses.length; from += batchSize) {
    const addresses = of.addresses.slice(from, from + batchSize)
    await readBatch({ ...of, addresses }, head, signal)
  }
  return true
}

async function readBatch(of: Operators, head: Head, signal: AbortSignal): Promise<void> {
  const { addresses } = of
  const known = new Map(listOperators(of.db).map((operator) => [operator.address, operator]))
  const id = `operators:${addresses[0]}:${addresses.length}`
  const state = readStream(of.db, id)
  const unread = state ? state.cursor - overlapBlocks : head.height - maxBlocks
  // What was made while nothing ran is read range by range: none of it is silence before all of it is.
  const to = Math.max(0, Math.min(head.height, unread + maxBlocks))
  const start = Math.max(0, to - maxBlocks)
  const newest = newestOf(addresses.flatMap((address) => known.get(address)?.last ?? []))
  // A range over a transaction that is known distinguishes a whole answer from an empty one.
  const isKnown = newest !== null && newest.height >= start && newest.height <= to
  const from = Math.max(start, Math.min(unread, isKnown ? newest.height : to))
  const blocks = { from, to }
  const read = await of.reads.sent(addresses, blocks, { priority: 'sweep', signal, isKnown })
  const isShown = !isKnown || read.rows.some(({ hash }) => hash === newest.hash)
  if (!isShown && (await isGone(of, newest, { priority: 'sweep', signal })))
    return forgetGone(of, known, newest, signal)
  const isWhole = read.isWhole && isShown
  const controlAt =
    isWhole && !isKnown && newest !== null ? await askControl(of, newest.height, signal) : null
  const isTrusted = isWhole && to === head.height && (isKnown || read.rows.length > 0 || controlAt !== null)
  // Of what came after the newest block that was known then it says nothing.
  const at = Math.min(read.requestedAt, head.advancedAt)
  of.commit({
    bad: read.bad,
    apply: () => {
      for (const address of addresses) {
        const before = known.get(address) ?? null
        saveOperatorActivity(of.db, noteActivity(address, before, { rows: read.rows, at, isTrusted }))
      }
      if (isWhole) saveStream(of.db, { id, cursor: blocks.to, known: null, deepAt: read.requestedAt })
      return []
    },
  })
}

type Sent = NonNullable<StoredOperator['last']>

function newestOf<S extends Pick<Sent, 'height'>>(sent: readonly S[]): S | null {
  return sent.reduce<S | null>((best, one) => (best === null || one.height > best.height ? one : best), null)
}

/** A reorganisation left out what an operator sent last: that is what it sent before. */
async function forgetGone(
  of: Operators,
  known: ReadonlyMap<string, StoredOperator>,
  gone: Sent,
  signal: AbortSignal,
): Promise<void> {
  const { addresses, commit, db, reads } = of
  const blocks = { from: Math.max(0, gone.height - maxBlocks), to: Math.max(0, gone.height - 1) }
  const read = await reads.sent(addresses, blocks, { priority: 'sweep', signal })
  commit({
    bad: read.bad,
    apply: () => {
      for (const [address, { last }] of known) {
        if (last?.hash !== gone.hash) continue
        const before = newestOf(read.rows.filter(({ from }) => from.split(',').includes(address)))
        if (before === null && !read.isWhole) continue
        saveOperatorActivity(db, {
          address,
          last: before && { hash: before.hash, height: before.height, at: before.time ?? read.requestedAt },
          absence: null,
          readAt: null,
        })
      }
      return []
    },
  })
}

/** Asks for a block in which a transaction of theirs is known to be. */
async function askControl(
  { addresses, reads }: Operators,
  height: number,
  signal: AbortSignal,
): Promise<number | null> {
  const blocks = { from: height, to: height }
  const read = await reads.sent(addresses, blocks, { priority: 'sweep', signal, isKnown: true })
  return read.rows.some((row) => row.height === height) ? read.requestedAt : null
}

/** What one more reading says of an operator: that it sent something new, or, when it can be trusted, that it did not. */
function noteActivity(
  address: string,
  before: Pick<StoredOperator, 'last' | 'absence' | 'readAt'> | null,
  reading: { readonly rows: readonly SentTransaction[]; readonly at: number; readonly isTrusted: boolean },
): Pick<StoredOperator, 'address' | 'last' | 'absence' | 'readAt'> {
  const newest = newestOf(reading.rows.filter((row) => row.from.split(',').includes(address)))
  const known = before?.last ?? null
  // It may have been taken into another block.
  const shown = reading.rows.find(({ hash }) => hash === known?.hash)
  const last = known && { ...known, height: shown?.height ?? known.height }
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
  const absence = noteReading(before?.absence ?? notYetAbsent, {
    kind: 'absent-among-others',
    at: reading.at,
  })
  return { address, last, absence, readAt: reading.at }
}

/** Whether readings prove that nothing was sent since the newest known transaction. */
export function isSilenceProven({ absence }: Pick<StoredOperator, 'absence'>): boolean {
  return absence !== null && isAbsent(absence)
}
