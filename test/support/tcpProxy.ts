import { createServer, type Socket, connect } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of what is sent: passed on, late, dropped while the connection stays (as by a firewall that forgot it), or
 * refused with every connection broken.
 */
export type LinkMode = 'open' | 'slow' | 'half-open' | 'cut'

export interface TcpProxy {
  readonly port: number
  set(mode: LinkMode): void
  /** Leads to another port from the next connection on. */
  lead(target: number): void
  close(): Promise<void>
}

const slowMs = 400

/** A link to a port of this machine that can be made bad. */
export async function startTcpProxy(first: number): Promise<TcpProxy> {
  let target = first
  let mode: LinkMode = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => undefined).on('close', () => sockets.delete(near))
    if (mode === 'cut') return void near.resetAndDestroy()
    // Taken by whatever stands between, and never passed on.
    if (mode === 'half-open') return void near.resume()
    const far = connect(target, '127.0.0.1')
    sockets.add(far)
    far.on('error', () => near.destroy()).on('close', () => (sockets.delete(far), near.destroy()))
    near.on('close', () => far.destroy())
    pass(near, far)
    pass(far, near)
  })
  /** Bytes of a half-open time never come: the connection is of no use afterwards, as behind a firewall. */
  function pass(from: Socket, to: Socket): void {
    let isBroken = false
    from.on('data', (bytes) => {
      if (mode === 'half-open') isBroken = true
      if (isBroken) return
      if (mode === 'slow') setTimeout(() => to.writable && to.write(bytes), slowMs)
      else to.write(bytes)
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next
      if (next === 'cut') for (const socket of sockets) socket.resetAndDestroy()
    },
    lead(next) {
      target = next
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
