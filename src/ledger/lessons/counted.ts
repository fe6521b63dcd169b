import type { UnixMs } from '../../lib/clock.ts'
import { latencyClass, latencyStepMs } from './latency.ts'

/** Times are counted by steps of so long. */
export const flowStepMs = 10_000

/** What is counted of one transfer beside its token and direction, which its row has: kept with it, so that any change takes back just that. */
export type Counted = readonly [
  /** Base units; null when unknown: counted, and no part of the sum. */
  amount: string | null,
  /** Steps, ms. */
  started: UnixMs | null,
  arrived: UnixMs | null,
  /** Step and class of the time it took. */
  latency: readonly [UnixMs, number] | null,
  /** Of a token that comes in many: what is equal has the same one. */
  tokenId?: string,
]

/** What a transfer's row says beside it. */
export interface RowTimes {
  readonly originAt: UnixMs
  readonly destinationAt: UnixMs | null
}

/** Stands for all but amount and token id where they are what the row's times say, as they mostly are. */
const sameAsRow = '='

/** As a first form had it, with names. */
interface NamedCounted {
  readonly a: string | null
  readonly s: number | null
  readonly e: number | null
  readonly l: readonly [number, number] | null
  readonly i?: string
}

/**
 * As a row keeps it: amount, step of the start, steps until the arrival, class of the time it took, and the token's id where
 * there is one, with commas; numbers but the amount to the base of 36, and '' for null.
 */
export function formatCounted(
  [amount, started, arrived, latency, tokenId]: Counted,
  times: RowTimes,
): string {
  const [start, end] = [toPlace(started), toPlace(arrived)]
  const said = [
    start?.toString(36) ?? '',
    end === null ? '' : (end - (start ?? 0)).toString(36),
    latency === null ? '' : latency[1].toString(36),
  ]
  const isSame = said.join() === sayTimes(times).join()
  return [amount ?? '', ...(isSame ? [sameAsRow] : said), ...(tokenId === undefined ? [] : [tokenId])].join(
    ',',
  )
}

/** What `formatCounted` says of a transfer that left and arrived when its row says so. */
function sayTimes({ originAt, destinationAt }: RowTimes): readonly [string, string, string] {
  const start = Math.floor(originAt / flowStepMs)
  if (destinationAt === null) return [start.toString(36), '', '']
  const tookMs = destinationAt - originAt
  const end = Math.floor(destinationAt / flowStepMs) - start
  return [start.toString(36), end.toString(36), tookMs < 0 ? '' : latencyClass(tookMs).toString(36)]
}

/** Whether the steps of what is counted are those of the row's times. */
export function isByRow(flow: string): boolean {
  return flow.startsWith(sameAsRow, flow.indexOf(',') + 1)
}

/** In SQL, the same. */
export const isByRowSql = `substr(flow, instr(flow, ',') + 1, 1) = '${sameAsRow}'`

/** What counts of a transfer, as `formatCounted` wrote it, or a version before as JSON. */
export function readCounted(flow: string, times: RowTimes): Counted {
  if (flow.startsWith('[') || flow.startsWith('{')) return readJson(flow)
  const [amount = '', ...said] = flow.split(',')
  const [start = '', end = '', of = '', ...id] =
    said[0] === sameAsRow ? [...sayTimes(times), ...said.slice(1)] : said
  const started = start === '' ? null : Number.parseInt(start, 36) * flowStepMs
  const arrived = end === '' ? null : (started ?? 0) + Number.parseInt(end, 36) * flowStepMs
  // The step of what it took is the one in which it arrived: steps of latency are whole numbers of steps.
  const latency: Counted[3] =
    of === '' || arrived === null ? null : [arrived - (arrived % latencyStepMs), Number.parseInt(of, 36)]
  const counted = [amount === '' ? null : amount, started, arrived, latency] as const
  return id.length === 0 ? counted : [...counted, id.join(',')]
}

/** The base units that are counted; null when unknown. */
export function readCountedAmount(flow: string): string | null {
  return readCounted(flow, { originAt: 0, destinationAt: null })[0]
}

function readJson(flow: string): Counted {
  // Written by a version before, in one of its two forms.
  const counted = JSON.parse(flow) as Counted | NamedCounted
  if (!('a' in counted)) return counted
  const { a, s, e, l, i } = counted
  return i === undefined ? [a, s, e, l] : [a, s, e, l, i]
}

function toPlace(step: UnixMs | null): number | null {
  return step === null ? null : step / flowStepMs
}

/** In SQL, the base units that are counted, as text. */
export const countedAmount = `iif(substr(flow, 1, 1) IN ('[', '{'), coalesce(json_extract(flow, '$[0]'), json_extract(flow, '$.a')),
  nullif(substr(flow, 1, instr(flow, ',') - 1), ''))`
