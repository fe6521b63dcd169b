import { isIPv4 } from 'node:net'

/** Whether an address to listen on can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/**
 * Whether a `Host` header names this machine by a loopback name. A page of another site whose name was pointed at
 * 127.0.0.1 (DNS rebinding) still sends that site's name.
 */
export function isLoopbackAuthority(authority: string | undefined): boolean {
  const host = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(authority ?? '')?.[1]
  return host !== undefined && isLoopbackHost(host)
}
