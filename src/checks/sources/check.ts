import type { Check } from '../../kernel/check.ts'
import { sourceDrift } from './drift.ts'
import { judgeWords, sourceNewWord } from './newWord.ts'
import { sourceRejected } from './rejected.ts'
import { sourceSuspicious } from './suspicious.ts'
import { sourceUnavailable } from './unavailable.ts'

/** Whether the sources answer, and with what can be read and believed. It asks nothing of its own. */
export const sources: Check = {
  name: 'sources',
  kinds: [sourceUnavailable, sourceRejected, sourceDrift, sourceSuspicious, sourceNewWord],
  open: ({ db, tellSince }) => ({
    pollers: [],
    facts: () => ({}),
    onRecords: ({ changes }, now) => judgeWords(db, changes, { tellSince, now }),
  }),
}
