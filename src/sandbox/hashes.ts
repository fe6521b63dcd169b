import { mix, scramble, unscramble } from './random.ts'

const kinds = [
  'mainTx',
  'zoneTx',
  'crossId',
  'mainBlock',
  'zoneBlock',
  'mainFill',
  'zoneFill',
  'mainSystem',
  'mainExtra',
  'preconfBlock',
  'invented',
] as const
export type HashKind = (typeof kinds)[number]

/**
 * The hash of the thing of this kind with this number. The number is hidden in the second word, so that a hash leads
 * back to it (`keyOfHash`) without a table of every hash ever shown.
 */
export function hashOf(seed: number, kind: HashKind, key: number): string {
  const salt = saltOf(seed, kind)
  let text = '0x' + word(mix(salt, key, 1))
  text += word(scramble((key ^ salt) >>> 0))
  for (let at = 2; at < 8; at += 1) text += word(mix(salt, key, at))
  return text
}

/** The number behind a hash of this kind, or null when this world never made that hash. */
export function keyOfHash(seed: number, kind: HashKind, hash: string): number | null {
  const salt = saltOf(seed, kind)
  const key = (unscramble(Number.parseInt(hash.slice(10, 18), 16)) ^ salt) >>> 0
  return hashOf(seed, kind, key) === hash.toLowerCase() ? key : null
}

/** The address with this number in a family of addresses (users, tokens, …). */
export function addressOf(seed: number, family: string, key: number): string {
  let salt = seed
  for (let at = 0; at < family.length; at += 1) salt = mix(salt, family.charCodeAt(at), at)
  let text = '0x'
  for (let at = 0; at < 5; at += 1) text += word(mix(salt, key, at))
  return text
}

function saltOf(seed: number, kind: HashKind): number {
  return mix(seed, kinds.indexOf(kind), 0x5bd1e995)
}

function word(value: number): string {
  return value.toString(16).padStart(8, '0')
}
