import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { MainRow } from '../../clients/explorer/endpoints/mainList.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import { addressTransactions, blockTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import {
  type EvidenceAskOptions,
  isLastPage,
  isNothing,
  maxPages,
  pageSize,
  refusePart,
  toHow,
} from './legsRead.ts'

type OwnValueOptions = Omit<EvidenceAskOptions, 'isKnown'>

/**
 * E7: what a transaction itself carried in native currency, which lists of internal transactions leave out. `null`: its
 * block does not hold it; `unclear`: the block's list was empty, or could not be read whole; `others`: nor could that be
 * asked, and the lists of those who would have been paid by it do not show it (E6).
 */
export type ReadOwnValue = (
  hash: string,
  height: number,
  options: OwnValueOptions,
) => Promise<EvidenceReading | 'unclear' | 'others' | null>

export function createReadOwnValue(explorer: Pick<Explorer, 'callNonEmpty' | 'session'>): ReadOwnValue {
  return async (hash, height, options) => {
    const listed = await readInBlock(explorer.session(), hash, height, options).catch((error: unknown) => {
      options.signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
      return error
    })
    if (listed !== 'unclear' && !(listed instanceof MonitorError)) return listed
    const parties = options.parties ?? []
    for (const address of parties) {
      const row = await readOfParty(explorer, { hash, height, address }, options)
      if (row !== null) return row
    }
    if (parties.length > 0) return 'others'
    if (listed instanceof MonitorError) throw listed
    return listed
  }
}

async function readInBlock(
  explorer: Pick<Explorer, 'callNonEmpty'>,
  hash: string,
  height: number,
  options: OwnValueOptions,
): Promise<EvidenceReading | 'unclear' | null> {
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await explorer.callNonEmpty(
      blockTransactions,
      { startBlockHeight: height, endBlockHeight: height, page, limit: pageSize },
      { ...toHow(options), isKnown: page > 1 },
    )
    const row = answer.records.find(isItself(hash))
    if (row) return { ...toOwnReading(row), height, requestedAt: answer.requestedAt }
    if (answer.empty || answer.quarantined.length > 0) return 'unclear'
    if (isLastPage(answer, page)) return null
  }
  return 'unclear'
}

/** By the list of one address; whoever reads it is told that the list of its block was asked in vain. */
async function readOfParty(
  explorer: Pick<Explorer, 'callNonEmpty'>,
  { hash, height, address }: { readonly hash: string; readonly height: number; readonly address: string },
  options: OwnValueOptions,
): Promise<EvidenceReading | null> {
  const blocks = { startBlockHeight: height, endBlockHeight: height }
  const answer = refusePart(
    await explorer.callNonEmpty(
      addressTransactions,
      { address, protocolType: 'transaction', ...blocks, limit: 50 },
      toHow(options),
    ),
  )
  const row = answer.records.find(isItself(hash))
  if (!row) return null
  return { ...toOwnReading(row), height, requestedAt: answer.requestedAt, source: 'E6', unasked: 'E7' }
}

/** A transaction's own row; some spell the native currency as an address. */
const isItself = (hash: string) => (row: { readonly hash: string; readonly token: string }) =>
  row.hash === hash && canonicalToken(row.token) === ''

function toOwnReading(
  row: MainRow,
): Pick<EvidenceReading, 'chain' | 'hash' | 'source' | 'status' | 'errorMessage' | 'moves' | 'time'> {
  const { hash, from, to, amount, time, state } = row
  return {
    chain: 'main',
    hash,
    source: 'E7',
    status: state === 'fail' ? 'failed' : state === 'success' ? 'success' : 'unknown',
    errorMessage: '',
    moves: isNothing(row) ? [] : [{ token: '', from, to, amount, amountRaw: null, tokenId: '' }],
    time,
  }
}
