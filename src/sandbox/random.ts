/** A 32-bit seed from any text, so that a scenario may be seeded with a word. */
export function seedFromText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mix(hash >>> 0, text.length)
}

/** Folds up to four 32-bit numbers into one that looks random and is always the same for the same input. */
export function mix(a: number, b: number, c = 0, d = 0): number {
  let hash = scramble(a ^ 0x9e3779b9)
  hash = scramble(hash ^ Math.imul(b, 0x85ebca6b))
  hash = scramble((hash + Math.imul(c, 0xc2b2ae35)) | 0)
  return scramble((hash + Math.imul(d, 0x27d4eb2f)) | 0)
}

/** `mix` as a number in [0, 1). */
export function mixUnit(a: number, b: number, c = 0, d = 0): number {
  return mix(a, b, c, d) / 4_294_967_296
}

/** A bijection of 32-bit numbers (Wellons' lowbias32): it hides a number in a hash so that it can be found again. */
export function scramble(value: number): number {
  let x = value >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}

/** The inverse of `scramble`. */
export function unscramble(value: number): number {
  let x = value >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x43021123)
  x = Math.imul(x ^ (x >>> 15) ^ (x >>> 30), 0x1d69e2a5)
  return (x ^ (x >>> 16)) >>> 0
}
