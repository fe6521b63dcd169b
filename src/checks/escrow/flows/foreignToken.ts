import { z } from 'zod'
import type { Finding } from '../../../bridge/finding.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { defineRaised } from '../../../rules/kind.ts'

/** Told by the poller that reads what moves at the escrows. */
export const escrowForeignToken = defineRaised({
  kind: 'escrow.foreign_token',
  nature: 'event',
  raisedBy: 'app',
  docs: "A token that is not the bridge's moved many times at an escrow: anybody can make one and write such transfers, as a smoke screen too.",
  remedy:
    "Nothing to do for the bridge's money; list the token under bridge.tokens if it is the bridge's, and look at who makes the noise.",
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.escrows'],
  isOncePerSubject: true,
  hasTransfer: false,
  subjectNames: ['chain', 'escrow'],
  facts: { token: 'string', count: 'int', fromHeight: 'int', height: 'int' },
  params: z.strictObject({}),
})

/** How often a token of nobody's moved at an escrow, in a range of blocks. */
export interface ForeignToken {
  readonly escrow: string
  readonly token: string
  readonly count: number
  readonly blocks: { readonly from: number; readonly to: number }
}

export function toForeignToken({ escrow, token, count, blocks }: ForeignToken, at: UnixMs): Finding {
  const where = `blocks ${blocks.from} to ${blocks.to}`
  return escrowForeignToken.raise({
    subject: `${escrow}:${token}`,
    title: `token ${token} at the escrow ${escrow}`,
    transfer: null,
    facts: { token, count, fromHeight: blocks.from, height: blocks.to },
    labels: { chain: 'main', escrow, token },
    evidence: [
      {
        source: 'E6',
        at,
        says: `at least ${count} movements in ${where}, and none before the escrow was first read`,
      },
    ],
    since: at,
  })
}
