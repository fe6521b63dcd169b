import { isObject } from '../../lib/isObject.ts'
import { invalidParams } from './rpcError.ts'

export function hashIn(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{64}$/.test(given)) return given.toLowerCase()
  throw invalidParams('expected a hash of 32 bytes')
}

export function addressIn(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{40}$/.test(given)) return given.toLowerCase()
  throw invalidParams('expected an address of 20 bytes')
}

export function quantityIn(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(given)) return given
  throw invalidParams('expected a hex quantity')
}

export function callIn(call: unknown): { to: string; data: string } {
  if (!isObject(call)) throw invalidParams('expected a call object')
  const { to, data, input } = call
  const text = data ?? input ?? '0x'
  if (typeof to !== 'string' || typeof text !== 'string') throw invalidParams('expected to and data')
  return { to: to.toLowerCase(), data: text.toLowerCase() }
}

/** A number that belongs to an address. */
export function seedOf(address: string): number {
  return Number.parseInt(address.replace(/^0x/, '').slice(0, 8), 16)
}
