import type { BridgeLog, ContentField } from '../bridge/bridgeLog.ts'

/**
 * Where in an event a value stands, as text so that places can be compared:
 * `t1:12` byte 12 of topic 1, `d:32` byte 32 of the data, `e:20` 20 bytes before the end of the data, `p2:32` 32 bytes
 * behind where the third word of the data points to, as the ABI lays out lists, texts and bytes; `a:order.recipient` what
 * a verified ABI calls so.
 */
export type EventPlace = string

type Event = Pick<BridgeLog, 'topics' | 'data' | 'args'>

/** Longer data is not looked through: a service may send anything. */
const maxDataBytes = 8_192
/** Only the first words of the data are taken for pointers. */
const maxPointers = 16

const widths: Readonly<Record<ContentField, number>> = {
  token: 20,
  recipient: 20,
  sender: 20,
  amount: 32,
  tokenId: 32,
  zoneHash: 32,
}

/** The bytes that stand for a value in an event, as hex; null when the value has no such form. */
export function toNeedle(field: ContentField, value: string): string | null {
  const bytes = widths[field]
  if (field === 'amount' || field === 'tokenId') {
    if (!/^\d{1,78}$/.test(value)) return null
    const hex = BigInt(value).toString(16)
    return hex.length > 64 ? null : hex.padStart(64, '0')
  }
  const hex = /^0x([0-9a-f]+)$/.exec(value.toLowerCase())?.[1]
  if (hex === undefined || hex.length !== bytes * 2 || /^0+$/.test(hex)) return null
  return hex
}

/** Every place of an event that holds these bytes: where an ABI names its parts, they are the only places. */
export function findPlaces(event: Event, needle: string): Set<EventPlace> {
  if (event.args)
    return new Set(Object.entries(event.args).flatMap(([name, hex]) => (hex === needle ? [`a:${name}`] : [])))
  const places = new Set<EventPlace>()
  for (const [index, topic] of event.topics.entries()) {
    if (index === 0) continue
    for (const at of offsetsOf(bytesOf(topic), needle)) places.add(`t${index}:${at}`)
  }
  const data = bytesOf(event.data)
  const pointers = readPointers(data)
  for (const at of offsetsOf(data, needle)) {
    places.add(`d:${at}`)
    places.add(`e:${data.length / 2 - at}`)
    for (const [head, target] of pointers) if (at >= target) places.add(`p${head}:${at - target}`)
  }
  return places
}

/** The bytes at a place, as hex; null when the event has no such place. */
export function readPlace(event: Event, place: EventPlace, bytes: number): string | null {
  if (place.startsWith('a:')) {
    const hex = event.args?.[place.slice(2)]
    return hex?.length === bytes * 2 ? hex : null
  }
  const [, kind, head = '', digits] = /^([tdep])(\d*):(\d+)$/.exec(place) ?? []
  const offset = Number(digits)
  if (kind === 't') return slice(bytesOf(event.topics[Number(head)] ?? ''), offset, bytes)
  const data = bytesOf(event.data)
  if (kind === 'd') return slice(data, offset, bytes)
  if (kind === 'e') return slice(data, data.length / 2 - offset, bytes)
  const target = readPointers(data).get(Number(head))
  return target === undefined ? null : slice(data, target + offset, bytes)
}

/** What the bytes of a field say: an address or hash as hex, a number in digits. */
export function toValue(field: ContentField, hex: string): string {
  return field === 'amount' || field === 'tokenId' ? BigInt(`0x${hex}`).toString() : `0x${hex}`
}

export function widthOf(field: ContentField): number {
  return widths[field]
}

function bytesOf(hex: string): string {
  const text = /^0x([0-9a-f]*)$/i.exec(hex.slice(0, 2 + maxDataBytes * 2))?.[1] ?? ''
  return (text.length % 2 === 0 ? text : text.slice(0, -1)).toLowerCase()
}

function offsetsOf(bytes: string, needle: string): number[] {
  const offsets: number[] = []
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
    if (at % 2 === 0) offsets.push(at / 2)
  }
  return offsets
}

/** Words at the beginning of the data that could be offsets into it, by their number. */
function readPointers(data: string): Map<number, number> {
  const pointers = new Map<number, number>()
  for (let head = 0; head < maxPointers && (head + 1) * 64 <= data.length; head += 1) {
    const word = data.slice(head * 64, (head + 1) * 64)
    if (!/^0{56}/.test(word)) continue
    const target = Number.parseInt(word, 16)
    if (target >= 32 && target % 32 === 0 && target < data.length / 2) pointers.set(head, target)
  }
  return pointers
}

function slice(bytes: string, offset: number, length: number): string | null {
  if (offset < 0 || (offset + length) * 2 > bytes.length) return null
  return bytes.slice(offset * 2, (offset + length) * 2)
}
