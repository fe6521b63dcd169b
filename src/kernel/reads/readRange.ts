import type { z } from 'zod'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import type { Quarantined } from '../../clients/explorer/readAnswer.ts'
import type { WideParams } from '../../clients/explorer/question.ts'
import { readAll, type ReadAllOptions } from '../../clients/explorer/readAll.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { BadRecord, ReadOptions } from './reads.ts'

/** A stretch of main blocks, both ends included. */
export interface Blocks {
  readonly from: number
  readonly to: number
}

/** What was found in a range. Only a whole answer proves that there is no more. */
export interface RangeRead<T> {
  readonly requestedAt: UnixMs
  readonly rows: readonly T[]
  readonly isWhole: boolean
  /** Why it is not. */
  readonly problem: string
  readonly bad: readonly BadRecord[]
}

/** A row of a list that could not be read: what it moved is not among the rows. */
export interface UnreadRow {
  readonly endpoint: string
  readonly raw: string
}

export interface RangeOptions extends ReadOptions {
  /** The range holds something that is known: an empty answer is none. */
  readonly isKnown?: boolean
}

export interface MainSource {
  readonly explorer: Pick<Explorer, 'call' | 'walk'>
  readonly clock: Clock
}

type RangeQuestion<R> = RangeOptions &
  Pick<ReadAllOptions<R>, 'isEnough'> & { readonly params: WideParams; readonly blocks: Blocks }

export async function readRange<R>(
  source: MainSource,
  endpoint: Endpoint<z.ZodType, R>,
  { params, blocks, ...how }: RangeQuestion<R>,
) {
  const requestedAt = source.clock.now()
  const rows: R[] = []
  const quarantined: Quarantined[] = []
  const result = await readAll(
    source,
    endpoint,
    { ...params, startBlockHeight: blocks.from, endBlockHeight: blocks.to },
    {
      ...how,
      onRecords: (records) => void rows.push(...records),
      quarantined,
    },
  )
  const bad = quarantined.map(({ raw, problem }) => ({ endpoint: endpoint.id, problem, raw }))
  const unread = quarantined
    .filter(({ isMisfit }) => !isMisfit)
    .map(({ raw }): UnreadRow => ({ endpoint: endpoint.id, raw }))
  return { requestedAt, rows, bad, unread, isWhole: result.complete, problem: result.reasons.join(', ') }
}

/** Why a list is not whole of which some rows do not say enough. */
export const lackingRows = 'rows lack what they are judged by'

export function wholeUnless(isVague: boolean, found: Pick<RangeRead<unknown>, 'isWhole' | 'problem'>) {
  const { isWhole, problem } = found
  return isVague ? { isWhole: false, problem: lackingRows } : { isWhole, problem }
}
