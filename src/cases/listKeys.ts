import { createHash } from 'node:crypto'
import type { Finding } from '../bridge/finding.ts'
import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Detector, Tie } from '../rules/kind.ts'

/** A name of a cause: what bears it within its gap belongs together. */
export interface CaseKey {
  readonly key: string
  /** How long after one the next may come and still be of the same cause, ms; Infinity for what is one for ever. */
  readonly gapMs: number
  /** What holds is tied by when it began, not until it ends. */
  readonly isMoment?: true
  /** Left out, two are enough; else so many within `gapMs`. */
  readonly least?: number
}

/** Where a token's money is held, as the configuration says. */
export interface KnownEscrow {
  readonly address: string
  readonly token: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A loss explains what lacks at an escrow for a day, as it does for what was sent (alerts/findJoined.ts). */
const escrowGapMs = 24 * hourMs
/** What lacks of one token explains nothing of another; but an escrow that loses several within minutes is being emptied. */
const drainGapMs = 10 * minuteMs
/** Failures with the same text that come in a storm; two a day are two causes. */
const errorGapMs = 10 * minuteMs
/** So many of one kind within a minute are a storm, whatever is known of why; a few happen at the same time. */
const crowdGapMs = minuteMs
const crowdLeast = 5
/** So many that left one way within half an hour and have not come through: that way is blocked. */
const delayGapMs = 30 * minuteMs
const sourceGapMs = 10 * minuteMs
/** What comes and goes within the hour flaps: that is one case. */
const subjectGapMs = hourMs

/** What a tie goes by beside the finding. */
interface Known {
  /** The name of the rule that found it. */
  readonly rule: string
  readonly escrows: readonly KnownEscrow[]
}

/** The causes that a finding may share with others: its own subject, and what its kind ties it to. */
export function listKeys(
  kind: Pick<Detector, 'ties'> | null,
  finding: Finding,
  known: Known,
): readonly CaseKey[] {
  const { subject, transfer } = finding
  // A transfer is a subject itself, whatever the kind says of it.
  const own =
    transfer?.key === subject
      ? []
      : [{ key: shorten(`subject:${finding.kind}:${subject}`), gapMs: subjectGapMs }]
  const tied = (kind?.ties ?? []).flatMap((tie) => tieOf[tie](finding, known))
  return [...own, ...new Map(tied.map((one) => [one.key, one])).values()]
}

const tieOf: Readonly<Record<Tie, (finding: Finding, known: Known) => CaseKey[]>> = {
  transfer: ({ transfer }) => (transfer === null ? [] : keysOfTransfer(transfer)),
  transaction: ({ facts }) =>
    ['mainTxHash', 'txHash', 'hash'].flatMap((name) => keyOfTransaction(String(facts[name] ?? ''))),
  escrow: ({ transfer, labels }, { escrows }) => {
    const token = transfer === null ? canonicalToken(labels.token ?? '') : movedToken(transfer.token)
    const escrow = transfer === null ? (labels.escrow ?? '') : escrowOf(transfer, token, escrows)
    if (escrow === '') return []
    const place = `escrow:${escrow.toLowerCase()}`
    return [
      { key: `${place}:${token}`, gapMs: escrowGapMs },
      { key: place, gapMs: drainGapMs, isMoment: true },
    ]
  },
  party: ({ transfer, facts }) => {
    const party = (transfer?.targetAddress ?? String(facts['party'] ?? '')).toLowerCase()
    const isNobody = !/^0x[0-9a-f]{40}$/.test(party) || /^0x0+$/.test(party)
    return isNobody ? [] : [{ key: `party:${party}`, gapMs: escrowGapMs }]
  },
  error: ({ kind, facts, transfer }) => {
    const text = plainError(String(facts['errorMessage'] ?? ''))
    const key = `error:${kind}:${transfer?.direction ?? ''}:${text}`
    return text === '' ? [] : [{ key: shorten(key), gapMs: errorGapMs }]
  },
  crowd: ({ kind, transfer }) => [
    { key: `crowd:${kind}:${transfer?.direction ?? ''}`, gapMs: crowdGapMs, least: crowdLeast },
  ],
  // Of each rule by itself: a transfer that two of them tell of is one.
  delay: ({ kind, transfer }, { rule }) => [
    {
      key: shorten(`delay:${kind}:${transfer?.direction ?? ''}:${rule}`),
      gapMs: delayGapMs,
      least: crowdLeast,
    },
  ],
  source: ({ labels }) => (labels.source ? [{ key: `source:${labels.source}`, gapMs: sourceGapMs }] : []),
  chain: ({ labels }) => (labels.chain ? [{ key: `chain:${labels.chain}`, gapMs: sourceGapMs }] : []),
  token: ({ labels }) =>
    labels.token === undefined
      ? []
      : [{ key: `token:${canonicalToken(labels.token)}:${labels.direction ?? ''}`, gapMs: subjectGapMs }],
}

/** Whether it names an error text, as `error` above writes it. */
export function isErrorKey({ key }: CaseKey): boolean {
  return key.startsWith('error:')
}

function keysOfTransfer({ key, main, zone }: Transfer): CaseKey[] {
  const hashes = [main?.hash ?? '', zone?.hash ?? '']
  return [{ key: `transfer:${key}`, gapMs: Infinity }, ...hashes.flatMap(keyOfTransaction)]
}

function keyOfTransaction(hash: string): CaseKey[] {
  return /^0x[0-9a-f]{64}$/i.test(hash) ? [{ key: `tx:${hash.toLowerCase()}`, gapMs: Infinity }] : []
}

/** Whose money a transfer moved: the escrow that its payout was seen to leave, else the only one of its token. */
function escrowOf(transfer: Transfer, token: string, escrows: readonly KnownEscrow[]): string {
  const ofToken = escrows.filter((one) => canonicalToken(one.token) === token)
  const payers = transfer.evidence
    .filter(({ chain, hash }) => chain === 'main' && hash === transfer.main?.hash)
    .flatMap(({ moves }) => moves ?? [])
    .filter((move) => canonicalToken(move.token) === token)
  const seen = ofToken.find(({ address }) => payers.some(({ from }) => from === address.toLowerCase()))
  return seen?.address ?? (ofToken.length === 1 ? (ofToken[0]?.address ?? '') : '')
}

/**
 * An error's text without what differs from one to the next: numbers and hashes.
 * @example plainError('nonce too low: 41, expected 43') // 'nonce too low: #, expected #'
 */
function plainError(text: string): string {
  return text
    .toLowerCase()
    .replace(/0x[0-9a-f]+|\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Texts from a chain may be long: a key is not. */
function shorten(key: string): string {
  return key.length <= 100
    ? key
    : `${key.slice(0, 60)}…${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}
