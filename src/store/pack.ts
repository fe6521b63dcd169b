import {
  earlierCount,
  type Encoding,
  firstEarlier,
  firstSmall,
  firstWord,
  form,
  leastEarlier,
  smallCount,
  tag,
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
 */
export function pack(value: unknown, known: readonly string[] = []): Uint8Array {
  const packer = createPacker(known)
  packer.write(value)
  return packer.end()
}

/** Grows, and is used again for every value that is packed. */
let room = Buffer.allocUnsafe(4_096)

function createPacker(known: readonly string[]) {
  const earlier = new Map<string, number>()
  let places = known.length
  // Of equal texts the first is named.
  for (const [place, text] of known.entries()) if (!earlier.has(text)) earlier.set(text, place)
  let lastTime = 0
  let depth = 0
  let at = 1

  function write(value: unknown): void {
    if (typeof value === 'string') return writeText(value)
    if (typeof value === 'number') return writeNumber(value)
    if (typeof value === 'boolean') return put(value ? tag.true : tag.false)
    if (Array.isArray(value)) return writeList(value)
    if (typeof value === 'object' && value !== null) return writeObject(value)
    put(tag.null)
  }

  function writeList(list: readonly unknown[]): void {
    put(tag.list)
    putVarint(list.length)
    for (const item of list) write(item)
  }

  function writeObject(value: object): void {
    const entries = Object.entries(value).filter(([, one]: [string, unknown]) => one !== undefined)
    put(tag.object)
    putVarint(entries.length)
    for (const [name, one] of entries) {
      writeText(name)
      write(one)
    }
  }

  function writeNumber(value: number): void {
    if (!Number.isSafeInteger(value)) {
      if (!Number.isFinite(value)) return put(tag.null)
      put(tag.float)
      const start = reserve(8)
      at = room.writeDoubleLE(value, start)
      return
    }
    if (value >= firstTime) {
      const difference = value - lastTime
      lastTime = value
      put(difference < 0 ? tag.timeBack : tag.time)
      return putVarint(Math.abs(difference))
    }
    if (value >= 0 && value < smallCount) return put(firstSmall + value)
    put(value < 0 ? tag.negative : tag.whole)
    putVarint(Math.abs(value))
  }

  function writeText(text: string): void {
    const word = placeOfWord.get(text)
    if (word !== undefined) return put(firstWord + word)
    const place = earlier.get(text)
    if (place !== undefined) {
      if (place < earlierCount) return put(firstEarlier + place)
      put(tag.earlier)
      return putVarint(place)
    }
    const first = text.charCodeAt(0)
    if ((first === 0x7b || first === 0x5b) && depth < mostJsonDepth && writeJson(text)) return
    if (text.length >= leastEarlier) earlier.set(text, places++)
    if (hexText.test(text)) return putBytes(tag.hex, text.slice(2), 'hex')
    if (digitsText.test(text)) return putDigits(tag.digits, text)
    const decimal = decimalText.exec(text)
    if (decimal) {
      put(tag.decimal)
      putVarint(decimal[2]?.length ?? 0)
      return putDigits(null, `${decimal[1]}${decimal[2]}`)
    }
    // UTF-8 has no form for half a character: such a text would come back as another one.
    if (text.isWellFormed()) putBytes(tag.text, text, 'utf8')
    else putBytes(tag.halves, text, 'utf16le')
  }

  /** Text that is JSON exactly as it would be written again. */
  function writeJson(text: string): boolean {
    const value = parse(text)
    if (value === undefined || JSON.stringify(value) !== text) return false
    put(tag.json)
    depth += 1
    write(value)
    depth -= 1
    return true
  }

  function putDigits(of: number | null, text: string): void {
    const hex = BigInt(text).toString(16)
    putBytes(of, hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  }

  function putBytes(of: number | null, text: string, encoding: Encoding): void {
    if (of !== null) put(of)
    const length = Buffer.byteLength(text, encoding)
    putVarint(length)
    const start = reserve(length)
    room.write(text, start, encoding)
    at += length
  }

  function putVarint(value: number): void {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) put((rest % 128) + 128)
    put(rest)
  }

  function put(byte: number): void {
    const place = reserve(1)
    room[place] = byte
    at += 1
  }

  /** Makes room for so many bytes more; `room` may be another one then. */
  function reserve(count: number): number {
    if (at + count > room.length) {
      const larger = Buffer.allocUnsafe(Math.max(room.length * 2, at + count))
      room.copy(larger, 0, 0, at)
      room = larger
    }
    return at
  }

  room[0] = form
  return { write, end: () => Uint8Array.prototype.slice.call(room, 0, at) }
}

const hexText = /^0x(?:[0-9a-f]{2})+$/
const digitsText = /^(?:0|[1-9]\d{2,77})$/
const decimalText = /^(0|[1-9]\d{0,77})\.(\d{1,77})$/

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
