import { z } from 'zod'

const line = z.string().max(5_000)
const time = z.int().nonnegative().max(8.64e15)
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/)
const severity = z.enum(['critical', 'warning', 'info'])

/** What a transfer goes by on every node; its key is of one ledger. Null for what it does not have. */
const transferNames = z.strictObject({ id: line.nullable(), main: line.nullable(), zone: line.nullable() })
export type HandedTransfer = z.output<typeof transferNames>

/** An alert. One of a transfer is named by the transfer's key, in its fingerprint too: elsewhere that may be another one. */
const alertName = z.strictObject({
  fingerprint,
  rule: line,
  kind: line,
  subject: line,
  /** As its node calls its transfer, and how all do; null where it is of none. */
  transfer: z.strictObject({ key: line, names: transferNames }).nullable(),
})
export type HandedAlert = z.output<typeof alertName>

/** A break: a transfer, or a movement by its name. */
const broken = z.union([z.strictObject({ movement: line }), z.strictObject({ transfer: transferNames })])
export type HandedBreak = z.output<typeof broken>

/** A channel acknowledged a message of it. */
const told = z.strictObject({
  kind: z.literal('told'),
  at: time,
  alert: alertName,
  channel: line,
  what: line,
  episode: z.int(),
  /** What happened to the case; null for what is told of an alert. */
  change: line.nullable(),
  /** As the message said it; null where the alert says something else by now, so that nobody knows. */
  said: z.strictObject({ severity, material: line }).nullable(),
  /** At most the turn that its case was in, null for none: in a later one it is told anew. */
  turn: z.int().nullable(),
  messageId: line,
})
export type Told = z.output<typeof told>

const alertAck = z.strictObject({
  kind: z.literal('alert'),
  at: time,
  alert: alertName,
  episode: z.int(),
})

const money = z.record(line, z.strictObject({ places: line, lacking: line }))

const caseWork = z.strictObject({
  kind: z.literal('case'),
  at: time,
  /** `seen`: it was done about a turn that is over there, which is written down and nothing more. */
  do: z.enum(['ack', 'assign', 'note', 'handle', 'reopen', 'seen', 'escalated']),
  text: line.nullable(),
  /** Its alerts as somebody saw them, the worst first. */
  members: z.array(alertName).min(1).max(1_000),
  turn: z.int(),
  money,
})
export type HandedCase = z.output<typeof caseWork>

/** What a silence is known by on every node. */
const silenceName = { author: line, comment: line, createdAt: time }

const silence = z.strictObject({
  kind: z.literal('silence'),
  at: time,
  ...silenceName,
  matchers: z.array(line).max(50),
  startsAt: time,
  endsAt: time,
  /** The transfers that it names by keys of the node that hands it over. */
  keys: z.record(line, transferNames),
  transfer: z
    .strictObject({
      key: line,
      untilOver: z.boolean(),
      kinds: z.array(
        z.strictObject({
          kind: line,
          severity,
          amount: line.nullable(),
          token: line,
          symbol: line,
        }),
      ),
    })
    .nullable(),
})
export type HandedSilence = z.output<typeof silence>

const silenceEnd = z.strictObject({ kind: z.literal('silence end'), at: time, ...silenceName })
export type HandedSilenceEnd = z.output<typeof silenceEnd>

const breakEntry = z.strictObject({
  kind: z.literal('break'),
  at: time,
  do: z.enum(['match', 'write off', 'undo']),
  reason: line,
  /** Of a matching the payout, then the origin; of an undoing what the entry settled. */
  of: z.array(broken).min(1).max(2),
})
export type HandedEntry = z.output<typeof breakEntry>

/** What one node alone knew: everything in it goes by names that all nodes have. */
export const handed = z.discriminatedUnion('kind', [
  told,
  alertAck,
  caseWork,
  silence,
  silenceEnd,
  breakEntry,
])
export type Handed = z.output<typeof handed>

/** What has to be done in its order goes by the same name; what is told waits for nothing. */
export function topicOf(of: Handed): string | null {
  switch (of.kind) {
    case 'told':
      return null
    case 'alert':
      return `alert ${of.alert.fingerprint}`
    case 'case':
      return `case ${of.members[0]?.fingerprint}`
    case 'silence':
    case 'silence end':
      return `silence ${of.createdAt} ${of.author}`
    case 'break':
      return `break ${JSON.stringify(of.of)}`
  }
}
