import type { UnsaidField } from '../../bridge/observation.ts'
import type { Transfer, TransferState } from '../../bridge/transfer.ts'
import { isRecord, type Sighting } from '../sightings/sighting.ts'

/** What became of a transfer, by what its records say and what second sources say of its legs. */
export function deriveState(
  all: readonly Sighting[],
  of: Pick<Transfer, 'status' | 'confirmedStatus' | 'main' | 'zone' | 'direction' | 'originProof'> & {
    readonly unsaid: readonly UnsaidField[]
    /** It may have failed as a whole, and no record says so. */
    readonly failure: boolean
    /** What it should arrive by failed on its chain, or is not there. */
    readonly refusal: boolean
  },
): TransferState {
  const { main, zone, originProof, unsaid } = of
  const [origin, destination] = of.direction === 'MainToZone' ? [main, zone] : [zone, main]
  const isOriginFailed = originProof === 'failed'
  const hasBoth = main !== null && zone !== null
  const isAgreed = of.confirmedStatus === 'failed' || isOriginFailed || of.refusal
  if (of.status === 'failed' && (hasBoth || isAgreed)) return 'failed'
  // A leg may be there although no record names it.
  const isUnsaidLeg =
    (main === null && unsaid.includes('mainHash')) || (zone === null && unsaid.includes('zoneHash'))
  if (isUnsaidLeg) return of.status === 'failed' && isFailedTwice(all) ? 'failed' : 'pending'
  if (origin === null) return 'unbacked'
  if (destination === null) return 'pending'
  if (isOriginFailed && of.failure) return 'pending'
  // Value that arrived although what it came from failed, or is not there.
  if (isOriginFailed || originProof === 'absent') return 'unbacked'
  return of.status === 'success' ? 'completed' : 'pending'
}

/** Whether a record that may have one leg only was read to have failed twice. */
function isFailedTwice(all: readonly Sighting[]): boolean {
  const failed = all.filter((one) => isRecord(one) && one.status === 'failed')
  // However else the answers of one list differ.
  return [...Map.groupBy(failed, ({ source }) => source).values()].some(
    (of) => Math.max(...of.map((one) => one.lastAt)) > Math.min(...of.map((one) => one.firstAt)),
  )
}
