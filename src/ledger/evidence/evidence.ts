import type { Chain, Status } from '../../bridge/observation.ts'
import { compareDecimals, type Decimal, noAmount, toDecimal } from '../../bridge/decimal.ts'
import { compareText, type Sighting } from '../sightings/sighting.ts'
import type { Agreement } from '../../bridge/agreement.ts'
import {
  type EarlierPayout,
  type EvidenceSource,
  type LegEvidence,
  mostMoves,
  type TokenMove,
  type Transfer,
} from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { int } from '../../store/table.ts'
import type { AnswerBody, LegAnswer } from './legAnswer.ts'
import { listAnswers, listNewestAnswers, openAnswers, type OpenAnswers } from './legAnswers.ts'
import { createHmac } from 'node:crypto'
import { parseDecimal } from '../../bridge/amount.ts'

/** One answer about one leg. `unknown`: the source knows the leg and does not say how it ended. */
export interface EvidenceReading {
  readonly chain: Chain
  readonly hash: string
  readonly source: EvidenceSource
  readonly requestedAt: UnixMs
  readonly status: Status | 'absent'
  readonly errorMessage: string
  readonly moves: readonly TokenMove[] | null
  /** It shows tokens and native currency alike. */
  readonly isWhole?: boolean
  readonly amountRaw?: bigint | null
  readonly amount?: string | null
  readonly reads?: number
  readonly unasked?: EvidenceSource
  readonly agreement?: Agreement
  readonly height?: number | null
  readonly time?: UnixMs | null
  /** What kind of action a zone transaction is, in the chain's words. */
  readonly actionType?: string
  /** All of that action, as JSON text. */
  readonly action?: string | null
  /** Whom a deposit's own event names, where its record names another. */
  readonly recipient?: string
  /** That is so as far as few samples tell. */
  readonly isFew?: boolean
  /** The transaction of the past that paid this origin. */
  readonly paidIn?: string
  readonly earlier?: readonly EarlierPayout[]
}

/** A longer action says nothing: half of it would be another one. */
const maxActionLength = 16_000

/**
 * Puts what sources say into the ledger, in the order of the readings.
 * @returns the hashes of which something else is said than what was known
 */
export function saveEvidence(db: Database, readings: readonly EvidenceReading[]): ReadonlySet<string> {
  const answers = openAnswers(
    db,
    readings.map(({ hash }) => hash),
  )
  const news = readings.filter((reading) => putReading(answers, reading))
  answers.save()
  return new Set(news.map(({ hash }) => hash))
}

/** What records of a transaction name. */
interface NamedMoney {
  /** As they move. */
  readonly tokens: ReadonlySet<string>
  readonly parties: ReadonlySet<string>
}

/**
 * Of more movements than are kept those of what records name come first, of these the largest: anybody can make others
 * move, and dust as well. Of other tokens those that moved least often: one that a record will name is among them.
 */
export function keepMoves(reading: EvidenceReading, named: NamedMoney): EvidenceReading {
  const { moves } = reading
  if (moves === null || moves.length <= mostMoves) return reading
  const counts = new Map<string, number>()
  for (const { token } of moves) counts.set(token, (counts.get(token) ?? 0) + 1)
  const rankOf = ({ token, from, to }: TokenMove, amount: Decimal | null) => {
    if (!named.tokens.has(token)) return 1 + (counts.get(token) ?? 0)
    if (amount === null) return -1
    return named.parties.has(from) || named.parties.has(to) ? 0 : 1
  }
  const ranked = moves.map((move) => {
    const amount = amountOf(move)
    return { move, rank: rankOf(move, amount), amount: amount ?? noAmount }
  })
  ranked.sort((a, b) => a.rank - b.rank || compareDecimals(b.amount, a.amount))
  const kept = new Set(ranked.slice(0, mostMoves).map(({ move }) => move))
  return { ...reading, moves: moves.filter((move) => kept.has(move)) }
}

function amountOf({ amountRaw, amount }: TokenMove): Decimal | null {
  return amountRaw === null ? toDecimal(amount ?? '') : { digits: amountRaw, scale: 0 }
}

function putReading(answers: OpenAnswers, reading: EvidenceReading): boolean {
  const { chain, hash, source, status, requestedAt: at } = reading
  const known = answers.of(hash).find((one) => one.chain === chain && one.source === source)
  if (known && known.at > at) return false
  // An empty status takes back nothing that was said.
  if (known && status === 'unknown' && known.status !== 'unknown') return false
  const body = toBody(reading)
  const since = known && saysTheSame(known, { status, body }) ? startOf(known) : at
  answers.put({ chain, hash, source, at, status, body: { ...body, ...(since < at && { since }) } })
  return known?.status !== status || textOf(known.body) !== textOf(body)
}

