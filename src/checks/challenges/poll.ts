import {
  type Challenge,
  type ChallengeChange,
  type ChallengeValues,
  nextCheckMs,
  noteChallenge,
} from './challenge.ts'
import { challengeChanged } from './changed.ts'
import type { Finding } from '../../bridge/finding.ts'
import { findRareWords } from '../../kernel/rareWord.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import {
  type ChallengeRange,
  challengeRangeBlocks as rangeBlocks,
  hasChallenges,
  hurryRanges,
  listCoveredRanges,
  listDueRanges,
  noteRange,
  noteRangeRead,
  readChallenge,
  saveChallenge,
} from './store.ts'
import type { Database } from '../../store/database.ts'
import { readStream, saveStream } from '../../kernel/mainStreams.ts'
import { addWords, readWords } from '../../kernel/wordStore.ts'
import type { ChallengeRow, MainReads } from '../../kernel/mainReads.ts'
import { createNewestChallenges, type NewestChallenges } from './newest.ts'
import type { Commit } from '../../kernel/reads.ts'
import { waitForHead } from '../../kernel/waitForHead.ts'

export interface ChallengesDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'challenges'>
  readonly commit: Commit
  readonly contracts: readonly string[]
  readonly values: ChallengeValues
}

/** How far back the first reading begins, in stretches; they are read one after the other, the newest first. */
const firstRanges = 24
const firstSpacingMs = 20_000
/** Stretches that are read in one tick: most of them where values are that may still change, the newest first. */
const maxDue = { open: 4, any: 2 }
/** Of those that the newest transactions lie in, so many are noted as read at a time. */
const maxCovered = 100
/** After a change so many of the newest stretches are read soon: what changes many at once changes them together. */
const hurried = 48

/** Reads the challenge status of the bridge's transactions (E6 by ranges of blocks). */
export interface ChallengesPolls {
  /** The newest transactions, at every tick. */
  readonly newest: (signal: AbortSignal) => Promise<void>
  /** The older ones, ever more rarely, because values change days later: what is newest does not wait for them. */
  readonly older: (signal: AbortSignal) => Promise<void>
}

export function createChallengesPolls(deps: ChallengesDeps): ChallengesPolls {
  const readNewest = createNewestChallenges({
    ...deps,
    note: (contract, read) =>
      deps.commit({
        bad: read.bad,
        apply: (now) => note(deps, contract, read.rows, { at: read.requestedAt, now }),
      }),
  })
  return {
    newest: async (signal) => {
      const head = await waitForHead(deps, signal)
      if (head === null) return
      for (const contract of deps.contracts) plan(deps, contract, head)
      const newest = await readNewest(head, signal)
      if (newest.isWhole) noteCovered(deps, newest, head)
    },
    older: async (signal) => {
      const head = await waitForHead(deps, signal)
      if (head === null) return
      for (const range of listDueRanges(deps.db, deps.clock.now(), maxDue))
        await readRange(deps, range, head, signal)
    },
  }
}

/** Stretches that lie within the newest transactions were read with them. */
function noteCovered(deps: ChallengesDeps, { from, rows }: NewestChallenges, head: number): void {
  deps.commit({
    apply: (now) => {
      const last = head - rangeBlocks + 1
      for (const range of listCoveredRanges(deps.db, { from, last }, now, maxCovered)) {
        const own = (rows.get(range.contract) ?? []).filter(
          ({ height }) => height >= range.start && height < range.start + rangeBlocks,
        )
        noteRead(deps, range, own, true, now)
      }
      return []
    },
  })
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
      noteRead(deps, range, read.rows, read.isWhole, now)
      return findings
    },
  })
}

function noteRead(
  deps: ChallengesDeps,
  range: ChallengeRange,
  rows: readonly ChallengeRow[],
  isWhole: boolean,
  now: UnixMs,
): void {
  const valued = rows.filter(hasValue).length
  const hasValues = valued > 0 || (range.valued > 0 && !isWhole) || hasChallenges(deps.db)
  const checkAt = now + nextCheckMs(range.checks, hasValues)
  noteRangeRead(deps.db, range, { rows: rows.length, valued, checkAt })
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
  const read = [...new Map(rows.map((row) => [row.hash, row])).values()].map((row) => ({
    row,
    before: readChallenge(deps.db, row.hash),
  }))
  const rare = new Set(noteWords(deps.db, read))
  for (const { row, before } of read) {
    if (!before && !hasValue(row)) continue
    const isRare = rare.has(row.hash)
    const { challenge, changes } = noteChallenge(before, { ...row, contract }, when.at, deps.values, isRare)
    saveChallenge(deps.db, challenge, deps.values.terminal.includes(challenge.status))
    for (const [index, change] of changes.entries()) {
      const number = challenge.changes - changes.length + index + 1
      findings.push(toFinding({ ...row, contract }, change, number, when.at))
    }
  }
  if (findings.length > 0) hurryRanges(deps.db, contract, when.now, hurried)
  return findings
}

/** Counts the values that transactions take; of those whose first one none had while many had others, one for each value. */
function noteWords(
  db: Database,
  read: readonly { readonly row: ChallengeRow; readonly before: Challenge | null }[],
): string[] {
  const field = 'challengeStatus'
  const taken = read
    .filter(({ row, before }) => row.status !== '' && row.status !== before?.status)
    .map(({ row: { hash, status, height }, before }) => ({
      hash,
      word: status,
      place: height,
      isFirst: (before?.status ?? '') === '',
    }))
  if (taken.length === 0) return []
  const first = taken.filter(({ isFirst }) => isFirst)
  const rare = findRareWords(field, readWords(db, field), first)
  addWords(db, field, taken)
  return rare.map(({ hash }) => hash)
}

function toFinding(
  row: ChallengeRow & { readonly contract: string },
  change: ChallengeChange,
  number: number,
  at: UnixMs,
): Finding {
  const { field, before, after } = change
  const first = change.isRare ? `is "${after}", which none was before` : `is "${after}"`
  const what = before === '' ? first : `went from "${before}" to "${after}"`
  return challengeChanged.raise({
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
      isRare: change.isRare,
      wasTerminal: change.wasTerminal,
    },
    labels: { chain: 'main' },
    evidence: [{ source: 'E6', at, says: `${field} is "${after}"` }],
    since: at,
  })
}
