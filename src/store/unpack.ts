import {
  type Encoding,
  firstEarlier,
  firstKnownTime,
  firstShape,
  firstSmall,
  firstWord,
  form,
  leastEarlier,
  type Names,
  rowForm,
  rowTag,
  shapes,
  tag,
  timedForm,
  words,
} from './packForm.ts'
import { lower, raise } from './scaledAmounts.ts'

/** @throws RangeError for bytes that `pack` did not write, or wrote with other known texts or names */
export function unpack(
  bytes: Uint8Array,
  known: readonly string[] = [],
  names: Names | null = null,
  times: readonly number[] = [],
): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = buffer[0]
  const isKnown =
    found === form || (names !== null && (found === rowForm || (found === timedForm && times.length > 0)))
  if (!isKnown)
    throw new RangeError(`expected packed bytes of form ${names === null ? form : rowForm}, found ${found}`)
  const packed: Packed = {
    buffer,
    earlier: known.slice(),
    names: found === form ? null : names,
    times: found === timedForm ? times : [],
    lastTime: 0,
    lastWhole: -1,
    lastAmount: '',
    at: 1,
  }
  const value = read(packed)
  if (packed.at !== buffer.length)
    throw new RangeError(`expected ${packed.at} packed bytes, found ${buffer.length}`)
  return value
}

interface Packed {
  readonly buffer: Buffer
  readonly earlier: string[]
  readonly names: Names | null
  readonly times: readonly number[]
  lastTime: number
  lastWhole: number
  lastAmount: string
  at: number
}

function read(from: Packed): unknown {
  const code = byte(from)
  if (code >= firstEarlier) return earlierAt(from, code - firstEarlier)
  if (code >= firstShape && from.names !== null) return readOfRow(from, from.names, code)
  if (code >= firstWord) return words[code - firstWord] ?? refuse(code)
  if (code >= firstSmall) return code - firstSmall
  switch (code) {
    case tag.null:
      return null
    case tag.true:
      return true
    case tag.false:
      return false
    case tag.whole:
      return (from.lastWhole = varint(from))
    case tag.negative:
      return -varint(from)
    case tag.time:
      return (from.lastTime += varint(from))
    case tag.timeBack:
      return (from.lastTime -= varint(from))
    case tag.float:
      return from.buffer.readDoubleLE(skip(from, 8))
    case tag.text:
      return keep(from, slice(from, 'utf8'))
    case tag.halves:
      return keep(from, slice(from, 'utf16le'))
    case tag.hex:
      return keep(from, `0x${slice(from, 'hex')}`)
    case tag.digits:
      return keepAmount(from, digits(from))
    case tag.decimal: {
      const scale = varint(from)
      const all = digits(from).padStart(scale + 1, '0')
      return keepAmount(from, `${all.slice(0, -scale)}.${all.slice(-scale)}`)
    }
    case tag.json:
      return JSON.stringify(read(from))
    case tag.list:
      return readList(from, length(from))
    case tag.object:
      return readObject(from, length(from))
    case tag.earlier:
      return earlierAt(from, varint(from))
    default:
      return refuse(code)
  }
}

/** What the form of rows has beside the other. */
function readOfRow(from: Packed, names: Names, code: number): unknown {
  switch (code) {
    case rowTag.raised:
      return keepAmount(from, raise(from.lastAmount, varint(from)) ?? refuse(code))
    case rowTag.lowered:
      return keepAmount(from, lower(from.lastAmount, varint(from)) ?? refuse(code))
    case rowTag.again:
      return from.lastWhole < 0 ? refuse(code) : from.lastWhole
    case rowTag.name:
      return keep(from, names.nameOf(varint(from)) ?? refuse(code))
    default: {
      const time = from.times[code - firstKnownTime]
      if (time !== undefined) return (from.lastTime = time)
      const value: Record<string, unknown> = {}
      for (const name of shapes[code - firstShape] ?? refuse(code)) value[name] = read(from)
      return value
    }
  }
}

function readList(from: Packed, count: number): unknown[] {
  const list: unknown[] = []
  for (let index = 0; index < count; index += 1) list.push(read(from))
  return list
}

function readObject(from: Packed, count: number): unknown {
  const entries: [string, unknown][] = []
  // A name that is no text becomes one, as in JSON.
  for (let index = 0; index < count; index += 1) entries.push([String(read(from)), read(from)])
  return Object.fromEntries(entries)
}

function byte(from: Packed): number {
  return from.buffer[skip(from, 1)] ?? 0
}

function skip(from: Packed, count: number): number {
  const start = from.at
  from.at += count
  if (from.at > from.buffer.length) throw new RangeError('packed bytes end too soon')
  return start
}

function varint(from: Packed): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const next = byte(from)
    value += (next & 0x7f) * factor
    if (next < 0x80) return value
  }
}

/** Of a list: each member takes a byte at least. */
function length(from: Packed): number {
  const count = varint(from)
  return count <= from.buffer.length - from.at ? count : refuse(count)
}

function slice(from: Packed, encoding: Encoding): string {
  const count = varint(from)
  const start = skip(from, count)
  return from.buffer.toString(encoding, start, start + count)
}

/** So many bytes are a safe integer. */
const safeBytes = 6

function digits(from: Packed): string {
  const count = varint(from)
  const start = skip(from, count)
  if (count > 0 && count <= safeBytes) return String(from.buffer.readUIntBE(start, count))
  return BigInt(`0x0${from.buffer.toString('hex', start, start + count)}`).toString()
}

function keepAmount(from: Packed, text: string): string {
  from.lastAmount = text
  return keep(from, text)
}

function keep(from: Packed, text: string): string {
  if (text.length >= leastEarlier) from.earlier.push(text)
  return text
}

function earlierAt(from: Packed, place: number): string {
  return from.earlier[place] ?? refuse(place)
}

function refuse(found: number): never {
  throw new RangeError(`packed bytes hold ${found} where nothing known has it`)
}
