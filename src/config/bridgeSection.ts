import type { AbiFunction } from 'viem'
import { parseAbiItem } from 'viem/utils'
import { z } from 'zod'
import { isMint } from '../bridge/mint.ts'
import { canonicalToken } from '../bridge/movedToken.ts'
import { directions } from '../bridge/observation.ts'
import { address, amount, duration, pattern, refuse, text, wholeNumber } from './fields.ts'

const expectedEvent =
  'expected an event with the names of its parts, such as "Proposed(bytes32 indexed root, uint256 zoneHeight)"'

const direction = z.enum(directions)

const token = z.strictObject({
  address,
  symbol: text().max(64),
  decimals: wholeNumber(0, 77),
  usd: amount.optional(),
  zoneAddress: address.optional(),
})

const topic = pattern(
  /^0x[0-9a-fA-F]{64}$/,
  'expected a first topic in quotes: 0x and 64 hex digits',
).transform((value) => value.toLowerCase())

/** An event of a bridge contract whose meaning is known: otherwise it is learned from transfers, or well known. */
const bridgeEvent = z.strictObject({
  topic,
  means: z.enum(['deposit', 'payout', 'administration'], {
    error: 'expected deposit, payout or administration',
  }),
  name: text().max(64).default('administration'),
})

const stageNames = [
  'proposed',
  'challengeable',
  'provable',
  'proven',
  'claimable',
  'expired',
  'removed',
] as const

/** An event as its contract declares it, with the names of its parts. */
const eventSignature = z
  .string({ error: expectedEvent })
  .max(1_000)
  .transform((value, context) => {
    try {
      return parseAbiItem(`event ${value}` as 'event Any()')
    } catch {
      return refuse(context, expectedEvent)
    }
  })

/** A stage of withdrawals, and what begins it: an event, a word of the challenge, or else the end of the one before. */
const stage = z
  .strictObject({
    stage: z.enum(stageNames, { error: `expected ${stageNames.join(', ')}` }),
    event: eventSignature.optional(),
    names: text('expected the name of a part of the event').optional(),
    height: text('expected the name of a part of the event').optional(),
    challenge: z.array(text()).default([]),
    lasts: duration({ minMs: 1_000, maxMs: 366 * 86_400_000 }).optional(),
    every: duration({ minMs: 1_000, maxMs: 31 * 86_400_000 }).optional(),
  })
  .superRefine(({ event, names, height, stage: of, every }, context) => {
    const parts = (event?.inputs ?? []).map((input: { readonly name?: string }) => input.name)
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (event !== undefined && (names === undefined) === (height === undefined))
      problem(
        'event',
        'expected either `names` or `height` beside it: which part says of which withdrawals it is',
      )
    for (const [path, part] of Object.entries({ names, height })) {
      if (part !== undefined && !parts.includes(part))
        problem(path, `expected a part of the event: ${parts.join(', ') || 'there is no event'}`)
    }
    if (of === 'removed' && height === undefined)
      problem('height', 'expected from which height of the zone it takes back')
    if (every !== undefined && height === undefined)
      problem('every', 'expected only where `height` is given: at proposals')
  })

const expectedFunction =
  'expected a function that returns a number, such as usedToday(address token) view returns (uint256)'

/** A function as its contract declares it; the first thing that it returns is the number. */
const viewFunction = z
  .string({ error: expectedFunction })
  .max(1_000)
  .transform((value, context): AbiFunction => {
    const item = readFunction(value)
    return item && /^uint\d*$/.test(item.outputs[0]?.type ?? '') ? item : refuse(context, expectedFunction)
  })

function readFunction(text: string): AbiFunction | null {
  try {
    return parseAbiItem(`function ${text}` as 'function any() view')
  } catch {
    return null
  }
}

const question = { call: viewFunction, args: z.array(z.string().max(200)).max(10).default([]) }

/** What a contract says is used of a limit, and what the limit is: base units, or asked of the same contract. */
const limit = z
  .strictObject({
    name: text().max(64),
    address,
    ...question,
    max: z.union([
      pattern(/^\d{1,78}$/, 'expected a whole number of base units in quotes').transform(BigInt),
      z.strictObject(question),
    ]),
    decimals: wholeNumber(0, 77).default(0),
  })
  .superRefine(({ call, args, max }, context) => {
    const questions = [
      { call, args, path: ['args'] },
      ...(typeof max === 'bigint' ? [] : [{ ...max, path: ['max', 'args'] }]),
    ]
    for (const { call: asked, args: given, path } of questions)
      if (asked.inputs.length !== given.length)
        context.addIssue({
          code: 'custom',
          path,
          message: `expected ${asked.inputs.length} of them, as the function takes`,
        })
  })

const escrow = z
  .strictObject({ address, token: address, baseline: amount.nullable().default(null) })
  .superRefine(({ baseline, token, ...place }, context) => {
    if (!isMint(place)) return
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message })
    if (canonicalToken(token) === '')
      refuse('token', 'expected a token that the bridge mints, as `address` has it: not the native currency')
    if (baseline !== null) refuse('baseline', 'expected none: what is minted is held nowhere')
  })

export const bridge = z.strictObject({
  contracts: z.array(address).default([]),
  events: z.array(bridgeEvent).default([]),
  escrows: z.array(escrow).default([]),
  operators: z.array(z.strictObject({ address, minBalance: amount.nullable().default(null) })).default([]),
  probes: z
    .array(
      z.strictObject({
        address,
        direction,
        every: duration({ minMs: 60_000, maxMs: 31 * 86_400_000 }).prefault('1h'),
      }),
    )
    .default([]),
  limits: z.array(limit).max(50, 'expected at most 50 limits').default([]),
  stages: z.array(stage).max(20, 'expected at most 20 stages').default([]),
  tokens: z.array(token).default([]),
  wrappedNative: address
    .refine(
      (value) => canonicalToken(value) !== '',
      'expected the address of the wrapper, not of the native currency',
    )
    .optional(),
  prices: text('expected the path of a file').optional(),
  challenge: z
    .strictObject({ known: z.array(text()).default([]), terminal: z.array(text()).default([]) })
    .prefault({}),
  fees: z.array(z.strictObject({ token: address, direction, max: amount })).default([]),
})
