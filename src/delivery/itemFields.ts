import { amountOf, tokenOf } from '../bridge/describeTransfer.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Chain } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { sayDuration, sayTime } from '../lib/sayTime.ts'
import type { ItemField } from './channels/message.ts'
import { noHash } from './channels/textParts.ts'
import { sayFact } from './factWords.ts'
import { nameSources } from './kindWords.ts'

/** Where a transaction can be looked at: `https://scan.example.com/tx/{hash}`; null without an explorer. */
export type TransactionLinks = Readonly<Record<Chain, string | null>>

export interface Fielded {
  readonly finding: Finding
  readonly links: TransactionLinks
  readonly rule: string
  /** How often it fired in the last hour, where that is worth a word. */
  readonly flapping: number | null
  readonly isResolved: boolean
  readonly isEvent: boolean
  /** What stands above them: no line says it again. */
  readonly summary: string
}

type Place = NonNullable<ItemField['place']>

/** So many facts are read beneath the headline; the others are details. */
const mostFacts = 4

/** Label and value of all that is known, each with its place in a message. */
export function toFields(of: Fielded, now: UnixMs): ItemField[] {
  const { finding, isResolved } = of
  const { transfer } = finding
  const fields = [
    ...(of.flapping === null
      ? []
      : [field('Flapping', `fired ${of.flapping} times in the last hour`, 'fact')]),
    ...(transfer ? amountFields(of, transfer) : []),
    ...(isResolved ? [] : [ageField(of, now)]),
    ...(transfer ? legFields(transfer, of.links) : []),
    ...factFields(of, now),
    ...(transfer ? partyFields(transfer, isResolved) : []),
    ...(isResolved ? [] : evidenceFields(finding, now)),
  ]
  return placeFields(fields, of.summary)
}

/** What the headline says in the same words is not said again, and of facts only the first ones stand before the details. */
function placeFields(fields: readonly ItemField[], summary: string): ItemField[] {
  // The leg that a fact names is a transaction of the transfer's own.
  const hashes = fields
    .filter(({ place, href }) => place === 'hash' && href !== null)
    .map(({ value }) => value)
  let facts = 0
  return fields.map((one) => {
    if (one.place !== 'fact' && one.place !== 'detail') return one
    if (
      isSaid(one.value, summary) ||
      isSaid(bareNumber(one.value), summary) ||
      hashes.some((hash) => one.value.endsWith(hash))
    )
      return { ...one, place: 'said' }
    if (one.place === 'fact') facts += 1
    return facts > mostFacts ? { ...one, place: 'detail' } : one
  })
}

/** @example bareNumber('2,500 USDC') // '2,500' */
function bareNumber(value: string): string {
  return /^([\d,]+(?:\.\d+)?) \S+$/.exec(value)?.[1] ?? ''
}

/** A short number may stand in a headline for something else, but for one that has a fraction. */
const leastSaid = 4

function isSaid(value: string, summary: string): boolean {
  if (value.length < leastSaid && !/^\d\.\d$/.test(value)) return false
  const at = summary.indexOf(value)
  if (at < 0) return false
  const around = `${summary[at - 1] ?? ' '}${summary[at + value.length] ?? ' '}`
  return !/[\p{L}\p{N}]/u.test(around)
}

function field(label: string, value: string, place: Place): ItemField {
  return { label, value, href: null, place }
}

function amountFields({ summary }: Fielded, transfer: Transfer): ItemField[] {
  const isDeposit = transfer.direction === 'MainToZone'
  const word = isDeposit ? 'deposit' : 'withdrawal'
  const isNamed = summary.toLowerCase().includes(word)
  return [
    field('Amount', amountOf(transfer), 'fact'),
    field('Token', `${tokenOf(transfer)} ${transfer.token.address}`.trim(), 'detail'),
    field('Direction', `${transfer.direction} (${word})`, isNamed ? 'said' : 'detail'),
  ]
}

