import type { UnixMs } from '../../lib/clock.ts'

/** The readings so far that found nothing, as plain data: a caller may spread them over its ticks. */
export interface Absence {
  readonly firstAt: UnixMs | null
  readonly lastAt: UnixMs | null
  readonly reads: number
  /** When a control question was last answered after the first reading. */
  readonly controlAt: UnixMs | null
}

export const notYetAbsent: Absence = { firstAt: null, lastAt: null, reads: 0, controlAt: null }

const neededReads = 3
const neededMs = 30_000

/**
 * Takes one more reading into account.
 * - `absent`: the answer was empty, or did not hold what was asked for.
 * - `absent-among-others`: an otherwise full answer did not hold it, which is a control question too.
 * - `control`: a question of the same family with a known answer was answered.
 * - `present`: it is there after all, so everything begins anew.
 *
 * A reading that failed is no reading: leave it out.
 */
export function noteReading(
  absence: Absence,
  reading: { readonly kind: 'absent' | 'absent-among-others' | 'control' | 'present'; readonly at: UnixMs },
): Absence {
  const { kind, at } = reading
  switch (kind) {
    case 'present':
      return notYetAbsent
    case 'control':
      return absence.firstAt === null ? absence : { ...absence, controlAt: at }
    case 'absent':
    case 'absent-among-others':
      return {
        // The clock was set back since: a time to come begins no proof.
        firstAt: Math.min(absence.firstAt ?? at, at),
        lastAt: at,
        reads: absence.reads + 1,
        controlAt: kind === 'absent-among-others' ? at : absence.controlAt,
      }
  }
}

/** When one more reading may complete the proof; null while it takes more than one. */
export function completesAt({ firstAt, reads }: Absence): UnixMs | null {
  return firstAt === null || reads !== neededReads - 1 ? null : firstAt + neededMs
}

/**
 * Whether nothing may be said to be there: three readings over at least 30 s agree, and between them the service
 * answered a question whose answer is known. One empty answer proves nothing, because throttling looks the same.
 */
export function isAbsent(absence: Absence): boolean {
  const { firstAt, lastAt, reads, controlAt } = absence
  if (firstAt === null || lastAt === null || controlAt === null) return false
  return reads >= neededReads && lastAt - firstAt >= neededMs && controlAt >= firstAt && controlAt <= lastAt
}
