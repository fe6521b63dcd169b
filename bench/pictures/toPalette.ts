import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** So many colours, each so far from the others; what is beyond them takes the nearest. */
interface Colors {
  readonly most: number
  readonly apart: number
}

/** Of a picture of text. */
const ofText: Colors = { most: 40, apart: 300 }

interface Pixels {
  readonly width: number
  readonly height: number
  /** Three bytes each. */
  readonly rgb: Buffer
}

/** A browser's screenshot with few colours, so that it is a third as large: a PNG again. */
export function toPalette(png: Buffer, colors = ofText): Buffer {
  const { width, height, rgb } = decode(png)
  const counts = new Map<number, number>()
  for (let at = 0; at < rgb.length; at += 3) {
    const color = rgb.readUIntBE(at, 3)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = choose(counts, colors)
  const placeOf = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]))
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = placeOf.get(rgb.readUIntBE((y * width + x) * 3, 3)) ?? 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The most frequent ones first, leaving out what looks like one that was taken. */
function choose(counts: ReadonlyMap<number, number>, { most, apart }: Colors): number[] {
  const taken: number[] = []
  for (const [color] of [...counts].toSorted(([, a], [, b]) => b - a)) {
    if (taken.every((one) => distance(one, color) > apart)) taken.push(color)
    if (taken.length === most) break
  }
  return taken
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0
  for (const [place, one] of palette.entries())
    if (distance(one, color) < distance(palette[best] ?? 0, color)) best = place
  return best
}

function distance(a: number, b: number): number {
  const parts = [16, 8, 0].map((shift) => ((a >> shift) & 255) - ((b >> shift) & 255))
  return parts.reduce((sum, part) => sum + part * part, 0)
}

/** Eight bits a channel and no interlacing, as browsers write them. */
function decode(png: Buffer): Pixels {
  const data: Buffer[] = []
  let [width, height, channels] = [0, 0, 3]
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    if (type === 'IDAT') data.push(body)
    if (type !== 'IHDR') continue
    ;[width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
    channels = body[9] === 6 ? 4 : 3
  }
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * channels
  const bytes = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) unfilter(raw.subarray(y * (stride + 1)), bytes, { y, stride, channels })
  const rgb = Buffer.alloc(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1)
    bytes.copy(rgb, pixel * 3, pixel * channels, pixel * channels + 3)
  return { width, height, rgb }
}

function unfilter(
  row: Buffer,
  bytes: Buffer,
  { y, stride, channels }: { readonly y: number; readonly stride: number; readonly channels: number },
): void {
  const at = (x: number, line: number) => (x < 0 || line < 0 ? 0 : (bytes[line * stride + x] ?? 0))
  for (let x = 0; x < stride; x += 1) {
    const [left, up, corner] = [at(x - channels, y), at(x, y - 1), x < channels ? 0 : at(x - channels, y - 1)]
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][row[0] ?? 0] ?? 0
    bytes[y * stride + x] = ((row[x + 1] ?? 0) + guess) & 255
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [byLeft, byUp, byCorner] = [left, up, corner].map((one) => Math.abs(left + up - corner - one))
  if (byLeft === undefined || byUp === undefined || byCorner === undefined) return 0
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
