import type { Finding } from '../../bridge/finding.ts'
import { findRareWords } from '../../kernel/rareWord.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toWordFinding } from './newWord.ts'
import type { Database } from '../../store/database.ts'
import type { TransferChange } from '../../ledger/recordAnswer.ts'
import { addWords, readWords } from '../../kernel/wordStore.ts'

const field = 'crossType'
const documented: ReadonlySet<string> = new Set(['Deposit', 'Withdraw', 'BatchWithdraw'])

/** Counts the words of records that have one for the first time, and finds those that are news: inside the transaction. */
export function judgeWords(
  db: Database,
  changes: readonly TransferChange[],
  { tellSince, now }: { readonly tellSince: UnixMs; readonly now: UnixMs },
): Finding[] {
  const taken = changes
    .filter(({ before, after }) => after.crossType !== '' && after.crossType !== before?.crossType)
    .map(({ before, after }) => ({
      transfer: after,
      word: after.crossType,
      place: after.originAt,
      isFirst: (before?.crossType ?? '') === '',
    }))
  if (taken.length === 0) return []
  const known = readWords(db, field)
  const fresh = taken.filter(({ word, place }) => !documented.has(word) && place >= tellSince)
  const rare = findRareWords(field, known, fresh)
  addWords(db, field, taken)
  return rare.map(({ transfer, word }) => toWordFinding(transfer, { field, word, others: known.others }, now))
}
