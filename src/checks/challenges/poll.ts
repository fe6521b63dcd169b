import type { Kernel } from '../../kernel/kernel.ts'
import type { ChallengeRow } from '../../kernel/reads/mainReads.ts'
import { readStream, saveStream } from '../../kernel/reads/mainStreams.ts'
import { waitForHead } from '../../kernel/heads/waitForHead.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { nextCheckMs } from './challenge.ts'
import { beginNewest, type NewestChallenges, readNewest } from './newest.ts'
import { type Challenges, hasValue, noteRows } from './noteRows.ts'
import {
  type ChallengeRange,
  challengeRangeBlocks as rangeBlocks,
  hasChallenges,
  listCoveredRanges,
  listDueRanges,
  noteRange,
  noteRangeRead,
} from './store.ts'

/** How far back the first reading begins, in stretches; they are read one after the other, the newest first. */
const firstRanges = 24
const firstSpacingMs = 20_000
/** Stretches that are read in one tick: most of them where values are that may still change, the newest first. */
const maxDue = { open: 4, any: 2 }
/** Of those that the newest transactions lie in, so many are noted as read at a time. */
const maxCovered = 100

/** Reads the challenge status of the bridge's transactions (E6 by ranges of blocks). */
export interface ChallengesPolls {
  /** The newest transactions, at every tick. */
  readonly newest: (signal: AbortSignal) => Promise<void>
  /** The older ones, ever more rarely, because values change days later: what is newest does not wait for them. */
  readonly older: (signal: AbortSignal) => Promise<void>
}

export function createChallengesPolls(of: Challenges): ChallengesPolls {
  const stretch = beginNewest()
  return {
    newest: async (signal) => {
      const head = await waitForHead(of, signal)
      if (head === null) return
      for (const contract of of.contracts) plan(of, contract, head)
      const newest = await readNewest(of, stretch, { head, signal })
      if (newest.isWhole) noteCovered(of, newest, head)
    },
    older: async (signal) => {
      const head = await waitForHead(of, signal)
      if (head === null) return
      for (const range of listDueRanges(of.db, of.clock.now(), maxDue))
        await readRange(of, range, { head, signal })
    },
  }
}

/** Stretches that lie within the newest transactions were read with them. */
function noteCovered(of: Challenges, { from, rows }: NewestChallenges, head: number): void {
  of.commit({
    apply: (now) => {
      const last = head - rangeBlocks + 1
      for (const range of listCoveredRanges(of.db, { from, last }, now, maxCovered)) {
        const own = (rows.get(range.contract) ?? []).filter(
          ({ height }) => height >= range.start && height < range.start + rangeBlocks,
        )
        noteRead(of.db, { range, rows: own, isWhole: true }, now)
      }
      return []
    },
  })
}

/** Writes down the stretches up to the head. */
function plan(of: Challenges, contract: string, head: number): void {
  const id = `challenges:${contract}`
  const state = readStream(of.db, id)
  const last = startOf(head)
  const first = state ? startOf(state.cursor) + rangeBlocks : Math.max(0, last - firstRanges * rangeBlocks)
  if (first > last) return
  of.commit({
    apply: (now) => {
      for (let start = first; start <= last; start += rangeBlocks) {
        const turn = (last - start) / rangeBlocks
        noteRange(of.db, { contract, start, checkAt: now + (state ? 0 : turn * firstSpacingMs) }, now)
      }
      saveStream(of.db, { id, cursor: head, known: null, deepAt: now })
      return []
    },
  })
}

function startOf(height: number): number {
  return Math.floor(height / rangeBlocks) * rangeBlocks
}

async function readRange(
  of: Challenges,
  range: ChallengeRange,
  { head, signal }: { readonly head: number; readonly signal: AbortSignal },
): Promise<void> {
  const blocks = { from: range.start, to: Math.min(range.start + rangeBlocks - 1, head) }
  const options = { priority: 'sweep', signal, isKnown: range.valued > 0 } as const
  const read = await of.reads.challenges(range.contract, blocks, options)
  of.commit({
    bad: read.bad,
    mayWait: 'without-news',
    apply: (now) => {
      const findings = noteRows(of, { ...read, contract: range.contract }, now)
      noteRead(of.db, { range, rows: read.rows, isWhole: read.isWhole }, now)
      return findings
    },
  })
}

function noteRead(
  db: Kernel['db'],
  read: {
    readonly range: ChallengeRange
    readonly rows: readonly ChallengeRow[]
    readonly isWhole: boolean
  },
  now: UnixMs,
): void {
  const { range, rows, isWhole } = read
  const valued = rows.filter(hasValue).length
  const hasValues = valued > 0 || (range.valued > 0 && !isWhole) || hasChallenges(db)
  const checkAt = now + nextCheckMs(range.checks, hasValues)
  noteRangeRead(db, range, { rows: rows.length, valued, checkAt })
}
