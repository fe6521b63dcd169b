import { z } from 'zod'
import { breakKinds } from '../../../breaks/break.ts'
import { transferStates } from '../../../bridge/transfer.ts'
import { amount, count, direction, time } from './words.ts'

const kind = z.enum(breakKinds)
const inBaseUnits = z.boolean().describe('The token’s decimals are not known: amounts are in base units')

export const shownBreak = z
  .object({
    name: z.string().describe('A transfer’s key, or `escrow:token:hash` of a movement'),
    kind,
    direction,
    isOpen: z.boolean(),
    token: z.object({ address: z.string(), symbol: z.string().nullable(), name: z.string() }),
    inBaseUnits,
    amount: amount.nullable().describe('What the chains show; null when no record says how much'),
    left: amount.nullable(),
    settled: amount.describe('By hand'),
    entries: z.array(z.string()),
    remark: z.string().nullable(),
    since: time,
    state: z.enum(transferStates).nullable(),
    transferKey: z.string().nullable(),
    mainHash: z.string().nullable(),
    zoneHash: z.string().nullable(),
    source: z.string(),
    target: z.string(),
    escrow: z.string().nullable(),
    height: z.int().nullable(),
    evidence: z.string(),
    caseId: z.string().nullable(),
  })
  .describe('One thing that does not reconcile')

const entryShare = z.object({
  name: z.string(),
  part: z.enum(['payout', 'origin', 'all']),
  kind,
  token: z.object({ address: z.string(), symbol: z.string().nullable() }),
  inBaseUnits,
  amount: amount.nullable(),
  now: z.enum(['holds', 'over', 'changed', 'taken back']),
})

export const breakEntry = z
  .object({
    id: z.string(),
    at: time,
    what: z.enum(['matched', 'written off', 'taken back']),
    who: z.string(),
    from: z.string().describe('From where, in words'),
    reason: z.string(),
    difference: amount.nullable().describe('Of a matching: the payout less the origin'),
    undoes: z.string().nullable(),
    undoneBy: z.string().nullable(),
    shares: z.array(entryShare),
  })
  .describe('What somebody did about breaks')

export const breakSum = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  inBaseUnits,
  open: z.object({ count, amount, unknown: count }),
  settled: z.object({ count, amount }),
  oldestAt: time.nullable(),
})

export const breakPage = z.object({
  breaks: z.array(shownBreak),
  total: count.describe('How many fit, those that are not shown too'),
  sums: z.array(breakSum).describe('By token, open and settled by hand'),
  isCut: z.boolean().describe('There are more than are read at once'),
  next: z.string().nullable().describe('The `cursor` of the page that follows; null on the last one'),
  entries: z.array(breakEntry).describe('The newest 50'),
})
