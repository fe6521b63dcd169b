import { parseJson } from '../bridge/nestedJson.ts'
import { beginsAsHex, writeHex } from '../lib/hexDigits.ts'
import { lowerBy, raiseBy } from './scaledAmounts.ts'
import {
  earlierCount,
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
  smallCount,
  tag,
  timedForm,
  words,
} from './packForm.ts'

const placeOfWord = new Map(words.map((word, place) => [word, place]))

/** Whole numbers from here on are mostly times in ms, each near the one before. */
const firstTime = 2 ** 32
/** JSON within JSON, so deep, is kept as its text. */
const mostJsonDepth = 3

/**
 * A value that JSON can say (an undefined member is left out, as JSON does), in a quarter of its bytes: hashes and amounts as bytes, times as differences, and what
 * came before by its place.
 * @param known texts that whoever reads it has at hand, such as other columns of the same row; the same when unpacking
 * @param names for rows that are many: what has a name is its number, and what follows from what stands before it is left out
 * @param times of a row, beside `names`: what whoever reads it has at hand, as `known`; -1 for none
 */
export function pack(
  value: unknown,
  known: readonly string[] = [],
  names: Names | null = null,
  times: readonly number[] = [],
): Uint8Array<ArrayBuffer> {
  const packer: Packer = {
    earlier: known.slice(),
    index: null,
    names,
    times,
    lastTime: 0,
    lastWhole: -1,
    lastAmount: '',
    depth: 0,
    start: used,
    at: used,
  }
  put(packer, names === null ? form : times.length === 0 ? rowForm : timedForm)
  write(packer, value)
  used = packer.at
  return room.subarray(packer.start, used)
}

const roomBytes = 16_384
/** Values are written one behind the other, into another room where one is full: memory of its own for each costs more. */
let room = new Uint8Array(roomBytes)
let used = 0

interface Packer {
  /** Texts by their places. */
  readonly earlier: string[]
  /** Their places, once they are many. */
  index: Map<string, number> | null
  /** Null in the form that has none of what is named after it. */
  readonly names: Names | null
  readonly times: readonly number[]
  lastTime: number
  /** -1 before the first. */
  lastWhole: number
  /** '' before the first. */
  lastAmount: string
  depth: number
  start: number
  at: number
}

function write(packer: Packer, value: unknown): void {
  if (typeof value === 'string') return writeText(packer, value)
  if (typeof value === 'number') return writeNumber(packer, value)
  if (typeof value === 'boolean') return put(packer, value ? tag.true : tag.false)
  if (Array.isArray(value)) return writeList(packer, value)
  if (typeof value === 'object' && value !== null) return writeObject(packer, value)
  put(packer, tag.null)
}

function writeList(packer: Packer, list: readonly unknown[]): void {
  put(packer, tag.list)
  putVarint(packer, list.length)
  for (const item of list) write(packer, item)
}

function writeObject(packer: Packer, value: object): void {
  const entries = Object.entries(value).filter(([, one]: [string, unknown]) => one !== undefined)
  const shape = packer.names === null ? -1 : shapes.findIndex((names) => isShape(names, entries))
  if (shape !== -1) {
    put(packer, firstShape + shape)
    for (const [, one] of entries) write(packer, one)
    return
  }
  put(packer, tag.object)
  putVarint(packer, entries.length)
  for (const [name, one] of entries) {
    writeText(packer, name)
    write(packer, one)
  }
}

function isShape(names: readonly string[], entries: readonly [string, unknown][]): boolean {
  return names.length === entries.length && names.every((name, place) => name === entries[place]?.[0])
}

function writeNumber(packer: Packer, value: number): void {
  if (!Number.isSafeInteger(value)) {
    if (!Number.isFinite(value)) return put(packer, tag.null)
    put(packer, tag.float)
    reserve(packer, 8)
    new DataView(room.buffer).setFloat64(packer.at, value, true)
    packer.at += 8
    return
  }
  if (value >= firstTime) {
    const difference = value - packer.lastTime
    packer.lastTime = value
    const known = packer.times.indexOf(value)
    if (known !== -1) return put(packer, firstKnownTime + known)
    put(packer, difference < 0 ? tag.timeBack : tag.time)
    return putVarint(packer, Math.abs(difference))
  }
  if (value >= 0 && value < smallCount) return put(packer, firstSmall + value)
  if (value < 0) {
    put(packer, tag.negative)
    return putVarint(packer, -value)
  }
  if (packer.names !== null && value === packer.lastWhole) return put(packer, rowTag.again)
  packer.lastWhole = value
  put(packer, tag.whole)
  putVarint(packer, value)
}

