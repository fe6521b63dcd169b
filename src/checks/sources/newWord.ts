import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { crossTypes } from '../../bridge/observation.ts'
import { findRareWords } from '../../kernel/rareWord.ts'
import { addWords, readWords } from '../../kernel/wordStore.ts'
import type { TransferChange } from '../../ledger/recordAnswer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { defineRaised } from '../../rules/kind.ts'
import type { Database } from '../../store/database.ts'

/** Told where records are taken. The words of challenges are `challenge.changed`. */
export const sourceNewWord = defineRaised({
  kind: 'source.new_word',
  nature: 'event',
  raisedBy: 'app',
  docs: 'A record has a word in `crossType` that is not documented, and that no record had while many had others.',
  remedy:
    "Ask the bridge's team what this word means: a new kind of transfer may be one that nobody watches yet.",
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: ['source'],
  facts: {
    field: 'string',
    word: 'string',
    others: 'int',
    direction: 'string',
    mainTxHash: 'string',
    zoneTxHash: 'string',
  },
  params: z.strictObject({}),
})

/** The field whose words are counted. */
const field = 'crossType'
const documented: ReadonlySet<string> = new Set(crossTypes)

/** @param others how many records had other words */
function toWordFinding(
  { main, zone, direction, originAt }: Transfer,
  { word, others }: { readonly word: string; readonly others: number },
  now: UnixMs,
): Finding {
  const hashes = { mainTxHash: main?.hash ?? '', zoneTxHash: zone?.hash ?? '' }
  const places = [main && `main ${main.hash}`, zone && `zone ${zone.hash}`].flatMap((place) => place ?? [])
  return sourceNewWord.raise({
    // A word is new once.
    subject: `${field} ${word}`,
    title: `${field} "${word}" of ${places.join(', ')}`,
    transfer: null,
    facts: { field, word, others, direction, ...hashes },
    labels: { source: 'explorer' },
    evidence: [{ source: 'E3', at: now, says: `${field} is "${word}"; ${others} records had other words` }],
    since: Math.min(originAt, now),
  })
}

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
  return rare.map(({ transfer, word }) => toWordFinding(transfer, { word, others: known.others }, now))
}
