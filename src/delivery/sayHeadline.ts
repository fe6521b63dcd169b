import type { Decimal } from '../bridge/decimal.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { sayDuration, sayInstant } from '../lib/sayTime.ts'
import type { UnixMs } from '../lib/clock.ts'
import { shortHash } from '../lib/shortHash.ts'
import { cleanText } from '../lib/text.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Severity } from '../rules/types.ts'
import type { CaseChange, MessageCase, MessageItem } from './channels/message.ts'
import { saySum } from './channels/caseWords.ts'
import { verdictLine } from './channels/textParts.ts'
import type { KindCount } from './countKinds.ts'
import { rankMoney, type TokenFacts } from './describeCase.ts'
import { wordsOf } from './kindWords.ts'

export interface Headlined {
  readonly severity: Severity
  /** In the order in which they are told. */
  readonly items: readonly MessageItem[]
  readonly counts: readonly KindCount[]
  readonly total: number
  readonly case: MessageCase | null
  /** Of a message about several. */
  readonly cases: readonly MessageCase[]
  /** How many there are, listed or not. */
  readonly caseCount: number
  readonly changes: readonly CaseChange[]
  /** How many findings of its case the channel got before. */
  readonly toldBefore: number
  readonly now: UnixMs
}

export interface HeadlineWords {
  readonly kinds: Kinds
  readonly tokens: TokenFacts
}

/**
 * A message in one line, severity as a word first: the verdict, many of one kind in a sentence, or how many cases.
 * @example "CRITICAL: 388 withdrawals failed in 1 min, 2,100,000 USDC, all 'nonce too low'"
 */
export function sayHeadline(words: HeadlineWords, of: Headlined): string {
  const [only] = of.items
  if (of.case && of.total === 0) return sayChanges(of.case, of.changes)
  if (of.total === 1 && only) return verdictLine(only)
  const isUpdate = of.counts.length > 0 && of.counts.every(({ status }) => status === 'update')
  const word = `${of.severity.toUpperCase()}${isUpdate ? ', update' : ''}`
  if (of.cases.length > 1) return `${word}: ${sayCases(of)}`
  const [first, ...others] = of.counts
  if (first === undefined) return `${word}: ${of.total} alerts`
  const also = others.length === 0 ? '' : `; also ${listOthers(others)}`
  return `${word}: ${sayFirst(words, of, first)}${also}${sayGrowth(of)}`
}

/** @example '4 cases, the worst: Withdrawal of 9,750,000 USDC failed: nonce too low' */
function sayCases({ cases, caseCount }: Headlined): string {
  return `${groupDigits(String(caseCount))} cases, the worst: ${cases[0]?.title ?? ''}`
}

function sayFirst(words: HeadlineWords, of: Headlined, first: KindCount): string {
  const own = of.items.find(({ kind, status }) => kind === first.kind && status === first.status)
  if (first.count === 1 && own) return own.summary
  return sayMany(words, of, first)
}

/** @example sayMany(words, of, count) // "388 withdrawals failed in 1 min, 2,100,000 USDC, all 'nonce too low'" */
function sayMany({ kinds, tokens }: HeadlineWords, { toldBefore, now }: Headlined, count: KindCount): string {
  const { status, kind } = count
  const more = toldBefore > 0 && (status === 'event' || status === 'firing') ? ' more' : ''
  const many = kinds.find(kind)?.words?.many
  if (isOver(status) || status === 'correction') {
    return `${count.count} × ${wordsOf(kind)} ${status === 'correction' ? 'corrected' : status}`
  }
  const still = status === 'repeat' ? 'still: ' : ''
  const what =
    many === undefined
      ? `${count.count}${more} × ${wordsOf(kind)}`
      : `${count.count}${more} ${nameThings(count)} ${many}`
  return `${still}${what}${status === 'event' ? saySpan(count, now) : ''}${sayMoney(tokens, count.money)}${sayError(count)}`
}

