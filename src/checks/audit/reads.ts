import type { z } from 'zod'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import { type ZoneBlock, zoneBlocks } from '../../clients/explorer/endpoints/blocks.ts'
import { crossTransactions } from '../../clients/explorer/endpoints/crossRecords.ts'
import {
  type ZoneBlockTransaction,
  zoneBlockTransactions,
} from '../../clients/explorer/endpoints/zoneBlockTransactions.ts'
import { misfitReason } from '../../clients/explorer/fits.ts'
import { createPageFromNewest } from '../../clients/explorer/newestFirst.ts'
import type { Answer, Quarantined } from '../../clients/explorer/readAnswer.ts'
import { readAll } from '../../clients/explorer/readAll.ts'
import type { Chain, Observation } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { BadRecord, Read, ReadOptions } from '../../kernel/reads/reads.ts'

export interface WholeRead<T> extends Read<T> {
  /** False when the service gave less than there is. */
  readonly complete: boolean
  readonly requests: number
}

/** What the audits ask. Each throws when it could not ask; an empty list is an answer. */
export interface AuditReads {
  /** E3 at one height, the first page: to see whether the filter works. */
  recordsAt(height: number, options: ReadOptions): Promise<Read<Observation>>
  /** E3 by a range of heights. Rows outside of it mean that the filter does not work: then it is not complete. */
  recordsIn(span: BlockSpan, options: ReadOptions): Promise<WholeRead<Observation>>
  /** E3 from the newest record back to one whose page holds nothing newer than `until`. */
  recordsSince(until: UnixMs, options: ReadOptions): Promise<WholeRead<Observation>>
  /** E5: a page of zone blocks, the newest first. */
  zoneBlockPage(
    page: number,
    options: ReadOptions,
  ): Promise<Read<ZoneBlock> & { readonly limit: number | null }>
  /** E4: the transactions of a zone block. */
  zoneBlock(height: number, options: ReadOptions): Promise<WholeRead<ZoneBlockTransaction>>
}

const pageSize = 100

type Source = Pick<Kernel, 'clock' | 'explorer'>

export function createAuditReads(source: Source): AuditReads {
  const readZoneBlocks = createPageFromNewest(zoneBlocks)
  return {
    recordsAt: (height, options) => readAt(source, height, options),
    recordsIn: (span, options) => readIn(source, span, options),
    recordsSince: (until, options) =>
      readPages(source, crossTransactions, {
        ...options,
        params: {},
        // Behind old records of a list that begins with the oldest the new ones follow.
        isEnough: ({ records, order }) =>
          order !== 'oldest-first' && records.length > 0 && records.every((row) => newestTime(row) < until),
      }),
    async zoneBlockPage(page, options) {
      const answer = await readZoneBlocks(page, (at) =>
        source.explorer.callNonEmpty(
          zoneBlocks,
          { page: at, limit: pageSize },
          { ...options, isKnown: at === 1 },
        ),
      )
      if (answer === null) return { requestedAt: source.clock.now(), records: [], limit: null, bad: [] }
      const { requestedAt, records, limit } = answer
      return { requestedAt, records, limit, bad: toBad('E5', answer.quarantined) }
    },
    async zoneBlock(height, options) {
      const read = await readPages(source, zoneBlockTransactions, { ...options, params: { height } })
      return { ...read, complete: read.complete && read.records.length > 0 }
    },
  }
}

async function readAt(
  { explorer }: Source,
  height: number,
  options: ReadOptions,
): Promise<Read<Observation>> {
  const params = { startBlockHeight: height, endBlockHeight: height, limit: pageSize }
  const how = { ...options, isKnown: false, isProbe: true }
  const { requestedAt, records, quarantined, misfits } = await explorer.callNonEmpty(
    crossTransactions,
    params,
    how,
  )
  return { requestedAt, records, bad: toBad('E3', quarantined), isUnfiltered: misfits.length > 0 }
}

async function readIn(
  source: Source,
  span: BlockSpan,
  options: ReadOptions,
): Promise<WholeRead<Observation>> {
  const requestedAt = source.clock.now()
  const records: Observation[] = []
  const quarantined: Quarantined[] = []
  const params = { startBlockHeight: span.first, endBlockHeight: span.last }
  try {
    const { complete, requests, reasons } = await readAll(source, crossTransactions, params, {
      ...options,
      onRecords: (found) => void records.push(...found),
      quarantined,
    })
    const isUnfiltered = reasons.includes(misfitReason)
    const bad = toBad('E3', quarantined)
    return { requestedAt, records, bad, complete: complete && bad.length === 0, requests, isUnfiltered }
  } catch (error) {
    if (!(error instanceof MonitorError && error.code === 'source.mismatched')) throw error
    const bad = toBad('E3', quarantined)
    return { requestedAt, records, bad, complete: false, requests: 1, isUnfiltered: true }
  }
}

/** A paged list, to its end or to where it may stop. */
async function readPages<P extends z.ZodType, R>(
  { clock, explorer }: Source,
  endpoint: Endpoint<P, R>,
  how: ReadOptions & {
    readonly params: Omit<z.input<P>, 'page' | 'limit'>
    readonly isEnough?: (answer: Answer<R>) => boolean
  },
): Promise<WholeRead<R>> {
  const { params, isEnough, ...options } = how
  const requestedAt = clock.now()
  const records: R[] = []
  const bad: BadRecord[] = []
  const result = await explorer.walk(endpoint, params, {
    ...options,
    onBegin() {
      records.length = 0
      bad.length = 0
    },
    onNew(found, answer) {
      records.push(...found)
      return isEnough?.(answer)
    },
    onPage: (answer) => void bad.push(...toBad(endpoint.id, answer.quarantined)),
  })
  return { requestedAt, records, bad, complete: result.complete && bad.length === 0, requests: result.pages }
}

/** When the newest leg of a record happened; 0 when it gives no time. */
export function newestTime({ mainTime, zoneTime }: Pick<Observation, 'mainTime' | 'zoneTime'>): UnixMs {
  return Math.max(mainTime ?? 0, zoneTime ?? 0)
}

function toBad(endpoint: string, quarantined: readonly Quarantined[]): BadRecord[] {
  return quarantined.map(({ raw, problem }) => ({ endpoint, problem, raw }))
}

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
