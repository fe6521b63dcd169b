import { z } from 'zod'
import type { Observation } from '../../../bridge/observation.ts'
import {
  evidenceSources,
  transferStates,
  type Leg,
  type LegEvidence,
  type TokenMove,
  type Transfer,
  type TransferToken,
} from '../../../bridge/transfer.ts'
import type { Sighting } from '../../../ledger/sightings/sighting.ts'
import type { GaveBack } from '../../../breaks/givenBack.ts'
import { alertStory } from './alert.ts'
import { amount, baseUnits, chain, count, direction, time } from './words.ts'

/** The fields of something of the ledger that is served as it is: none may be missing from the document. */
type FieldsOf<T> = Record<keyof T, z.ZodType>

const status = z.enum(['success', 'failed', 'unknown'])

export const leg = z.object({
  chain,
  hash: z.string(),
  height: z.int().nullable(),
  time: time.nullable().describe('Block time'),
} satisfies FieldsOf<Leg>)

export const token = z.object({
  address: z.string().describe('Lower case; empty for the native currency'),
  isUnknown: z.literal(true).exactOptional().describe('Nothing says which token it is'),
  symbol: z.string().nullable().describe('From the configuration; null when it is not listed there'),
  name: z.string().describe('From the chain: anybody may have chosen it'),
  type: z.string(),
  id: z.string().describe('Empty unless ERC-1155'),
  decimals: z.int().nullable(),
  movedAs: z.string().exactOptional().describe('The address that it moves under on the main chain'),
} satisfies FieldsOf<TransferToken>)

const move = z.object({
  token: z.string(),
  from: z.string(),
  to: z.string(),
  amountRaw: baseUnits.nullable(),
  amount: amount.nullable(),
  tokenId: z.string(),
} satisfies FieldsOf<TokenMove>)

export const evidence = z
  .object({
    chain,
    hash: z.string(),
    source: z.enum(evidenceSources),
    at: time,
    since: time.exactOptional().describe('Of the first answer that said the same, where it was another one'),
    status: z.enum([...status.options, 'absent']),
    errorMessage: z.string(),
    moves: z.array(move).nullable().describe('Tokens that moved; null when the source does not say'),
    isWhole: z.boolean().exactOptional(),
    amountRaw: baseUnits.nullable().exactOptional(),
    amount: amount.nullable().exactOptional(),
    actionType: z.string().exactOptional(),
    action: z.string().exactOptional(),
    recipient: z.string().exactOptional(),
    isFew: z.boolean().exactOptional().describe('Whom its event names is so as far as few samples tell'),
    paidIn: z.string().exactOptional(),
    earlier: z
      .array(z.strictObject({ hash: z.string(), recipient: z.string(), amountRaw: z.string() }))
      .exactOptional()
      .describe('Which withdrawals of a zone transaction were paid before the ledger begins, and where'),
    reads: count.exactOptional(),
    unasked: z.enum(evidenceSources).exactOptional(),
    agreement: z
      .strictObject({
        by: z.array(z.string()).describe('Who says so, by the names of their sources'),
        silent: z.array(z.string()).describe('Who was asked too and could not tell'),
      })
      .exactOptional(),
    height: z.int().nullable().exactOptional(),
    time: time.nullable().exactOptional(),
  } satisfies FieldsOf<LegEvidence>)
  .describe('What a second source says of one leg')

const unsaid = z.enum([
  'mainHash',
  'zoneHash',
  'token',
  'tokenId',
  'amountRaw',
  'value',
  'targetAddress',
  'crossType',
  'status',
  'batchDetail',
])

const changedFields = z.record(z.string(), z.string())