function writeText(packer: Packer, text: string): void {
  const word = placeOfWord.get(text)
  if (word !== undefined) return put(packer, firstWord + word)
  const place = placeOf(packer, text)
  if (place !== -1) {
    if (place < earlierCount) return put(packer, firstEarlier + place)
    put(packer, tag.earlier)
    return putVarint(packer, place)
  }
  const first = text.charCodeAt(0)
  const isJson = first === 0x7b || first === 0x5b
  if (isJson && packer.depth < mostJsonDepth && writeJson(packer, text)) return
  if (text.length >= leastEarlier) {
    packer.index?.set(text, packer.earlier.length)
    packer.earlier.push(text)
  }
  const number = packer.names?.numberOf(text)
  if (number !== undefined) {
    put(packer, rowTag.name)
    return putVarint(packer, number)
  }
  if (beginsAsHex(text) && putHex(packer, tag.hex, text)) return
  // Only a digit begins a number.
  if (first >= 0x30 && first <= 0x39 && writeDigits(packer, text)) return
  // UTF-8 has no form for half a character: such a text would come back as another one.
  if (text.isWellFormed()) putText(packer, tag.text, text, 'utf8')
  else putText(packer, tag.halves, text, 'utf16le')
}

/** More are not gone through one by one. */
const fewTexts = 32

/** Of equal texts the first is named; -1 when it is new. */
function placeOf(packer: Packer, text: string): number {
  if (packer.earlier.length < fewTexts) return packer.earlier.indexOf(text)
  packer.index ??= new Map(packer.earlier.map((one, place) => [one, place] as const).reverse())
  return packer.index.get(text) ?? -1
}

/** Text that is JSON exactly as it would be written again. */
function writeJson(packer: Packer, text: string): boolean {
  // What nests without end would fill the stack here, or where it is read.
  const value = parseJson(text)
  if (value === undefined || JSON.stringify(value) !== text) return false
  put(packer, tag.json)
  packer.depth += 1
  write(packer, value)
  packer.depth -= 1
  return true
}

const digitsText = /^(?:0|[1-9]\d{2,77})$/
const decimalText = /^(?:0|[1-9]\d{0,77})\.\d{1,77}$/

function writeDigits(packer: Packer, text: string): boolean {
  const isWhole = digitsText.test(text)
  if (!isWhole && !decimalText.test(text)) return false
  if (packer.names !== null) {
    const last = packer.lastAmount
    packer.lastAmount = text
    if (last !== '' && writeScaled(packer, text, last)) return true
  }
  if (isWhole) {
    put(packer, tag.digits)
    putDigits(packer, text)
    return true
  }
  const point = text.indexOf('.')
  put(packer, tag.decimal)
  putVarint(packer, text.length - 1 - point)
  putDigits(packer, text.slice(0, point) + text.slice(point + 1))
  return true
}

/** One amount in base units and in units of its token: of the second no more than where the point stands. */
function writeScaled(packer: Packer, text: string, last: string): boolean {
  const up = raiseBy(last, text)
  const by = up ?? lowerBy(last, text)
  if (by === null) return false
  put(packer, up === null ? rowTag.lowered : rowTag.raised)
  putVarint(packer, by)
  return true
}

/** So many digits are a safe integer. */
const safeDigits = 15

function putDigits(packer: Packer, text: string): void {
  if (text.length <= safeDigits) return putSafe(packer, Number(text))
  const hex = BigInt(text).toString(16)
  putHex(packer, null, hex.length % 2 === 0 ? `0x${hex}` : `0x0${hex}`)
}

function putSafe(packer: Packer, value: number): void {
  let length = 1
  for (let above = 256; value >= above; above *= 256) length += 1
  putVarint(packer, length)
  reserve(packer, length)
  for (let place = packer.at + length - 1, rest = value; place >= packer.at; place -= 1) {
    room[place] = rest % 256
    rest = Math.floor(rest / 256)
  }
  packer.at += length
}

function putHex(packer: Packer, of: number | null, text: string): boolean {
  const before = packer.at - packer.start
  const length = text.length / 2 - 1
  if (of !== null) put(packer, of)
  putVarint(packer, length)
  reserve(packer, length)
  const isHex = writeHex(text, room, packer.at)
  packer.at = isHex ? packer.at + length : packer.start + before
  return isHex
}

function putText(packer: Packer, of: number, text: string, encoding: 'utf8' | 'utf16le'): void {
  const length = Buffer.byteLength(text, encoding)
  put(packer, of)
  putVarint(packer, length)
  reserve(packer, length)
  Buffer.from(room.buffer, packer.at, length).write(text, encoding)
  packer.at += length
}

function putVarint(packer: Packer, value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) put(packer, (rest % 128) + 128)
  put(packer, rest)
}

function put(packer: Packer, byte: number): void {
  reserve(packer, 1)
  room[packer.at] = byte
  packer.at += 1
}

/** Makes room for so many bytes more; `room` may be another one then, with what this packer wrote at its beginning. */
function reserve(packer: Packer, count: number): void {
  if (packer.at + count <= room.length) return
  const written = room.subarray(packer.start, packer.at)
  room = new Uint8Array(Math.max(roomBytes, (written.length + count) * 2))
  room.set(written)
  packer.start = 0
  packer.at = written.length
}
