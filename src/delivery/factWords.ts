import { formatUnits } from '../bridge/amount.ts'
import { tokenOf } from '../bridge/describeTransfer.ts'
import type { FactValue, Finding } from '../bridge/finding.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { sayDuration, sayInstant } from '../lib/sayTime.ts'
import type { UnixMs } from '../lib/clock.ts'

/** How a fact is said where its name alone says too little. */
interface FactWords {
  readonly label?: string
  /** Behind a number. */
  readonly unit?: string
  /** What its values mean. */
  readonly values?: Readonly<Record<string, string>>
  /** How a decision was come to, not what is to be acted on: it stands with the details. */
  readonly isDetail?: true
  /** Worth a word only where it is so. */
  readonly isOnlyTrue?: true
  /** The evidence says it, source by source. */
  readonly isEvidence?: true
}

const detail = { isDetail: true } as const
const block = { label: 'Block', isDetail: true } as const

const factWords: Readonly<Record<string, FactWords>> = {
  whole: { label: 'The whole source' },
  blind: { label: 'Not seen meanwhile' },
  limitFrom: {
    label: 'Limit taken from',
    values: {
      fixed: 'the rule',
      token: 'the past of this token and direction',
      direction: 'the past of this direction',
      otherwise: 'the rule, until enough was seen',
    },
  },
  reason: {
    label: 'Why',
    values: {
      absent: 'its origin does not exist',
      failed: 'its origin failed',
      unconfirmed: 'its origin does not show whether it succeeded',
      unnamed: 'the record names no origin',
      unlisted: 'no record names the payout',
      other: 'its origin is no withdrawal',
      doubtful: 'its origin is of a kind that is new for a withdrawal',
    },
  },
  errorMessage: { label: 'Why' },
  problem: { label: 'Why' },
  lastError: { label: 'Why' },
  what: { label: 'What' },
  statusBefore: { label: 'Status before' },
  sharePercent: { label: 'Share', unit: ' %' },
  destinationHalted: { label: 'Destination chain stands still' },
  destinationHeight: { label: 'Destination at block', isDetail: true },
  destinationHeadAgeMs: { label: 'Newest destination block is from', unit: ' ago' },
  destinationChain: { label: 'Destination chain', isDetail: true },
  height: block,
  fromHeight: { label: 'From block', isDetail: true },
  toHeight: { label: 'To block', isDetail: true },
  depth: { label: 'Replaced', unit: ' blocks' },
  gap: { label: 'Behind by', unit: ' blocks' },
  limit: { unit: ' blocks' },
  inFlight: { label: 'In flight', unit: ' transfers' },
  notJudged: { label: 'Not judged', unit: ' transfers' },
  joinedByAmount: { label: 'Joined by its amount with', isDetail: true },
  direction: {
    values: { MainToZone: 'deposits (main to zone)', ZoneToMain: 'withdrawals (zone to main)' },
    isDetail: true,
  },
  escrows: { label: 'Escrow' },
  count: { label: 'How many' },
  escrowBalance: detail,
  amountRaw: detail,
  asked: { isEvidence: true },
  reads: { label: 'Looked up', unit: ' times', isDetail: true },
  statusSources: { isEvidence: true },
  firstTimeRecipient: { label: 'Recipient never seen before', isDetail: true, isOnlyTrue: true },
  fewSamples: { label: 'By few samples only', isDetail: true, isOnlyTrue: true },
  leg: detail,
  origin: { label: 'Named origin', isDetail: true },
  aboveBound: { label: 'Above the bound of escrow.drift', isDetail: true, isOnlyTrue: true },
  preconfirmed: { label: 'Preconfirmed', isOnlyTrue: true },
  moved: detail,
  decidedBy: { label: 'Decided by', isDetail: true },
  transferKey: { label: 'Transfer', isDetail: true },
  method: { label: 'Found by', isDetail: true },
  token: detail,
  heights: detail,
  hashes: detail,
  others: detail,
  baseline: detail,
  group: detail,
}

