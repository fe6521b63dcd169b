import { z } from 'zod'
import type { WordField } from '../../kernel/rareWord.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { defineRaised } from '../../rules/kind.ts'

/** Told where records are taken. The words of challenges are `challenge.changed`. */
export const sourceNewWord = defineRaised({
  kind: 'source.new_word',
  nature: 'event',
  raisedBy: 'app',
  docs: 'A record has a word in `crossType` that is not documented, and that no record had while many had others.',
  remedy:
    "Ask the bridge's team what this word means: a new kind of transfer may be one that nobody watches yet.",
  sources: [],
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

/** @param others how many records had other words */
export function toWordFinding(
  { main, zone, direction, originAt }: Transfer,
  { field, word, others }: { readonly field: WordField; readonly word: string; readonly others: number },
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
