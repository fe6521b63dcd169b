import type { ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import type { Transport } from './faults/fault.ts'

/** An answer ready to go out. */
export interface Outgoing {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends an answer the way the network lets it through; without a transport, whole and at once. */
export async function deliver(
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
  response: ServerResponse,
  outgoing: Outgoing,
  transport?: Transport,
): Promise<void> {
  const { body } = outgoing
  switch (transport?.kind) {
    case undefined:
      return sendWhole(response, outgoing)
    case 'slow':
      await deps.clock.sleep(transport.delayMs, deps.signal)
      return sendWhole(response, outgoing)
    case 'truncate':
      // Whole as a message of HTTP: only the text breaks off.
      return sendWhole(response, {
        ...outgoing,
        body: body.slice(0, Math.floor(body.length * transport.share)),
      })
    case 'hang':
      if (transport.after === 'headers') sendHead(response, outgoing)
      return
    case 'reset':
      if (transport.after === 'headers') sendHead(response, outgoing)
      // A reset, not an orderly end: the peer must see it as an error.
      response.socket?.resetAndDestroy()
      return
    case 'drip':
      return drip(deps, response, outgoing, transport)
    case 'huge':
      return sendHuge(response, outgoing, transport.bytes)
    default:
      return transport satisfies never
  }
}

function sendWhole(response: ServerResponse, outgoing: Outgoing): void {
  const length = Buffer.byteLength(outgoing.body)
  response.writeHead(outgoing.status, {
    'content-type': outgoing.type,
    'content-length': length,
    ...outgoing.headers,
  })
  response.end(outgoing.body)
}

function sendHead(response: ServerResponse, outgoing: Outgoing): void {
  response.writeHead(outgoing.status, { 'content-type': outgoing.type, ...outgoing.headers })
  response.flushHeaders()
  response.write(outgoing.body.slice(0, 1))
}

async function drip(
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
  response: ServerResponse,
  outgoing: Outgoing,
  pace: { readonly bytes: number; readonly everyMs: number },
): Promise<void> {
  response.writeHead(outgoing.status, { 'content-type': outgoing.type })
  for (let at = 0; at < outgoing.body.length && !isGone(deps.signal, response); at += pace.bytes) {
    response.write(outgoing.body.slice(at, at + pace.bytes))
    await deps.clock.sleep(pace.everyMs, deps.signal)
  }
  response.end()
}

/** A body of valid JSON that is far too long, made while it is sent so that the sandbox itself stays small. */
async function sendHuge(response: ServerResponse, outgoing: Outgoing, bytes: number): Promise<void> {
  const chunk = ' '.repeat(65_536)
  response.writeHead(outgoing.status, { 'content-type': outgoing.type })
  for (let sent = 0; sent < bytes && !response.destroyed; sent += chunk.length) {
    if (!response.write(chunk)) await drained(response)
  }
  response.end(outgoing.body)
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function isGone(signal: AbortSignal, response: ServerResponse): boolean {
  return signal.aborted || response.destroyed
}
