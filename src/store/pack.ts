/** The first byte: a form that is not known is refused, not guessed. */
const form = 1

const tag = {
  null: 0x00,
  true: 0x01,
  false: 0x02,
  whole: 0x03,
  negative: 0x04,
  float: 0x05,
  text: 0x06,
  hex: 0x07,
  digits: 0x08,
  decimal: 0x09,
  json: 0x0a,
  list: 0x0b,
  object: 0x0c,
  earlier: 0x0d,
  time: 0x0e,
  timeBack: 0x0f,
  halves: 0x10,
} as const
/** Behind the tags, a byte each: small numbers, words, and texts that came before. */
const firstSmall = 0x11
const smallCount = 0x0f
/** As many as there is room for below what came before: 96. */
const firstWord = 0x20
const firstEarlier = 0x80
const earlierCount = 0x80

/** Texts that come again and again. Only ever added to: where a word stands is what is stored. */
const words: readonly string[] = [
  '',
  'E3',
  'E4',
  'E12',
  'chain',
  'MainToZone',
  'ZoneToMain',
  'Deposit',
  'Withdraw',
  'success',
  'failed',
  'unknown',
  'absent',
  'ERC20',
  'ERC721',
  'ERC1155',
  'moves',
  'token',
  'from',
  'to',
  'amountRaw',
  'amount',
  'tokenId',
  'height',
  'time',
  'actionType',
  'action',
  'deposit',
  'withdraw',
  'type',
  'destination',
  'errorMessage',
  'whole',
  'reads',
  'unasked',
  'paidIn',
  'recipient',
  'main',
  'zone',
  'E9',
  'E13',
  'E15',
  'canonical',
  'zoneRpc',
  '0x0000000000000000000000000000000000000000',
  'batch',
]
const placeOfWord = new Map(words.map((word, place) => [word, place]))

/** Whole numbers from here on are mostly times in ms, each near the one before. */
const firstTime = 2 ** 32
/** Shorter texts are not worth a place among those that came before. */
const leastEarlier = 3
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

/** @throws RangeError for bytes that `pack` did not write, or wrote with other known texts */
export function unpack(bytes: Uint8Array, known: readonly string[] = []): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer[0] !== form) throw new RangeError(`expected packed bytes of form ${form}, found ${buffer[0]}`)
  const earlier = known.slice()
  let lastTime = 0
  let at = 1
  const value = read()
  if (at !== buffer.length) throw new RangeError(`expected ${at} packed bytes, found ${buffer.length}`)
  return value

  function read(): unknown {
    const code = byte()
    if (code >= firstEarlier) return earlierAt(code - firstEarlier)
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
        return varint()
      case tag.negative:
        return -varint()
      case tag.time:
        return (lastTime += varint())
      case tag.timeBack:
        return (lastTime -= varint())
      case tag.float:
        return buffer.readDoubleLE(skip(8))
      case tag.text:
        return keep(slice('utf8'))
      case tag.halves:
        return keep(slice('utf16le'))
      case tag.hex:
        return keep(`0x${slice('hex')}`)
      case tag.digits:
        return keep(digits())
      case tag.decimal: {
        const scale = varint()
        const all = digits().padStart(scale + 1, '0')
        return keep(`${all.slice(0, -scale)}.${all.slice(-scale)}`)
      }
      case tag.json:
        return JSON.stringify(read())
      case tag.list:
        return Array.from({ length: length() }, read)
      case tag.object:
        return Object.fromEntries(Array.from({ length: length() }, () => [read(), read()]))
      case tag.earlier:
        return earlierAt(varint())
      default:
        return refuse(code)
    }
  }

  function byte(): number {
    return buffer[skip(1)] ?? 0
  }

  function skip(count: number): number {
    const start = at
    at += count
    if (at > buffer.length) throw new RangeError('packed bytes end too soon')
    return start
  }

  function varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const next = byte()
      value += (next & 0x7f) * factor
      if (next < 0x80) return value
    }
  }

  /** Of a list: each member takes a byte at least. */
  function length(): number {
    const count = varint()
    return count <= buffer.length - at ? count : refuse(count)
  }

  function slice(encoding: Encoding): string {
    const count = varint()
    const start = skip(count)
    return buffer.toString(encoding, start, start + count)
  }

  function digits(): string {
    return BigInt(`0x0${slice('hex')}`).toString()
  }

  function keep(text: string): string {
    if (text.length >= leastEarlier) earlier.push(text)
    return text
  }

  function earlierAt(place: number): string {
    return earlier[place] ?? refuse(place)
  }
}

function refuse(found: number): never {
  throw new RangeError(`packed bytes hold ${found} where nothing known has it`)
}

type Encoding = 'utf8' | 'utf16le' | 'hex'

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