/** @example '42 min, usually 4 min (99 % within 12 min), limit 30 min, from rule withdrawal-stalled' */
function ageField({ finding, rule, isEvent }: Fielded, now: UnixMs): ItemField {
  const { facts, since } = finding
  const { usualMs, p99Ms, limitMs, limitFrom } = facts
  const usual =
    typeof usualMs === 'number' && typeof p99Ms === 'number'
      ? `, usually ${sayDuration(usualMs)} (99 % within ${sayDuration(p99Ms)})`
      : ''
  const limit =
    typeof limitMs === 'number' ? `, limit ${sayDuration(limitMs)}, ${sayLimitFrom(limitFrom, rule)}` : ''
  const age = `${sayDuration(Math.max(now - since, 0))}${usual}${limit}`
  // When it began stands beneath the headline; only beside what is usual its age says more than that.
  return field('Age', age, isEvent || usual + limit === '' ? 'said' : 'fact')
}

function sayLimitFrom(from: unknown, rule: string): string {
  if (from === 'token') return `from the past of this token and direction (rule ${rule})`
  if (from === 'direction') return `from the past of this direction (rule ${rule})`
  if (from === 'otherwise') return `from rule ${rule}, until enough was seen`
  return `from rule ${rule}`
}

function legFields(transfer: Transfer, links: TransactionLinks): ItemField[] {
  return (['main', 'zone'] as const).map((chain) => {
    const hash = transfer[chain]?.hash
    const label = chain === 'main' ? 'Main transaction' : 'Zone transaction'
    return hash === undefined
      ? field(label, noHash, 'hash')
      : { label, value: hash, href: linkTo(hash, links[chain]), place: 'hash' }
  })
}

/** Only a validated hash ever becomes part of an address. */
function linkTo(hash: string, template: string | null): string | null {
  if (template === null || !/^0x[0-9a-f]{64}$/i.test(hash)) return null
  return template.replaceAll('{hash}', hash)
}

/** Said with the age, or within one line of another field. */
const saidWithAge = new Set(['limitMs', 'limitFrom'])

/** The facts of an end are those of the time before it: what was true while it was open is not true now. */
function factFields({ finding, links, isResolved }: Fielded, now: UnixMs): ItemField[] {
  return Object.entries(finding.facts)
    .filter(([name]) => name !== 'usualMs' && name !== 'p99Ms')
    .slice(0, 12)
    .flatMap(([name, value]) => {
      const said = sayFact(finding, { name, value }, now)
      if (said === null) return []
      const label = isResolved ? `${said.label} (while open)` : said.label
      if (saidWithAge.has(name) && !isResolved) return [field(label, said.value, 'said')]
      const link = hashLink(finding, { name, value: said.value }, links)
      if (link !== null) return [link]
      return [field(label, said.value, isResolved || said.isDetail ? 'detail' : 'fact')]
    })
}

/** A fact that names a transaction which is not one of the transfer's. */
function hashLink(
  { transfer, labels }: Finding,
  { name, value }: { readonly name: string; readonly value: string },
  links: TransactionLinks,
): ItemField | null {
  if (transfer !== null || !/(^hash|txhash)$/i.test(name) || !/^0x[0-9a-f]{64}$/i.test(value)) return null
  const isZone = /^zone/i.test(name) || (labels.chain === 'zone' && !/^main/i.test(name))
  const chain = isZone ? 'zone' : 'main'
  const label = isZone ? 'Zone transaction' : 'Main transaction'
  return { label, value, href: linkTo(value, links[chain]), place: 'hash' }
}

function partyFields({ sourceAddress, targetAddress }: Transfer, isResolved: boolean): ItemField[] {
  const place = isResolved ? 'detail' : 'fact'
  if (sourceAddress !== '' && sourceAddress === targetAddress)
    return [
      field('From', sourceAddress, 'said'),
      field('To', targetAddress, 'said'),
      field('Sender and recipient', targetAddress, place),
    ]
  return [
    ...(sourceAddress === '' ? [] : [field('From', sourceAddress, 'detail')]),
    ...(targetAddress === '' ? [] : [field('To', targetAddress, place)]),
  ]
}

function evidenceFields({ evidence }: Finding, now: UnixMs): ItemField[] {
  return evidence
    .slice(0, 8)
    .map(({ source, at, says }) =>
      field('Evidence', `${says}; asked ${nameSources(source)} at ${sayTime(at, now)}`, 'detail'),
    )
}
