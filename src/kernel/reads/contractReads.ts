import type { Quarantined } from '../../clients/explorer/readAnswer.ts'
import { createHash } from 'node:crypto'
import { type DeclaredEvent, listEvents } from '../../clients/readEventAbi.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { type VerifiedContract, verifiedContracts } from '../../clients/explorer/endpoints/contracts.ts'
import { logsByBlocks, logsByTopic, logsByTransaction } from '../../clients/explorer/endpoints/logs.ts'
import { blockTransactions } from '../../clients/explorer/endpoints/mainTransactions.ts'
import { isNearCap, readAll } from '../../clients/explorer/readAll.ts'
import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Read, ReadOptions } from './reads.ts'

export interface BlockSpan {
  readonly first: number
  /** Inclusive. */
  readonly last: number
}

interface LogsRead extends Read<BridgeLog> {
  /** False when the service gave less than there is. */
  readonly complete: boolean
}

export interface LogsOptions extends ReadOptions {
  /** The span holds a log that is known: an empty answer is none. */
  readonly isKnown?: boolean
}

/** What is asked about the bridge's contracts. Each throws when it could not ask; an empty list is an answer. */
export interface ContractReads {
  /** E19; spans of at most 10,000 blocks. */
  logs(address: string, span: BlockSpan, options: LogsOptions): Promise<LogsRead>
  /** E18: about the first 1,000 that begin with a topic. */
  logsOfTopic(address: string, topic: string, options: ReadOptions): Promise<Read<BridgeLog>>
  /** E21: whether a contract emitted anything in a transaction; null where its logs are not shown, or not all of them. */
  hasEmitted(address: string, hash: string, options: ReadOptions): Promise<boolean | null>
  /** E7: whether the blocks around a height are shown whole, and a transaction is in none of them. */
  isOutOfBlocks(hash: string, height: number, options: ReadOptions): Promise<boolean>
  /** E17; null when the service knows no verified source. */
  verified(address: string, options: ReadOptions): Promise<VerifiedRead | null>
}

/** What E17 says of a contract, with the events that its ABI declares. */
export interface VerifiedRead {
  readonly source: VerifiedSource
  readonly events: readonly DeclaredEvent[]
}

type ClientLog = Parameters<NonNullable<typeof logsByBlocks.rowKey>>[0]

export function createContractReads(deps: {
  readonly explorer: Pick<Explorer, 'call' | 'walk'>
  readonly clock: Clock
}): ContractReads {
  return {
    async logs(address, span, options) {
      const requestedAt = deps.clock.now()
      const found: ClientLog[] = []
      const quarantined: Quarantined[] = []
      const params = { address, startBlockHeight: span.first, endBlockHeight: span.last }
      const { complete } = await readAll(deps, logsByBlocks, params, {
        ...options,
        onRecords: (records) => void found.push(...records),
        quarantined,
      })
      const bad = quarantined.map(({ raw, problem }) => ({ endpoint: 'E19', problem, raw }))
      return { requestedAt, records: toBridgeLogs(address, found), bad, complete }
    },
    async logsOfTopic(address, topic, { priority, signal }) {
      const question = { address, topic0: topic }
      const answer = await deps.explorer.call(logsByTopic, question, { priority, signal, attempts: 1 })
      const bad = answer.quarantined.map(({ raw, problem }) => ({ endpoint: 'E18', problem, raw }))
      return { requestedAt: answer.requestedAt, records: toBridgeLogs(address, answer.records), bad }
    },
    async hasEmitted(address, hash, { priority, signal }) {
      const question = { txId: hash }
      const answer = await deps.explorer.call(logsByTransaction, question, { priority, signal, attempts: 1 })
      if (answer.records.some((log) => log.address === address)) return true
      const isPart = answer.quarantined.length > 0 || isNearCap(answer.records.length, logsByTransaction)
      return answer.records.length === 0 || isPart ? null : false
    },
    async isOutOfBlocks(hash, height, options) {
      for (const around of blocksAround) {
        const hashes: string[] = []
        const quarantined: Quarantined[] = []
        const range = { startBlockHeight: Math.max(0, height - around), endBlockHeight: height + around }
        const { complete } = await readAll(deps, blockTransactions, range, {
          ...options,
          onRecords: (records) => void hashes.push(...records.map((one) => one.hash)),
          quarantined,
        })
        if (!complete || quarantined.length > 0 || hashes.includes(hash)) return false
        if (hashes.length > 0) return true
      }
      return false
    },
    async verified(address, options) {
      const { records } = await deps.explorer.call(
        verifiedContracts,
        { contractAddress: address },
        { priority: options.priority, signal: options.signal },
      )
      const [contract] = records
      if (!contract) return null
      const { implementation, compilerVersion, contractName } = contract
      return {
        source: {
          implementation,
          compiler: compilerVersion,
          name: contractName,
          code: toDigest(contract, 'sourceCode'),
          abi: toDigest(contract, 'contractAbi'),
        },
        events: listEvents(contract.contractAbi),
      }
    },
  }
}

/** A block may be empty without what is gone; others beside it show that blocks are shown at all. */
const blocksAround = [0, 10]

/** '' where the answer left it out: nothing can be said of it then. */
function toDigest(contract: VerifiedContract, field: 'sourceCode' | 'contractAbi'): string {
  if (contract.unsaid.includes(field)) return ''
  return createHash('sha256').update(contract[field]).digest('hex').slice(0, 32)
}

/** An event without an index is named by its place among those of its transaction. */
function toBridgeLogs(contract: string, logs: readonly ClientLog[]): BridgeLog[] {
  const byHash = Map.groupBy(logs, (log) => log.hash)
  return [...byHash.values()].flatMap((group) => {
    const ordered = [...group].sort((a, b) => (a.data < b.data ? -1 : 1))
    return group.map((log) => ({
      contract,
      hash: log.hash,
      height: log.height,
      time: log.time,
      place: log.logIndex === null ? `~${ordered.indexOf(log)}` : String(log.logIndex),
      topics: log.topics.map((topic) => topic.toLowerCase()),
      data: log.data,
    }))
  })
}

/** What a verified contract is known by. */
export interface VerifiedSource {
  readonly implementation: string
  readonly compiler: string
  readonly name: string
  /** Digests of the source and of the ABI, '' where an answer left it out; of what was saved by an older version neither. */
  readonly code?: string
  readonly abi?: string
}
