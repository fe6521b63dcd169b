import { z } from 'zod'
import { defineRaised } from '../../rules/kind.ts'

/** Told by the poller that reads it. */
export const challengeChanged = defineRaised({
  kind: 'challenge.changed',
  nature: 'event',
  raisedBy: 'app',
  docs: 'The `challengeStatus` or `l1OriginHash` of a bridge transaction changed from one value to another, or a first value is one that none had while many had others.',
  remedy: "Read the bridge's announcements for this transaction; a challenge delays or reverts its payout.",
  sources: ['explorer'],
  ties: ['transaction', 'crowd'],
  needs: ['bridge.contracts'],
  hasTransfer: false,
  subjectNames: ['chain'],
  facts: {
    field: 'string',
    before: 'string',
    after: 'string',
    mainTxHash: 'string',
    contract: 'string',
    height: 'int',
    isUnknown: 'bool',
    isRare: 'bool',
    wasTerminal: 'bool',
  },
  params: z.strictObject({}),
})
