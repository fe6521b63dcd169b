import { createHash } from 'node:crypto'

/** JSON with sorted keys, so that equal labels are equal text. */
export function canonicalJson(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** An alert's identity: rule and subject, never a value, a time, a text or an order. */
export function fingerprintOf(
  rule: string,
  identity: { readonly kind: string; readonly subject: string },
): string {
  return createHash('sha256')
    .update(`${rule}\n${canonicalJson(identity)}`)
    .digest('hex')
}

/** What people call an alert by: `#a1b2c3d4`. Eight digits, because six repeat among a few thousand. */
export function alertIdOf(fingerprint: string): string {
  return fingerprint.slice(0, 8)
}

/**
 * A message's short name. A one-to-one picture of its number, so that no two of the first 16 million are equal;
 * the ledger's generation gives another ledger other names.
 */
export function messageIdOf(deliveryId: number, generation: string): string {
  const salt = createHash('sha256').update(generation).digest().readUIntBE(0, 3)
  // An odd factor permutes the numbers below 2^24.
  const mixed = (Math.imul(deliveryId, 0x9e3779b1) ^ salt) & 0xff_ffff
  return mixed.toString(16).padStart(6, '0')
}