function isOver(status: MessageItem['status']): boolean {
  return status === 'resolved' || status === 'ended'
}

function nameThings({ count, withdrawals, deposits }: KindCount): string {
  if (withdrawals === count) return 'withdrawals'
  return deposits === count ? 'deposits' : 'transfers'
}

/** What is told so long after it happened is said to be late, ms. */
const lateMs = 3_600_000

function saySpan({ firstAt, lastAt }: KindCount, now: UnixMs): string {
  const spanMs = lastAt - firstAt
  const late = now - firstAt < lateMs ? '' : `, the first at ${sayInstant(firstAt, now)}`
  return spanMs < 1_000 ? late : ` in ${sayDuration(spanMs)}${late}`
}

/** How many tokens a headline names. */
const tokensNamed = 2

function sayMoney(tokens: TokenFacts, money: ReadonlyMap<string, Decimal>): string {
  const sums = [...money].map(([token, amount]) => ({ token, amount }))
  const named = rankMoney(tokens, sums).map(
    ({ token, amount }) => `${saySum(amount)} ${nameToken(tokens, token)}`,
  )
  const more = named.length - tokensNamed
  const shown = named.slice(0, tokensNamed)
  if (shown.length === 0) return ''
  return `, ${shown.join(', ')}${more > 0 ? ` and ${more} more ${more === 1 ? 'token' : 'tokens'}` : ''}`
}

function nameToken(tokens: TokenFacts, token: string): string {
  return tokens.symbolOf(token) ?? (token === '' ? 'native currency' : shortHash(token))
}

/** A text that nine in ten share is said to be theirs. */
function sayError({ error, count }: KindCount): string {
  if (error === null || error.count * 10 < count * 9) return ''
  const text = `'${cleanText(error.text, 120)}'`
  return error.count === count ? `, all ${text}` : `, ${error.count} of them ${text}`
}

/** How many kinds a headline names beside the first. */
const othersNamed = 4

function listOthers(counts: readonly KindCount[]): string {
  const named = counts.slice(0, othersNamed).map(({ status, kind, count }) => {
    const name = count === 1 ? wordsOf(kind) : `${count} × ${wordsOf(kind)}`
    const word = {
      event: '',
      firing: '',
      update: 'told again',
      repeat: 'still',
      correction: 'corrected',
    } as const
    const suffix = status === 'resolved' || status === 'ended' ? status : word[status]
    return suffix === '' ? name : `${name} (${suffix})`
  })
  const more = counts.length - named.length
  return more > 0 ? `${named.join(', ')}, ${more} other kinds` : named.join(', ')
}

/** What is new in a case that was told of before, and how much there is by now. */
function sayGrowth({ case: about, toldBefore, counts }: Headlined): string {
  const added = counts
    .filter(({ status }) => status === 'event' || status === 'firing')
    .reduce((sum, { count }) => sum + count, 0)
  if (about === null || toldBefore === 0 || added < 2 || about.members <= added) return ''
  return ` (+${added}, ${about.members} in all)`
}

/** It is not all of the case that this was done with. */
const entryWords = {
  matched: 'with a break matched',
  'written off': 'with a break written off',
  'taken back': 'with an entry taken back',
} as const

/** @example 'CRITICAL, case c42 acknowledged by Ada, assigned to Ben: Withdrawal of 1.5 USDC: no origin' */
function sayChanges(about: MessageCase, changes: readonly CaseChange[]): string {
  const { assignee, by, severity, id, title } = about
  // Who did the last of the two alone is known.
  const last = changes.findLast((one) => one === 'acknowledged' || one === 'handled')
  const what = changes.map((one) => {
    if (one === 'assigned') return `assigned to ${assignee ?? 'nobody'}`
    if (one === 'matched' || one === 'written off' || one === 'taken back') return entryWords[one]
    return one === last && by !== null ? `${one} by ${by}` : one
  })
  return `${severity.toUpperCase()}, case ${id} ${what.join(', ')}: ${title}`
}