export const transfer = z
  .object({
    key: z.string().describe('The ledger’s own name for it, such as `t42`'),
    id: z.string().nullable(),
    direction,
    crossType: z.string(),
    state: z.enum(transferStates),
    status: status.describe('The newest of its records'),
    confirmedStatus: status,
    isListed: z.boolean().describe('Whether it has a record; else events of the chain alone show it'),
    listedLegAt: time.nullable().exactOptional(),
    firstStatus: status,
    main: leg.nullable(),
    zone: leg.nullable(),
    zoneEventIndex: z.string().nullable(),
    from: z.string(),
    to: z.string(),
    sourceAddress: z.string(),
    targetAddress: z.string(),
    token,
    amountRaw: baseUnits.nullable(),
    amount: amount.nullable(),
    recordDecimals: z.int().nullable(),
    batchDetail: z.string().nullable(),
    updateTime: time.nullable(),
    originAt: time.describe('When value left'),
    destinationAt: time.nullable().describe('When it arrived'),
    firstSeenAt: time,
    changedAt: time,
    readAt: time,
    soughtAt: time.exactOptional(),
    onlyAt: time
      .exactOptional()
      .describe('When E12 last showed a withdrawal without id and event index as the only one like it'),
    evidence: z.array(evidence),
    originProof: z.enum(['proven', 'unverified', 'failed', 'absent']),
    claim: z
      .object({ hash: z.string(), proof: z.enum(['proven', 'unsaid', 'open', 'refuted']) })
      .exactOptional()
      .describe('The origin that a payout’s own event names, while no record does'),
    rewrites: z
      .array(z.object({ at: time, before: changedFields, after: changedFields }))
      .describe('Final records that later said something else'),
    replaced: z
      .array(z.object({ chain, hash: z.string(), at: time, replacedAt: time.exactOptional() }))
      .exactOptional()
      .describe('Payouts that its records named before, and since when they name another'),
    unsaid: z.array(unsaid).exactOptional(),
    ambiguous: count,
  } satisfies FieldsOf<Transfer>)
  .describe('One crossing of value')

export const observation = z
  .object({
    source: z.enum(['E3', 'E12', 'chain']),
    requestedAt: time.describe('When it was first asked for'),
    id: z.string().nullable(),
    direction,
    crossType: z.string(),
    status,
    mainHash: z.string().nullable(),
    mainHeight: z.int().nullable(),
    mainTime: time.nullable(),
    zoneHash: z.string().nullable(),
    zoneHeight: z.int().nullable(),
    zoneTime: time.nullable(),
    from: z.string(),
    to: z.string(),
    sourceAddress: z.string(),
    targetAddress: z.string(),
    value: amount.nullable(),
    amountRaw: baseUnits.nullable(),
    token: z.string(),
    tokenType: z.string(),
    tokenId: z.string(),
    tokenName: z.string(),
    zoneEventIndex: z.string().nullable(),
    zoneBlockHash: z.string().nullable(),
    batchDetail: z.string().nullable(),
    updateTime: time.nullable(),
    pushHeight: z.int().nullable(),
    unsaid: z.string().exactOptional(),
    logIndex: z.string().nullable().exactOptional(),
    lastAt: time.exactOptional().describe('When it was last asked for and there'),
    twin: z.boolean().exactOptional().describe('Another record bore the same name with other content'),
    besides: count.exactOptional().describe('Records that could each have been a fuller form of this one'),
  } satisfies FieldsOf<Omit<Sighting, 'firstAt'> & Pick<Observation, 'requestedAt'>>)
  .describe('One record of a transfer, as one answer gave it')

export const transferPage = z.object({
  transfers: z.array(transfer),
  next: z.string().nullable().describe('The `cursor` of the page that follows; null on the last one'),
})

const standing = z
  .object({
    stage: z.string().describe('`left` while nothing of it was proposed, else as configured'),
    since: time,
    until: time
      .nullable()
      .describe('When the stage is over by its duration; of `claimable`, when it expires'),
    isAgain: z.boolean().describe('What it was proven by was removed'),
  })
  .describe('Where a withdrawal stands by the stages of its bridge')

const gaveBack = z
  .object({ at: time, hash: z.string(), amount } satisfies FieldsOf<GaveBack>)
  .describe('A movement that gave a failed deposit back; of several of one transaction and token any of them')

export const transferStory = z.object({
  transfer,
  observations: z.array(observation),
  standing: standing.nullable(),
  alerts: z.array(alertStory),
  givenBack: z.array(gaveBack),
})
