import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** An answer that somebody hostile gives in the place of a page of the list. */
export interface HostileBody {
  readonly name: string
  readonly send: (response: ServerResponse) => void
  /** The error that says what is wrong, or 'answer' where what came is an answer after all. */
  readonly gives: RegExp | 'answer'
}

const page = '{"code":"0","msg":"","data":[{"page":"1","limit":"20","totalPage":"1","total":"0","data":[]}]}'
const withRows = (rows: string) => page.replace('"data":[]}', () => `"data":[${rows}]}`)
const megabyte = 1024 * 1024
const bound = 16 * megabyte
const zeros = (bytes: number) => Buffer.alloc(bytes, '0')

const notJson = /the body is not a JSON envelope, names a key twice, or holds too much/
const notEnvelope = /the body is not a JSON envelope \(/
const tooLarge = /the answer is larger than 16 MB/
const notAsked = /a content encoding that was not asked for/
const notUnpacked = /the answer cannot be decompressed/
const noWhole = /no whole answer within/

/** A body with its length, as JSON unless it is said otherwise. */
function body(text: string | Buffer, headers: Record<string, string> = {}): HostileBody['send'] {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(text)
  }
}

const packed = (encoding: string, bytes: Buffer) => body(bytes, { 'content-encoding': encoding })

/** Bytes of the wire, written by hand. */
function raw(...parts: readonly (string | Buffer)[]): HostileBody['send'] {
  return ({ socket }) => {
    for (const part of parts) socket?.write(part)
    socket?.end()
  }
}

/** The same piece again and again, until nobody listens any more. */
function endless(piece: string | Buffer, { status = 200, pauseMs = 0 } = {}): HostileBody['send'] {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.on('error', () => undefined)
    const write = () => {
      if (response.destroyed) return
      if (response.write(piece)) setTimeout(write, pauseMs)
      else response.once('drain', write)
    }
    write()
  }
}

