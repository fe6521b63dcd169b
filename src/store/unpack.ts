import {
  type Encoding,
  firstEarlier,
  firstSmall,
  firstWord,
  form,
  leastEarlier,
  tag,
  words,
} from './packForm.ts'

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