export interface SaidFact {
  readonly label: string
  readonly value: string
  readonly isDetail: boolean
}

/** A fact in words, with its unit; null for one that says nothing. Names give the unit: `waitedMs` is a duration, `changedAt` a time. */
export function sayFact(
  finding: Pick<Finding, 'transfer' | 'facts'>,
  { name, value }: { readonly name: string; readonly value: FactValue },
  now: UnixMs,
): SaidFact | null {
  const text = saysNothing(name, value) ? null : sayValue(finding, { name, value }, now)
  if (text === null) return null
  const { label = labelOf(name), isDetail = false } = factWords[name] ?? {}
  const named = name === 'party' ? (finding.facts['direction'] === 'in' ? 'From' : 'To') : label
  return { label: named, value: text, isDetail: isDetail || value === false }
}

function saysNothing(name: string, value: FactValue): boolean {
  const { isOnlyTrue = false, isEvidence = false } = factWords[name] ?? {}
  // The headline says whether it left or came.
  const isWay = name === 'direction' && (value === 'in' || value === 'out')
  // A sum of movements is of no block.
  const isNone = name === 'height' && value === 0
  return isEvidence || isWay || isNone || (isOnlyTrue && value === false) || (name === 'count' && value === 1)
}

/** Facts in units of the token that a finding names. */
const amounts = new Set([
  'amount',
  'moved',
  'total',
  'missing',
  'holdings',
  'owed',
  'baseline',
  'excess',
  'before',
  'supply',
  'claims',
  'backing',
  'free',
  'held',
  'onItsWay',
  'paidIn',
  'askedFor',
])

/** Facts in units of the token of the finding's transfer. */
const transferAmounts = new Set(['owed', 'paid'])

/** The token that a fact is an amount of; null for what is none. */
function amountToken({ transfer, facts }: Pick<Finding, 'transfer' | 'facts'>, name: string): string | null {
  const isCompared = (name === 'expected' || name === 'found') && facts['what'] === 'amount'
  if (transfer !== null && (transferAmounts.has(name) || isCompared))
    // Without decimals it is in base units.
    return transfer.token.decimals === null ? '' : tokenOf(transfer)
  return amounts.has(name) ? String(facts['token'] ?? '') : null
}

function sayValue(
  finding: Pick<Finding, 'transfer' | 'facts'>,
  { name, value }: { readonly name: string; readonly value: FactValue },
  now: UnixMs,
): string | null {
  if (value === null || value === '') return null
  const { unit = '', values } = factWords[name] ?? {}
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && name.endsWith('Ms'))
    return value === 0 ? null : `${sayDuration(value)}${unit}`
  if (typeof value === 'number' && name.endsWith('At')) return sayInstant(value, now)
  if (name === 'escrowBalance') return sayBalance(finding, String(value))
  const token = isAmount(name, value) ? amountToken(finding, name) : null
  if (token !== null) return `${groupDigits(String(value))} ${token}`.trim()
  const text = values?.[String(value)] ?? (isAmount(name, value) ? groupDigits(String(value)) : String(value))
  return `${text}${value === 1 ? unit.replace(/s$/, '') : unit}`
}

/** Heights are names of blocks, and ids of days: only what counts or measures is grouped. */
function isAmount(name: string, value: FactValue): boolean {
  return typeof value === 'number'
    ? !/height|chain|day|block/i.test(name)
    : /^-?\d+(\.\d+)?$/.test(String(value))
}

function sayBalance({ transfer }: Pick<Finding, 'transfer'>, raw: string): string {
  const decimals = transfer?.token.decimals ?? null
  if (transfer === null || decimals === null || !/^\d+$/.test(raw)) return `${groupDigits(raw)} base units`
  return `${groupDigits(formatUnits(BigInt(raw), decimals))} ${tokenOf(transfer)}`
}

/** @example labelOf('lastErrorAt') // 'Last error' */
function labelOf(name: string): string {
  const words = name.replace(/(Ms|At)$/, '').replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