/** A transaction that was mined again in another block was away between. */
function saysTheSame(known: LegAnswer, { status, body }: Pick<LegAnswer, 'status' | 'body'>): boolean {
  const said = (one: AnswerBody) => JSON.stringify([one.moves, one.height])
  return known.status === status && said(known.body) === said(body)
}

function startOf({ at, body: { since = at } }: LegAnswer): UnixMs {
  return since
}

function textOf(body: AnswerBody): string {
  return JSON.stringify({ ...body, since: undefined })
}

/** What is known of every leg that these sightings name; what no source has an opinion on is left out. */
export function listEvidence(db: Database, sightings: readonly Sighting[]): LegEvidence[] {
  return openEvidence(db, sightings)(sightings)
}

/** Reads what is known of every leg that these sightings name, at once: the rest asks for the legs of some of them. */
export function openEvidence(
  db: Database,
  sightings: readonly Sighting[],
): (some: readonly Sighting[]) => LegEvidence[] {
  const hashes = sightings.flatMap(({ zoneHash, mainHash }) => [zoneHash ?? [], mainHash ?? []].flat())
  const found = listOf(db, hashes)
  if (found.length === 0) return () => []
  const byLeg = Map.groupBy(found, ({ chain, hash }) => `${chain} ${hash}`)
  return (some) => {
    const zone = new Set(some.flatMap(({ zoneHash }) => (zoneHash === null ? [] : `zone ${zoneHash}`)))
    const main = new Set(some.flatMap(({ mainHash }) => (mainHash === null ? [] : `main ${mainHash}`)))
    return [...zone, ...main].flatMap((leg) => byLeg.get(leg) ?? [])
  }
}

/** Hashes that a source knew lately: an answer without one of them is no answer. */
export function listKnownHashes(db: Database, chain: Chain, sources: readonly EvidenceSource[]): string[] {
  const known = listNewestAnswers(db, newestLooked).filter(
    (one) => one.chain === chain && one.status === 'success' && sources.includes(one.source),
  )
  return [...new Set(known.map(({ hash }) => hash))]
}

const newestLooked = 200

/** The newest transactions of a chain that these sources were asked about, the newest first. */
export function listAsked(
  db: Database,
  chain: Chain,
  sources: readonly EvidenceSource[],
  count: number,
): string[] {
  const asked = listNewestAnswers(db, count * askedOfBoth).filter(
    (one) => one.chain === chain && sources.includes(one.source),
  )
  return [...new Set(asked.map(({ hash }) => hash))].slice(0, count)
}

/** What was asked last is of both chains, and of other sources. */
const askedOfBoth = 4

/** Of these zone legs, those that no source but the node of the zone said anything of, nor was asked since a time. */
export function listUnanswered(db: Database, hashes: readonly string[], since: UnixMs): string[] {
  const answers = listAnswers(db, hashes).filter(
    ({ chain, source, status, at }) =>
      chain === 'zone' && source !== 'zoneRpc' && (status !== 'unknown' || at > since),
  )
  const answered = new Set(answers.map(({ hash }) => hash))
  return hashes.filter((one) => !answered.has(one))
}

/** How long after their newest block the newest transfers were first seen, ms, rising; history that was read later is left out. */
export function listListingLags(db: Database, count: number): number[] {
  const sql =
    'SELECT first_seen_at - coalesce(destination_at, origin_at) FROM transfers ORDER BY key DESC LIMIT ?'
  return int
    .all(db, sql, count)
    .filter((lag) => lag >= 0 && lag <= maxLagMs)
    .sort((a, b) => a - b)
}

/** What is first seen later than this was filled in, or read by a walk through the past. */
const maxLagMs = 600_000

/** A transaction that never shows how it ended while others do: that is all that is known of it. */
function withoutWord(
  { reads }: AnswerBody,
  asked: Pick<LegEvidence, 'chain' | 'hash' | 'source' | 'at'>,
): LegEvidence[] {
  return reads === undefined ? [] : [{ ...asked, status: 'unknown', errorMessage: '', moves: null, reads }]
}

