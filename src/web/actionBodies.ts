import { z } from 'zod'

const time = z.coerce
  .number()
  .int()
  .nonnegative()
  .max(8.64e15)
  .meta({ format: 'int64', description: 'Milliseconds since 1970' })

const name = z.string().max(200)
const reason = z.string().max(500)
const by = name.describe('Who does it')

export const ackBody = z.strictObject({ by })

export const caseBody = z.strictObject({
  by,
  text: z
    .string()
    .max(5_000)
    .nullable()
    .default(null)
    .describe(
      'Whom it is assigned to, null for nobody; the note, at most 2,000 characters; the reason of a handling, at most 500',
    ),
  turn: z
    .int()
    .positive()
    .optional()
    .describe('Of an acknowledgement and a handling: refused where the case opened again since'),
})

const silenceFields = z.strictObject({
  matchers: z
    .array(z.string().max(2_000))
    .max(50)
    .readonly()
    .default([])
    .describe('Such as `rule=withdrawal-stalled`; all must match'),
  startsAt: time.nullable().default(null).describe('Null is now'),
  endsAt: time.nullable().default(null).describe('Needed, but where it ends when its transfer is over'),
  author: z.string().max(200),
  comment: z.string().max(500),
  transfer: z
    .strictObject({
      name: z.string().max(200).describe('Key, id or hash'),
      kinds: z
        .array(z.string().max(200))
        .max(50)
        .readonly()
        .nullable()
        .default(null)
        .describe('Null is every kind that its alerts are of now'),
      untilOver: z.boolean().default(false),
    })
    .nullable()
    .optional()
    .describe('For one transfer, instead of `matchers`'),
  allowUnknown: z.boolean().optional().describe('For rules that are to come'),
})

export const silenceBody = silenceFields.refine(
  ({ endsAt, transfer }) => endsAt !== null || transfer?.untilOver,
  { path: ['endsAt'], error: 'expected when it ends' },
)

export const previewBody = z.strictObject({
  ...silenceFields.shape,
  author: silenceFields.shape.author.default(''),
  comment: silenceFields.shape.comment.default(''),
})

export const signedBody = z.looseObject({ by: by.optional() })

export const matchBody = z.strictObject({
  payout: name.describe('A key, an id, a hash, or a movement’s name'),
  origin: name.describe('A key, an id, a hash, or a movement’s name'),
  reason,
  force: z.boolean().default(false).describe('Also of two tokens, and of unknown amounts'),
  by,
})

export const writeOffBody = z.strictObject({ name, reason, by })

export const undoBody = z.strictObject({ entry: name.describe('As printed, `e3`'), reason, by })

export const rewindBody = z.strictObject({ until: time, by: by.optional() })
