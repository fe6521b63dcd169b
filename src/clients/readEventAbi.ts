import { isObject } from '../lib/isObject.ts'
import type { AbiEvent } from 'viem'
import { decodeEventLog, toEventSelector } from 'viem/utils'
import type { BridgeLog, EventArguments } from '../bridge/bridgeLog.ts'
import { parseJson } from '../bridge/nestedJson.ts'

/** One event of an ABI, by the first topic of its logs; `event` is its entry as JSON. */
export interface DeclaredEvent {
  readonly topic: string
  readonly event: string
}

const maxEvents = 200
const maxEventLength = 4_000
const maxArguments = 200

/** The events that an ABI declares; none where it cannot be read. Logs of anonymous ones do not name them. */
export function listEvents(contractAbi: string): DeclaredEvent[] {
  const abi = parseJson(contractAbi)
  if (!Array.isArray(abi)) return []
  return abi.slice(0, 2_000).flatMap(toDeclared).slice(0, maxEvents)
}

function toDeclared(entry: unknown): DeclaredEvent[] {
  if (!isEvent(entry)) return []
  try {
    const event = JSON.stringify(entry)
    return event.length > maxEventLength ? [] : [{ topic: toEventSelector(entry), event }]
  } catch {
    // A type that nobody knows.
    return []
  }
}

/** What viem needs of an entry; it refuses what is wrong deeper down. */
function isEvent(entry: unknown): entry is AbiEvent {
  if (!isObject(entry)) return false
  const { type, name, inputs, anonymous } = entry
  return type === 'event' && typeof name === 'string' && Array.isArray(inputs) && anonymous !== true
}

/** What an event says by the names of its ABI, e.g. `order.recipient`, as hex of 20 or 32 bytes; null where it does not fit. */
export function decodeArguments(
  event: string,
  { topics, data }: Pick<BridgeLog, 'topics' | 'data'>,
): EventArguments | null {
  const entry = parseJson(event)
  if (!isEvent(entry)) return null
  try {
    const [topic, ...others] = topics.map(toHex)
    if (topic === undefined) return null
    const { args } = decodeEventLog({ abi: [entry], topics: [topic, ...others], data: toHex(data) })
    const found = new Map<string, string>()
    collect(found, '', args)
    return Object.fromEntries(found)
  } catch {
    return null
  }
}

function collect(found: Map<string, string>, path: string, value: unknown): void {
  if (found.size >= maxArguments) return
  if (typeof value === 'bigint' || typeof value === 'number') {
    if (value >= 0) found.set(path, BigInt(value).toString(16).padStart(64, '0'))
  } else if (typeof value === 'string') {
    const hex = /^0x((?:[0-9a-f]{40})|(?:[0-9a-f]{64}))$/i.exec(value)?.[1]?.toLowerCase()
    if (hex !== undefined) found.set(path, hex)
    // Other chains' addresses are words of 32 bytes, on either side of which they may stand.
    if (hex?.length === 64 && hex.startsWith('0'.repeat(24))) found.set(`${path}>`, hex.slice(24))
    if (hex?.length === 64 && hex.endsWith('0'.repeat(24))) found.set(`${path}<`, hex.slice(0, 40))
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value))
      collect(found, path === '' ? name : `${path}.${name}`, inner)
  }
}

function toHex(text: string): `0x${string}` {
  return `0x${text.replace(/^0x/, '')}`
}