function listOf(db: Database, hashes: readonly string[]): LegEvidence[] {
  return listAnswers(db, hashes)
    .flatMap(({ chain, hash, source, at, status, body }) =>
      status === 'unknown'
        ? withoutWord(body, { chain, hash, source, at })
        : [{ chain, hash, source, at, status, ...decodeBody(body) }],
    )
    .toSorted((a, b) => compareText(a.source, b.source))
}

function toBody(reading: EvidenceReading): AnswerBody {
  const { errorMessage, moves, amountRaw, amount, reads, height, time, actionType = '' } = reading
  const action = reading.action ?? ''
  return {
    ...(errorMessage !== '' && { errorMessage }),
    ...(moves && {
      moves: moves.map((move) => ({ ...move, amountRaw: move.amountRaw?.toString() ?? null })),
    }),
    ...(reading.isWhole === true && { whole: true }),
    ...(amountRaw !== undefined && amountRaw !== null && { amountRaw: amountRaw.toString() }),
    ...(amount !== undefined && amount !== null && { amount }),
    ...(reads !== undefined && { reads }),
    ...(reading.unasked !== undefined && { unasked: reading.unasked }),
    ...(reading.agreement !== undefined && { agreement: reading.agreement }),
    ...(height !== undefined && height !== null && { height }),
    ...(time !== undefined && time !== null && { time }),
    ...(actionType !== '' && { actionType }),
    ...(reading.paidIn !== undefined && { paidIn: reading.paidIn }),
    ...(reading.earlier !== undefined && { earlier: reading.earlier }),
    ...(reading.recipient !== undefined && { recipient: reading.recipient }),
    ...(reading.isFew === true && { few: true }),
    ...(action !== '' && action.length <= maxActionLength && { action }),
  }
}

function decodeBody(body: AnswerBody) {
  return {
    errorMessage: body.errorMessage ?? '',
    moves:
      body.moves?.map((move) => ({
        ...move,
        amountRaw: move.amountRaw === null ? null : BigInt(move.amountRaw),
      })) ?? null,
    amountRaw: body.amountRaw === undefined ? null : BigInt(body.amountRaw),
    ...(body.whole === true && { isWhole: true }),
    amount: body.amount ?? null,
    height: body.height ?? null,
    time: body.time ?? null,
    ...(body.since !== undefined && { since: body.since }),
    ...(body.reads !== undefined && { reads: body.reads }),
    ...(body.unasked !== undefined && { unasked: body.unasked }),
    ...(body.agreement !== undefined && { agreement: body.agreement }),
    ...(body.actionType !== undefined && { actionType: body.actionType }),
    ...(body.action !== undefined && { action: body.action }),
    ...(body.paidIn !== undefined && { paidIn: body.paidIn }),
    ...(body.earlier !== undefined && { earlier: body.earlier }),
    ...(body.recipient !== undefined && { recipient: body.recipient }),
    ...(body.few === true && { isFew: true }),
  }
}

/**
 * How long an ordinary leg waits for others to share its request: with the half minute that absence takes it is reported
 * within two minutes.
 */
export const evidenceHoldMs = 30_000
/** Of what the escrows hold: what takes more is worth a request of its own. */
const largeShare = 50n

export function isLargeShare(amountRaw: bigint | null, reserve: bigint | null): boolean {
  return amountRaw !== null && reserve !== null && amountRaw * largeShare > reserve
}

/** Of which main legs the second source is asked. */
interface ReceiptChoice {
  /** Of all of at least so many token units, as decimal text. */
  readonly verifyAbove: string
  /** Of the rest this share, 0 to 1. */
  readonly sample: number
}

/**
 * Which main legs the second source is asked of: all above a bound, and of the rest a share that no one can choose.
 * @param key known to nobody else, and the same after a restart
 */
export function choosesReceipt({ verifyAbove, sample }: ReceiptChoice, key: string) {
  return ({ amount }: Transfer, hash: string): boolean => {
    if (amount === null || isAtLeast(amount, verifyAbove)) return true
    // Keyed: who sends a transaction may choose its hash, and must not choose what is looked at.
    const digest = createHmac('sha256', key).update(hash).digest()
    return digest.readUInt32BE(0) / 0x1_0000_0000 < sample
  }
}

function isAtLeast(amount: string, bound: string): boolean {
  const [a, b] = [parseDecimal(amount), parseDecimal(bound)]
  return !a || !b || a.digits * 10n ** BigInt(b.scale) >= b.digits * 10n ** BigInt(a.scale)
}
