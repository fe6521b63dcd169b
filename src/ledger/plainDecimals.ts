import { encodeSighting, type Group } from './sighting.ts'

/** One sighting whose amounts say nothing of its decimals, or that is part of a batch. */
const undecided = -1

/**
 * What says that a transfer was seen in one form alone, so that a walk through history may pass over it: the decimals in which its
 * base units and its token units agree as text, -1 where they do not or it is part of a batch; null with more forms.
 */
export function plainDecimals({ members, ambiguous }: Group): number | null {
  const [one] = members
  if (one === undefined || members.length + ambiguous.length > 1) return null
  if (encodeSighting(one).some((cell) => typeof cell === 'string' && /batch/i.test(cell))) return undecided
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(one.value ?? '') ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const raw = one.amountRaw?.toString() ?? ''
  const zeros = raw.slice(digits.length)
  if (digits === '' || !raw.startsWith(digits) || /[^0]/.test(zeros)) return undecided
  return fraction.length + zeros.length
}
