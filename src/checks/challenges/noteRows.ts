import type { Finding } from '../../bridge/finding.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ChallengeRow, MainReads } from '../../kernel/reads/mainReads.ts'
import { findRareWords } from '../../kernel/rareWord.ts'
import { addWords, readWords } from '../../kernel/wordStore.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { type Challenge, type ChallengeChange, type ChallengeValues, noteChallenge } from './challenge.ts'
import { challengeChanged } from './changed.ts'
import { hurryRanges, readChallenge, saveChallenge } from './store.ts'

/** The bridge's contracts whose transactions are looked at, and what their challenge status may be. */
export interface Challenges extends Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly reads: Pick<MainReads, 'challenges'>
  readonly contracts: readonly string[]
  readonly values: ChallengeValues
}

/** What one answer said of a contract's transactions. */
interface ChallengesRead {
  readonly contract: string
  readonly rows: readonly ChallengeRow[]
  readonly requestedAt: UnixMs
}

/** After a change so many of the newest stretches are read soon: what changes many at once changes them together. */
const hurried = 48

/** Saves what a reading says of each transaction; the events that follow from it. */
export function noteRows(
  { db, values }: Challenges,
  { contract, rows, requestedAt: at }: ChallengesRead,
  now: UnixMs,
): Finding[] {
  const findings: Finding[] = []
  const read = [...new Map(rows.map((row) => [row.hash, row])).values()].map((row) => ({
    row,
    before: readChallenge(db, row.hash),
  }))
  const rare = new Set(noteWords(db, read))
  for (const { row, before } of read) {
    if (!before && !hasValue(row)) continue
    const isRare = rare.has(row.hash)
    const { challenge, changes } = noteChallenge(before, { ...row, contract }, at, values, isRare)
    saveChallenge(db, challenge, values.terminal.includes(challenge.status))
    for (const [index, change] of changes.entries()) {
      const number = challenge.changes - changes.length + index + 1
      findings.push(toFinding({ ...row, contract }, { ...change, number }, at))
    }
  }
  if (findings.length > 0) hurryRanges(db, contract, now, hurried)
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
  change: ChallengeChange & { readonly number: number },
  at: UnixMs,
): Finding {
  const { field, before, after } = change
  const first = change.isRare ? `is "${after}", which none was before` : `is "${after}"`
  const what = before === '' ? first : `went from "${before}" to "${after}"`
  return challengeChanged.raise({
    // Each change is a happening of its own.
    subject: `${row.hash}:${change.number}`,
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

export function hasValue({ status, l1 }: ChallengeRow): boolean {
  return status !== '' || l1 !== ''
}
