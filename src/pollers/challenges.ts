import {
  type ChallengeChange,
  type ChallengeValues,
  nextCheckMs,
  noteChallenge,
} from '../domain/challenge.ts'
import type { Finding } from '../domain/finding.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import {
  type ChallengeRange,
  hasChallenges,
  hurryRanges,
  listDueRanges,
  noteRange,
  noteRangeRead,
  readChallenge,
  saveChallenge,
} from '../store/challenges.ts'
import type { Database } from '../store/database.ts'
import { readStream, saveStream } from '../store/mainStreams.ts'
import type { ChallengeRow, MainReads } from './mainReads.ts'
import { waitForHead } from './waitForHead.ts'
import type { Commit } from './reads.ts'

export interface ChallengesDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'challenges'>
  readonly commit: Commit
  readonly contracts: readonly string[]
  readonly values: ChallengeValues
  readMainHeight(): number | null
}

/** The newest blocks are read at every tick. */
const newestBlocks = 120
/** Blocks whose transactions are read again together. */
const rangeBlocks = 600
/** How far back the first reading begins, in stretches; they are read one after the other, the newest first. */
const firstRanges = 24
const firstSpacingMs = 20_000
const maxDue = 6
/** After a change so many of the newest stretches are read soon: what changes many at once changes them together. */
const hurried = 48

/**
 * Reads the challenge status of the bridge's transactions (E6 by ranges of blocks): the newest stretches at every
 * tick, the older ones ever more rarely, because values change days later.
 */
export function createChallengesPoll(deps: ChallengesDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const head = await waitForHead(deps, signal)
    if (head === null) return
    for (const contract of deps.contracts) plan(deps, contract, head)
    for (const contract of deps.contracts) await readNewest(deps, contract, head, signal)
    for (const range of listDueRanges(deps.db, deps.clock.now(), maxDue))
      await readRange(deps, range, head, signal)
  }
}

/** Writes down the stretches up to the head. */
function plan(deps: ChallengesDeps, contract: string, head: number): void {
  const id = `challenges:${contract}`
  const state = readStream(deps.db, id)
  const last = startOf(head)
  const first = state ? startOf(state.cursor) + rangeBlocks : Math.max(0, last - firstRanges * rangeBlocks)
  if (first > last) return
  deps.commit({
    apply: (now) => {
      for (let start = first; start <= last; start += rangeBlocks) {
        const turn = (last - start) / rangeBlocks
        noteRange(deps.db, { contract, start, checkAt: now + (state ? 0 : turn * firstSpacingMs) }, now)
      }
      saveStream(deps.db, { id, cursor: head, known: null, deepAt: now })
      return []
    },
  })
}

function startOf(height: number): number {
  return Math.floor(height / rangeBlocks) * rangeBlocks
}

async function readNewest(
  deps: ChallengesDeps,
  contract: string,
  head: number,
  signal: AbortSignal,
): Promise<void> {
  const from = Math.max(0, head - newestBlocks)
  const read = await deps.reads.challenges(contract, { from, to: head }, { priority: 'sweep', signal })
  deps.commit({
    bad: read.bad,
    apply: (now) => note(deps, contract, read.rows, { at: read.requestedAt, now }),
  })
}

async function readRange(
  deps: ChallengesDeps,
  range: ChallengeRange,
  head: number,
  signal: AbortSignal,
): Promise<void> {
  const blocks = { from: range.start, to: Math.min(range.start + rangeBlocks - 1, head) }
  const options = { priority: 'sweep', signal, isKnown: range.valued > 0 } as const
  const read = await deps.reads.challenges(range.contract, blocks, options)
  deps.commit({
    bad: read.bad,
    apply: (now) => {
      const findings = note(deps, range.contract, read.rows, { at: read.requestedAt, now })
      const valued = read.rows.filter(hasValue).length
      const hasValues = valued > 0 || (range.valued > 0 && !read.isWhole) || hasChallenges(deps.db)
      const checkAt = now + nextCheckMs(range.checks, hasValues)
      noteRangeRead(deps.db, range, { rows: read.rows.length, valued, checkAt })
      return findings
    },
  })
}

function hasValue({ status, l1 }: ChallengeRow): boolean {
  return status !== '' || l1 !== ''
}

/** Saves what a reading says of each transaction; the events that follow from it. */
function note(
  deps: ChallengesDeps,
  contract: string,
  rows: readonly ChallengeRow[],
  when: { readonly at: UnixMs; readonly now: UnixMs },
): Finding[] {
  const findings: Finding[] = []
  for (const row of new Map(rows.map((one) => [one.hash, one])).values()) {
    const before = readChallenge(deps.db, row.hash)
    if (!before && !hasValue(row)) continue
    const { challenge, changes } = noteChallenge(before, { ...row, contract }, when.at, deps.values)
    saveChallenge(deps.db, challenge, deps.values.terminal.includes(challenge.status))
    for (const [index, change] of changes.entries()) {
      const number = challenge.changes - changes.length + index + 1
      findings.push(toFinding({ ...row, contract }, change, number, when.at))
    }
  }
  if (findings.length > 0) hurryRanges(deps.db, contract, when.now, hurried)
  return findings
}

function toFinding(
  row: ChallengeRow & { readonly contract: string },
  change: ChallengeChange,
  number: number,
  at: UnixMs,
): Finding {
  const { field, before, after } = change
  const what = before === '' ? `is "${after}"` : `went from "${before}" to "${after}"`
  return {
    kind: 'challenge.changed',
    // Each change is a happening of its own.
    subject: `${row.hash}:${number}`,
    title: `${field} of main ${row.hash} ${what}`,
    transfer: null,
    facts: {
      field,
      before,
      after,
      mainTxHash: row.hash,
      contract: row.contract,
      height: row.height,
      isUnknown: change.isUnknown,
      wasTerminal: change.wasTerminal,
    },
    labels: { chain: 'main' },
    evidence: [{ source: 'E6', at, says: `${field} is "${after}"` }],
    since: at,
  }
}
