import { BlockList, isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import type { WebEnv } from './types.ts'

/**
 * Reads who asks: the address of the connection, or, where that is one of `http.trustProxy`, the last address of
 * X-Forwarded-For that is not. Anybody can write that header: what stands left of the first untrusted address is not
 * believed, and without `http.trustProxy` nothing of it.
 * @example createAddressReader(['10.0.0.0/8'])('10.0.0.1', '1.2.3.4, 192.0.2.7') // '192.0.2.7'
 */
export function createAddressReader(trusted: readonly string[]) {
  const proxies = new BlockList()
  for (const range of trusted) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (connected: string, forwarded: string | undefined): string => {
    let address = toPlain(connected)
    const hops = (forwarded ?? '').split(',').map((hop) => toPlain(hop.trim()))
    while (isIP(address) !== 0 && isProxy(address)) {
      const hop = hops.pop()
      // What is no address was not written by a proxy that keeps to the rules.
      if (hop === undefined || isIP(hop) === 0) break
      address = hop
    }
    return address
  }
}

/** The address at the other end of the connection. */
export function addressOf(c: Context<WebEnv>): string {
  return c.env?.incoming ? (getConnInfo(c).remote.address ?? 'unknown') : 'in-process'
}

/** An IPv4 address has one spelling, also on a socket of both families. */
export function toPlain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}
