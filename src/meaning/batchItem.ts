import { parseDecimal } from '../bridge/amount.ts'
import type { Decimal } from '../bridge/decimal.ts'
import { toCanonicalId } from '../bridge/movedToken.ts'
import { unwrap } from '../bridge/nestedJson.ts'

/** One item of a batch withdrawal. What the detail does not say is null. */
export interface BatchItem {
  /** Lower-case contract address. */
  readonly token: string | null
  /** Decimal where the detail gives a number in whatever notation, else as given. */
  readonly tokenId: string | null
  /** Exact; base units or token units: which of the two is not documented. */
  readonly amount: Decimal
  readonly recipient: string | null
}

export function readItem(object: Record<string, unknown>): BatchItem | null {
  return toItem(pickFields(object))
}

export interface Fields {
  readonly token?: unknown
  readonly tokenId?: unknown
  readonly amount?: unknown
  readonly recipient?: unknown
}

/** Spellings of each field, the surest first; without case, `_` and `-`, singular. */
const spellings = {
  amount: ['valueraw', 'amountraw', 'rawamount', 'rawvalue', 'amount', 'value', 'quantity', 'qty', 'amt'],
  tokenId: ['tokenid', 'nftid', 'nfttokenid', 'positionid', 'id'],
  token: ['tokencontractaddress', 'tokenaddress', 'contractaddress', 'token', 'contract', 'asset'],
  recipient: [
    'targetaddress',
    'recipient',
    'receiver',
    'recipientaddress',
    'receiveraddress',
    'toaddress',
    'to',
    'target',
  ],
} as const

export function pickFields(object: Record<string, unknown>): Fields {
  const byName = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const name = key.toLowerCase().replaceAll(/[_\-\s]/g, '')
    for (const form of [
      name,
      name.replace(/ies$/, 'y'),
      name.replace(/e?s$/, ''),
      name.replace(/s$/, ''),
      name.replace(/s(raw)$/, '$1'),
    ])
      if (!byName.has(form) || form === name) byName.set(form, value)
  }
  return Object.fromEntries(
    Object.entries(spellings).flatMap(([field, names]) => {
      const found = names.find((name) => byName.has(name) && byName.get(name) !== '')
      return found === undefined ? [] : [[field, byName.get(found)]]
    }),
  )
}

export function toItem(fields: Fields): BatchItem | null {
  const amount = toAmount(unwrap(fields.amount))
  const tokenId = toText(fields.tokenId)
  const token = toText(fields.token)
  const recipient = toText(fields.recipient)
  if (amount === null || tokenId === undefined || token === undefined || recipient === undefined) return null
  return {
    amount,
    tokenId: tokenId === null ? null : toCanonicalId(tokenId),
    token: token?.toLowerCase() ?? null,
    recipient: recipient?.toLowerCase() ?? null,
  }
}

function toAmount(value: unknown): Decimal | null {
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : value.toPrecision(15).length <= 17
    return isExact && value >= 0 ? parseDecimal(String(value)) : null
  }
  if (typeof value !== 'string') return null
  const text = value.trim()
  // Forty digits of hex are an address.
  if (/^0x[0-9a-f]{40}$/i.test(text)) return null
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return { digits: BigInt(text), scale: 0 }
  return parseDecimal(text)
}

/** Null when it is not given, undefined when what is given is no name. */
function toText(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' ? value.trim() : undefined
}
