import { z } from 'zod'
import { transferStates } from '../../../bridge/transfer.ts'
import { gateQuestions } from '../../gate/gateFacts.ts'
import { leg, token } from './transfer.ts'
import { amount, baseUnits, direction, span, time } from './words.ts'

const level = z.enum(['clear', 'wait', 'suspect'])

const reason = z.object({
  level: z.enum(['wait', 'suspect']),
  question: z.enum(gateQuestions),
  code: z.string().describe('For programs; of a finding, its kind'),
  says: z.string(),
  evidence: z.array(z.object({ source: z.string(), at: time, says: z.string() })),
})

const gateTransfer = z.object({
  key: z.string(),
  id: z.string().nullable(),
  zoneEventIndex: z.string().nullable(),
  direction,
  state: z.enum(transferStates),
  origin: leg.nullable(),
  token,
  amount: amount.nullable(),
  amountRaw: baseUnits.nullable(),
  recipient: z.string(),
  verdict: level,
  reasons: z.array(reason),
  payouts: z
    .array(
      z.object({
        hash: z.string().nullable(),
        source: z.string(),
        at: time,
        says: z.string(),
        isCertain: z.boolean().describe('It is this transfer’s payout, and not only what may be'),
      }),
    )
    .describe('What paid it, or may have'),
})

export const gate = z
  .object({
    verdict: level.describe(
      'Pay only at `clear`: every question was answered, for every transfer of that name',
    ),
    at: time.describe('When it was judged; it says nothing of any later moment'),
    name: z.string().describe('As it was asked for'),
    compared: z
      .array(z.enum(['token', 'amount', 'amountRaw', 'recipient']))
      .describe('What of the payment was given, and so compared with what the ledger holds'),
    questions: z.array(
      z.object({
        question: z.enum(gateQuestions),
        answer: z.enum(['yes', 'no', 'unknown']).describe('`yes` is in favour of paying'),
      }),
    ),
    reasons: z.array(reason).describe('What holds for all transfers of that name'),
    transfers: z.array(gateTransfer),
    horizon: z
      .object({
        main: time.nullable(),
        zone: time.nullable(),
        list: time.nullable(),
        unpaidUntil: time.nullable().describe('A payout of before this would be known'),
      })
      .describe('Up to when each chain and the list are shown'),
    sources: z.array(
      z.object({
        source: z.string(),
        lastGoodAt: time.nullable(),
        staleAfterMs: span,
        isFresh: z.boolean(),
      }),
    ),
  })
  .describe('Whether a transfer may be paid')