/** As large as an answer may be: `count` times the piece between brackets. */
const many = (piece: string, count: number) => withRows(`${`${piece},`.repeat(count)}1`)
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`
const shapes = (count: number) => Array.from({ length: count }, (_, index) => `{"k${index}":1}`).join()
/** Bombs are made once: packing takes time. */
const lazy = (make: () => HostileBody['send']): HostileBody['send'] => {
  let send: HostileBody['send'] | null = null
  return (response) => (send ??= make())(response)
}

/** What is sent to the client, each in its turn; test/integration/clients and bench/attack.ts go through all of them. */
export const hostileBodies: readonly HostileBody[] = [
  {
    name: 'brotli bomb',
    send: lazy(() =>
      packed(
        'br',
        brotliCompressSync(zeros(64 * megabyte), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      ),
    ),
    gives: notAsked,
  },
  { name: 'brotli, small', send: packed('br', brotliCompressSync(page)), gives: notAsked },
  {
    name: 'deflate bomb',
    send: lazy(() => packed('deflate', deflateSync(zeros(64 * megabyte)))),
    gives: notAsked,
  },
  {
    name: 'zstd bomb',
    send: lazy(() => packed('zstd', zstdCompressSync(zeros(64 * megabyte)))),
    gives: notAsked,
  },
  { name: 'an encoding of its own', send: body(page, { 'content-encoding': 'rot13' }), gives: notAsked },
  { name: 'two encodings', send: packed('gzip, gzip', gzipSync(gzipSync(page))), gives: notAsked },
  { name: 'gzip bomb', send: lazy(() => packed('gzip', gzipSync(zeros(64 * megabyte)))), gives: tooLarge },
  {
    name: 'gzip bomb in members',
    send: lazy(() => packed('gzip', Buffer.concat(Array<Buffer>(64).fill(gzipSync(zeros(4 * megabyte)))))),
    gives: tooLarge,
  },
  {
    name: 'gzip within gzip',
    send: lazy(() => packed('gzip', gzipSync(gzipSync(zeros(64 * megabyte))))),
    gives: notJson,
  },
  { name: 'gzip cut short', send: packed('gzip', gzipSync(page).subarray(0, 40)), gives: notUnpacked },
  {
    name: 'gzip with another checksum',
    send: packed(
      'gzip',
      Buffer.from(gzipSync(page).map((byte, index, all) => (index === all.length - 6 ? byte ^ 1 : byte))),
    ),
    gives: notUnpacked,
  },
  { name: 'plain text that says gzip', send: packed('gzip', Buffer.from(page)), gives: notUnpacked },
  { name: 'gzip that is right', send: packed('gzip', gzipSync(page)), gives: 'answer' },
  { name: 'arrays 450,000 deep', send: body('['.repeat(450_000) + ']'.repeat(450_000)), gives: notEnvelope },
  {
    name: 'arrays 100,000 deep in a row',
    send: body(withRows('['.repeat(100_000) + ']'.repeat(100_000))),
    gives: 'answer',
  },
  {
    name: 'objects 100,000 deep',
    send: body(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
    gives: notEnvelope,
  },
  { name: 'brackets that never close', send: body('['.repeat(bound)), gives: notJson },
  { name: '333,000 empty arrays', send: body(many('[]', 333_000)), gives: notJson },
  { name: '19,000 empty arrays for rows', send: body(many('[]', 19_000)), gives: 'answer' },
  { name: 'five million empty objects', send: body(many('{}', 5_000_000)), gives: notJson },
  {
    name: '140,000 objects of different shapes',
    send: body(withRows(shapes(140_000))),
    gives: notJson,
  },
  { name: 'one object of 5,000 keys', send: body(withRows(keys(5_000))), gives: 'answer' },
  { name: 'one object of a million keys', send: body(withRows(keys(1_000_000))), gives: notJson },
  {
    name: 'a string of 15 MB',
    send: body(withRows(JSON.stringify({ txType: 'x'.repeat(15_000_000) }))),
    gives: 'answer',
  },
  {
    name: 'a string of 15 MB in three-byte letters',
    send: body(withRows(JSON.stringify({ txType: '€'.repeat(5_000_000) }))),
    gives: 'answer',
  },
  {
    name: 'a string of 7 million escapes',
    send: body(withRows(`{"txType":"${String.raw`\n`.repeat(7_000_000)}"}`)),
    gives: 'answer',
  },
  { name: 'a string that never ends', send: body(`{"code":"${'x'.repeat(10_000_000)}`), gives: notJson },
  {
    name: '18,000 strings of 0.8 kB for rows',
    send: body(
      withRows(
        Array<string>(18_000)
          .fill(`"${'y'.repeat(800)}"`)
          .join(),
      ),
    ),
    gives: 'answer',
  },
  {
    name: 'an integer of a million digits',
    send: body(withRows(`{"valueRaw":${'9'.repeat(1_000_000)}}`)),
    gives: 'answer',
  },
  {
    name: 'a string of a million digits',
    send: body(withRows(`{"valueRaw":"${'9'.repeat(1_000_000)}"}`)),
    gives: 'answer',
  },
  {
    name: 'numbers beyond all measure',
    send: body(withRows('{"value":1e400,"valueRaw":-1e-400}')),
    gives: 'answer',
  },
  { name: 'a key given twice', send: body(page.replace('"msg"', '"code":"50011","msg"')), gives: notJson },
  {
    name: 'a key of the prototype',
    send: body(withRows('{"__proto__":{"txType":"x"},"constructor":1}')),
    gives: 'answer',
  },
  { name: 'NUL bytes', send: body(Buffer.alloc(1_000_000)), gives: notJson },
  { name: 'NUL within a string', send: body(withRows('{"txType":"\0"}')), gives: notJson },
  {
    name: 'invalid UTF-8',
    send: body(Buffer.from(withRows('{"txType":"\u00ff\u00fe"}'), 'latin1')),
    gives: 'answer',
  },
  { name: 'a byte order mark', send: body(`\uFEFF${page}`), gives: 'answer' },
  { name: 'UTF-16', send: body(Buffer.from(page, 'utf16le')), gives: notJson },
  {
    name: 'lone surrogates',
    send: body(withRows(String.raw`{"txType":"\ud800\udc00\ud800"}`)),
    gives: 'answer',
  },
  { name: 'nothing', send: body(''), gives: /the body is empty/ },
  { name: '15 MB of spaces', send: body(Buffer.alloc(15_000_000, ' ')), gives: /the body is empty/ },
  { name: 'an answer and something behind it', send: body(`${page} trailing`), gives: notJson },
  { name: 'two answers', send: body(page + page), gives: notJson },
  {
    name: 'HTML',
    send: body('<!doctype html><p>Welcome', { 'content-type': 'text/html' }),
    gives: /the body is HTML/,
  },
  {
    name: 'a redirect to another machine',
    send: (response) => void response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
    gives: /HTTP 302/,
  },
  {
    name: 'an error of 256 MB',
    send: endless(Buffer.alloc(megabyte, ' '), { status: 500 }),
    gives: /HTTP 500/,
  },
  { name: 'chunks without end', send: endless(Buffer.alloc(megabyte, ' ')), gives: tooLarge },
  { name: 'a byte now and then', send: endless(' ', { pauseMs: 50 }), gives: noWhole },
  {
    name: 'headers and nothing after them',
    send: (response) => response.writeHead(200).flushHeaders(),
    gives: noWhole,
  },
  { name: 'not even headers', send: () => undefined, gives: noWhole },
  {
    name: 'interim answers without end',
    send: interim,
    gives: /interim answers without end/,
  },
  {
    name: 'a length of 80 MB',
    send: raw('HTTP/1.1 200 OK\r\ncontent-length: 80000000\r\n\r\n{'),
    gives: tooLarge,
  },
  {
    name: 'a length of 20 digits',
    send: raw('HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n{'),
    gives: /the body is not as long as was announced/,
  },
  {
    name: 'fewer bytes than announced',
    send: raw(`HTTP/1.1 200 OK\r\ncontent-length: ${page.length + 9}\r\n\r\n${page}`),
    gives: /closed early|the connection/,
  },
  {
    name: 'more bytes than announced',
    send: raw(`HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n${page}`),
    gives: /the body is not|the connection/,
  },
  {
    name: 'a length that is no number',
    send: raw(`HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n${page}`),
    gives: /the connection/,
  },
  {
    name: 'two lengths',
    send: raw(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: ${page.length}\r\n\r\n${page}`),
    gives: /the body is not as long as was announced/,
  },
  {
    name: 'a header of 1 MB',
    send: raw(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(megabyte)}\r\n\r\n${page}`),
    gives: /headers are larger than 16 kB|the connection/,
  },
  {
    name: 'a thousand headers',
    send: raw(
      `HTTP/1.1 200 OK\r\n${Array.from({ length: 1_000 }, (_, index) => `x-${index}: 1\r\n`).join('')}content-length: ${page.length}\r\n\r\n${page}`,
    ),
    gives: 'answer',
  },
  { name: 'no HTTP at all', send: raw('220 mail.example ESMTP\r\n'), gives: /the connection/ },
  {
    name: 'a page of zeros in the name of gzip and chunks',
    send: raw(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-encoding: gzip\r\n\r\nfffffff0\r\n',
      Buffer.alloc(megabyte),
    ),
    gives: /cannot be decompressed|the connection/,
  },
]

function interim(response: ServerResponse): void {
  const { socket } = response
  const write = () => {
    if (socket === null || socket.destroyed) return
    if (socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(100))) setTimeout(write, 1)
    else socket.once('drain', write)
  }
  write()
}
