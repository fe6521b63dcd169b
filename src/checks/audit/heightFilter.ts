import type { Chain, Observation } from '../../bridge/observation.ts'

/**
 * Which chain's height the list's filters mean: it is not documented. `none` is a filter that does not narrow, or by
 * a height that the records do not show.
 */
export type HeightFilter = Chain | 'none'

/** A transfer whose record shows both heights, and which is known to be listed. */
export interface HeightSample {
  readonly mainHash: string
  readonly zoneHash: string
  readonly mainHeight: number
  readonly zoneHeight: number
}

/**
 * What two answers show: to the sample's main height alone, and to its zone height alone. A filter works when its
 * answer holds the sample, and nothing that lies elsewhere on both chains.
 * @returns null when the answers say nothing: both are empty, which throttling looks like
 */
export function judgeHeightFilter(
  sample: HeightSample,
  answers: Readonly<Record<Chain, HeightAnswer>>,
): HeightFilter | null {
  const { main, zone } = answers
  if (isEmpty(main) && isEmpty(zone)) return null
  // By the zone's height a range says more exactly when something happened.
  if (works(sample, zone, sample.zoneHeight)) return 'zone'
  if (works(sample, main, sample.mainHeight)) return 'main'
  return 'none'
}

/** What came for one height. */
interface HeightAnswer {
  readonly records: readonly Observation[]
  /** There were others, which lie elsewhere on both chains. */
  readonly isUnfiltered?: boolean
}

function isEmpty({ records, isUnfiltered }: HeightAnswer): boolean {
  return records.length === 0 && isUnfiltered !== true
}

function works(sample: HeightSample, { records: rows, isUnfiltered }: HeightAnswer, height: number): boolean {
  return (
    isUnfiltered !== true &&
    rows.some((row) => row.mainHash === sample.mainHash || row.zoneHash === sample.zoneHash) &&
    rows.every((row) => row.mainHeight === height || row.zoneHeight === height)
  )
}
