import { z } from 'zod'
import { escrowPeriods } from '../../escrowTypes.ts'
import { reportToken } from './reportParts.ts'
import { amount, count, span, time } from './words.ts'

const sides = {
  holds: amount.nullable(),
  owes: amount.nullable(),
  inTransit: amount.nullable().describe('Leaving, for transfers that were not judged yet'),
}

export const accounts = z
  .object({
    claims: amount.describe('What holders on the zone chain can claim'),
    toZone: amount.describe('Locked, and not credited yet'),
    toMain: amount.describe('Taken on the zone chain, and not paid yet'),
    fees: amount.describe('Stayed behind of transfers since counting began'),
    gas: amount
      .exactOptional()
      .describe('Paid by escrows for transactions that they sent themselves: below zero'),
    open: amount.describe('Moved, or recorded, and not judged yet'),
    unexplained: amount.describe('Below zero: taken, or credited without being locked'),
  })
  .describe('What is held, account by account: the sum of all of them')

export const escrowLine = z
  .object({
    token: reportToken,
    ...sides,
    at: time.nullable().describe('When that was judged'),
    isHeld: z
      .boolean()
      .describe('False where nothing ever came to rest: what comes in is passed on, or burned'),
    accounts: accounts.nullable(),
  })
  .describe('All escrows of a token together; null is not known')

export const escrowOverview = z.object({
  escrows: z.array(escrowLine),
  hasNode: z.boolean().describe('Whether a node says what addresses hold'),
})

export const movement = z
  .object({
    escrow: z.string(),
    hash: z.string().nullable().describe('Null for a change of the balance that no listed movement makes'),
    fromHeight: z.int().nullable(),
    height: z.int(),
    at: time,
    amount,
    party: z.string().describe('The other side; empty where it is not known'),
    verdict: z.enum(['open', 'explained', 'refund', 'unexplained', 'unjudged']),
    reason: z.string(),
    transfers: z.array(z.string()).describe('Keys of transfers of the same transaction, at most three'),
    caseId: z.string().nullable(),
  })
  .describe('What moved at an escrow')

export const escrowStory = escrowLine
  .extend({
    baseline: z
      .object({
        amount: amount.nullable(),
        isAssumed: z.boolean().describe('Nothing else says it: it is what was held then'),
        isProven: z.boolean().describe('What existed on the zone chain then could be claimed in full'),
        since: time,
      })
      .nullable()
      .describe('What was owed when counting began'),
    supply: z
      .object({
        there: amount.describe('What there is on the zone chain'),
        claims: amount.describe('What can be claimed by what was locked and taken'),
        excess: amount.describe('So much exists that was not locked'),
        height: z.int().describe('The zone block'),
        at: time,
        since: time.describe('When it was first compared'),
      })
      .nullable()
      .describe('What there is of the token on the zone chain, at the newest comparison'),
    places: z
      .array(z.object({ address: z.string(), holds: amount.nullable(), height: z.int(), at: time }))
      .describe('Each escrow'),
    course: z.object({
      period: z.enum(escrowPeriods),
      from: time,
      stepMs: span,
      points: z
        .array(z.object({ at: time, ...sides }))
        .describe('Each step by its moment with the least to spare'),
    }),
    movements: z.object({
      isUnexplained: z.boolean(),
      knownSince: time
        .nullable()
        .describe('From when on all of them are known, where that is later than the period begins'),
      count: count.describe('In the period, explained or not'),
      isCut: z.boolean().describe('There are more than are looked through'),
      out: z.array(movement),
      in: z.array(movement),
    }),
  })
  .describe('One token’s escrows')
