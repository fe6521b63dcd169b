import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { blockTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import type { ReadPriority } from '../../kernel/reads.ts'

interface OwnValueOptions {
  readonly priority: ReadPriority
  readonly signal: AbortSignal
}

/**
 * E7: what a transaction itself carried in native currency, which lists of internal transactions leave out. `null`: its
 * block does not hold it; `unclear`: the block's list was empty, or could not be read whole.
 */
export type ReadOwnValue = (
  hash: string,
  height: number,
  options: OwnValueOptions,
) => Promise<EvidenceReading | 'unclear' | null>

const pageSize = 100
/** A block with more transactions than this is left unread. */
const maxPages = 20

export function createReadOwnValue(explorer: Pick<Explorer, 'callNonEmpty'>): ReadOwnValue {
  return async (hash, height, options) => {
    for (let page = 1; page <= maxPages; page += 1) {
      const answer = await explorer.callNonEmpty(
        blockTransactions,
        { startBlockHeight: height, endBlockHeight: height, page, limit: pageSize },
        { ...options, isKnown: page > 1 },
      )
      const row = answer.records.find((one) => one.hash === hash && one.token === '')
      if (row) {
        const { from, to, amount, time, state } = row
        const isNothing = amount !== null && /^0*(\.0*)?$/.test(amount)
        return {
          chain: 'main',
          hash,
          source: 'E7',
          requestedAt: answer.requestedAt,
          status: state === 'fail' ? 'failed' : state === 'success' ? 'success' : 'unknown',
          errorMessage: '',
          moves: isNothing ? [] : [{ token: '', from, to, amount, amountRaw: null, tokenId: '' }],
          height,
          time,
        }
      }
      if (answer.empty || answer.quarantined.length > 0) return 'unclear'
      const { totalPage, limit, records } = answer
      if (totalPage === null ? records.length < (limit ?? pageSize) : page >= totalPage) return null
    }
    return 'unclear'
  }
}
