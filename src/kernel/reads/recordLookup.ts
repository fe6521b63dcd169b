import type { Observation } from '../../bridge/observation.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { isClean, isHiding } from './hiddenRows.ts'
import type { ExplorerReads, Read, ReadOptions } from './reads.ts'

/** A record that is known to be listed, to see whether a filter of the list works. */
export interface ControlRecord {
  readonly mainHash: string
  /** Its recipient. */
  readonly address: string
}

export interface RecordLookupDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly reads: Pick<ExplorerReads, 'feedByHash' | 'feedByAddress'>
  readControl(): ControlRecord | null
}

/** What is looked for: a main transaction, and the addresses that its transfer involves. */
interface WantedRecord {
  readonly hash: string
  readonly addresses: readonly string[]
}

interface FoundRecords extends Read<Observation> {
  /** Whether the record would be among them if it were listed. */
  readonly isAnswer: boolean
  /** Whether it may be in a row that could not be read, or that does not say what it is of. */
  readonly isHidden: boolean
}

/** @param checkedWithinMs how old the check may be that the filter works */
export type RecordLookup = (
  wanted: WantedRecord,
  options: ReadOptions & { readonly checkedWithinMs: number },
) => Promise<FoundRecords>

/** Pages of one address, at most: whoever crosses the bridge all day hides nothing for longer than that. */
const maxPages = 3
const pageSize = 100
const maxAddresses = 2

type Way = 'hash' | 'address'

/**
 * Finds the records of a main transaction in the list: by the filter for transactions, and where that is seen not to
 * work, by that for addresses. Each filter is checked on a record that is known to be there: one that is ignored gives
 * all records, one that is broken none or an error, and none of them says that a record is missing.
 */
export function createRecordLookup(deps: RecordLookupDeps): RecordLookup {
  const verdicts = new Map<Way, { readonly at: UnixMs; readonly works: boolean }>()

  async function works(way: Way, options: Parameters<RecordLookup>[1]): Promise<boolean | null> {
    const known = verdicts.get(way)
    const age = deps.clock.now() - (known?.at ?? 0)
    if (known && age >= 0 && age < options.checkedWithinMs) return known.works
    const control = deps.readControl()
    if (control === null) return null
    const isWorking = (await attempt(options, () => check(deps, way, control, options))) ?? false
    verdicts.set(way, { at: deps.clock.now(), works: isWorking })
    return isWorking
  }

  return async (wanted, options) => {
    const byHash = await works('hash', options)
    let found: FoundRecords = {
      requestedAt: deps.clock.now(),
      records: [],
      bad: [],
      isAnswer: false,
      isHidden: false,
    }
    if (byHash !== false) {
      const read = await attempt(options, () => deps.reads.feedByHash(wanted.hash, options))
      if (read !== null) {
        const isFound = isAmong(read, wanted)
        const isAnswer = (byHash === true && isClean(read)) || isFound
        found = { ...read, isAnswer, isHidden: !isFound && isHiding(read) }
        if (found.isAnswer) return found
      }
    }
    for (const address of [...new Set(wanted.addresses)].filter(Boolean).slice(0, maxAddresses)) {
      const read = await attempt(options, () => readAddress(deps, address, wanted, options))
      if (read === null) continue
      found = { ...join(found, read), isHidden: found.isHidden || isHiding(read) }
      if (isAmong(read, wanted)) return { ...found, isAnswer: true, isHidden: false }
      if (read.isWhole && (await works('address', options)) === true) return { ...found, isAnswer: true }
    }
    return found
  }
}

/** A filter that fails, be it for ever, must not keep the question from the next one. @returns null where it failed */
async function attempt<T>({ signal }: ReadOptions, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof MonitorError)) throw error
    return null
  }
}

async function check(
  { reads }: RecordLookupDeps,
  way: Way,
  { mainHash, address }: ControlRecord,
  options: ReadOptions,
): Promise<boolean> {
  if (way === 'hash') {
    const read = await reads.feedByHash(mainHash, options)
    return read.records.length > 0 && isClean(read)
  }
  // Older records of the address are there as well where the list stands still.
  const read = await reads.feedByAddress(address, 1, options)
  return isAmong(read, { hash: mainHash }) && isClean(read)
}

async function readAddress(
  { reads }: RecordLookupDeps,
  address: string,
  wanted: WantedRecord,
  options: ReadOptions,
): Promise<Read<Observation> & { readonly isWhole: boolean }> {
  let found: Read<Observation> | null = null
  for (let page = 1; page <= maxPages; page += 1) {
    const read = await reads.feedByAddress(address, page, options)
    found = found === null ? read : join(found, read)
    const isLast =
      read.totalPage === null ? read.records.length < (read.limit ?? pageSize) : page >= read.totalPage
    // A filter that is ignored gives pages without end.
    const isIgnored = !isClean(read)
    if (isAmong(read, wanted) || isLast || isIgnored) return { ...found, isWhole: isLast && !isIgnored }
  }
  return { ...(found as Read<Observation>), isWhole: false }
}

function join<T extends Read<Observation>>(a: T, b: Read<Observation>): T {
  return {
    ...a,
    requestedAt: b.requestedAt,
    records: [...a.records, ...b.records],
    bad: [...a.bad, ...b.bad],
  }
}

function isAmong({ records }: Read<Observation>, { hash }: Pick<WantedRecord, 'hash'>): boolean {
  return records.some((record) => record.mainHash === hash || record.zoneHash === hash)
}

/** A completed record as the question whose answer is known. */
export function readControl(
  ledger: Pick<Ledger, 'listSharing'>,
  known: { readonly mainHash: string } | null,
): ControlRecord | null {
  const transfer = known && ledger.listSharing('main', known.mainHash, 1)[0]
  return transfer?.main ? { mainHash: transfer.main.hash, address: transfer.targetAddress } : null
}
