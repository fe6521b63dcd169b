import type { z } from 'zod'
import { decodeMoves } from '../../clients/decodeMoves.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import {
  carriesValue,
  manyTransactionsInternals,
  transactionInternals,
} from '../../clients/explorer/endpoints/internalTransactions.ts'
import { distinctLogs, logsByTransaction } from '../../clients/explorer/endpoints/logs.ts'
import { isNearCap } from '../../clients/explorer/readAll.ts'
import type { MainRow } from '../../clients/explorer/endpoints/mainList.ts'
import {
  manyTransactionsTransfers,
  transactionTransfers,
} from '../../clients/explorer/endpoints/mainTransfers.ts'
import { zoneTransactionDetail, zoneTransactions } from '../../clients/explorer/endpoints/zoneTransactions.ts'
import type { Answer } from '../../clients/explorer/readAnswer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import { createZoneTransactionBy, type ZoneTransactionBy } from '../../kernel/reads/zoneTransactionBy.ts'
import { mayBeUnread } from '../../kernel/reads/unreadRows.ts'
import {
  type EvidenceAskOptions,
  type LegsRead,
  refusePart,
  toHow,
  toRead,
  toBad,
  isLastPage,
  isNothing,
  maxPages,
  pageSize,
} from './legsRead.ts'
import { type ReadOwnValue, createReadOwnValue } from './ownValue.ts'

/** Throws when it could not ask; a leg that is not in the answer was not found. */
type AskLegs = (hashes: readonly string[], options: EvidenceAskOptions) => Promise<LegsRead>
type AskLeg = (hash: string, options: EvidenceAskOptions) => Promise<LegsRead>

/** The questions about legs. Lists take at most 20 hashes; all pages of an answer are read. */
export interface EvidenceReads {
  /** E9. */
  readonly zoneLegs: AskLegs
  /** E14. */
  readonly zoneLeg: AskLeg
  /** E13. */
  readonly mainLegs: AskLegs
  /** E2. */
  readonly mainLeg: AskLeg
  /** E15. */
  readonly nativeLegs: AskLegs
  /** E16. */
  readonly nativeLeg: AskLeg
  /** E7: what the transaction itself carried. */
  readonly ownValue: ReadOwnValue
  /** E21: the logs say what moved, to the last unit. */
  readonly mainLogs: AskLeg
  readonly zoneTransactionBy: ZoneTransactionBy
}

/** Anybody can have a transaction move his own token ten thousand times, and a payout with it. */
const maxPagesOfOne = 100

export function createEvidenceReads(explorer: Pick<Explorer, 'callNonEmpty' | 'session'>): EvidenceReads {
  return {
    async zoneLegs(hashes, options) {
      const answer = await explorer.callNonEmpty(zoneTransactions, { txId: [...hashes] }, toHow(options))
      return toRead(answer, answer.records.map(toZoneReading))
    },
    async zoneLeg(hash, options) {
      const answer = refusePart(
        await explorer.callNonEmpty(zoneTransactionDetail, { txid: hash }, toHow(options)),
      )
      return toRead(answer, answer.records.map(toZoneReading))
    },
    mainLegs: (hashes, options) =>
      readMoves(explorer, { endpoint: manyTransactionsTransfers, source: 'E13', toParams }, hashes, options),
    mainLeg: (hash, options) =>
      readMoves(
        explorer,
        { endpoint: transactionTransfers, source: 'E2', toParams: toParam },
        [hash],
        options,
      ),
    nativeLegs: (hashes, options) =>
      readMoves(explorer, { endpoint: manyTransactionsInternals, source: 'E15', toParams }, hashes, options),
    nativeLeg: (hash, options) =>
      readMoves(
        explorer,
        { endpoint: transactionInternals, source: 'E16', toParams: toParam },
        [hash],
        options,
      ),
    ownValue: createReadOwnValue(explorer),
    zoneTransactionBy: createZoneTransactionBy(explorer),
    async mainLogs(hash, options) {
      const answer = refusePart(
        await explorer.callNonEmpty(logsByTransaction, { txId: hash }, toHow(options)),
      )
      const logs = answer.records
      const [first] = logs
      if (!first) return toRead(answer, [])
      const { requestedAt } = answer
      const place = { height: first.height, time: first.time }
      const leg = { chain: 'main', hash, source: 'E21', requestedAt, ...place } as const
      // Cut off, or not readable: what is missing may be what moved.
      const isPart = answer.quarantined.length > 0 || isNearCap(logs.length, logsByTransaction)
      return toRead(answer, [
        {
          ...leg,
          status: 'success',
          errorMessage: '',
          moves: isPart ? null : decodeMoves(distinctLogs(logs)),
        },
      ])
    },
  }
}

interface MovesQuestion<P extends z.ZodType, R extends MainRow> {
  readonly endpoint: Endpoint<P, R>
  readonly source: EvidenceReading['source']
  readonly toParams: (hashes: readonly string[]) => Omit<z.input<P>, 'page' | 'limit'>
}

const toParams = (hashes: readonly string[]) => ({ txId: [...hashes] })
const toParam = ([hash = '']: readonly string[]) => ({ txId: hash })

/** Pages of movements, to the last one: half of a transaction's movements would be another story. */
async function readMoves<P extends z.ZodType, R extends MainRow>(
  explorer: Pick<Explorer, 'session'>,
  question: MovesQuestion<P, R>,
  hashes: readonly string[],
  options: EvidenceAskOptions,
): Promise<LegsRead> {
  const { rows, bad, requestedAt, isCut } = await readRows(explorer, question, hashes, options)
  if (isCut && hashes.length > 1) {
    // One of them has more than all others: it must not keep what is said of these from being read.
    const half = Math.ceil(hashes.length / 2)
    const first = await readMoves(explorer, question, hashes.slice(0, half), options)
    return join(first, await readMoves(explorer, question, hashes.slice(half), options))
  }
  const byHash = Map.groupBy(rows, (row) => row.hash)
  const readings = [...byHash].map(([hash, of]): EvidenceReading => {
    const { height, time } = of[0] as R
    return {
      chain: 'main',
      hash,
      source: question.source,
      requestedAt,
      status: toStatus(of),
      errorMessage: '',
      moves: of.some(isUnclear) ? null : of.filter(movesValue).map(toMove),
      height,
      time,
    }
  })
  const lacking = isCut ? [...bad, toUnreadable(question, hashes)] : bad
  // A row that could not be read may be the one that matters to its transaction.
  const isUnread = mayBeUnread(lacking, hashes)
  return {
    requestedAt,
    readings: readings.map((reading) => (isUnread(reading.hash) ? forgetMoves(reading) : reading)),
    bad: lacking,
  }
}

async function readRows<P extends z.ZodType, R extends MainRow>(
  explorer: Pick<Explorer, 'session'>,
  { endpoint, toParams: paramsOf }: MovesQuestion<P, R>,
  hashes: readonly string[],
  options: EvidenceAskOptions,
) {
  const rows: R[] = []
  const bad: LegsRead['bad'][number][] = []
  let requestedAt: UnixMs | null = null
  // Another explorer may give its rows in another order, or cut its pages elsewhere.
  const asked = explorer.session()
  for (let page = 1; ; page += 1) {
    // The schema of the endpoint checks what this puts together.
    const question = { ...paramsOf(hashes), page, limit: pageSize } as z.input<P>
    const how = toHow({ ...options, isKnown: page > 1 || options.isKnown === true })
    const answer: Answer<R> = refusePart(await asked.callNonEmpty(endpoint, question, how))
    requestedAt ??= answer.requestedAt
    rows.push(...answer.records)
    bad.push(...toBad(answer))
    const isLast = isLastPage(answer, page)
    if (isLast || page === (hashes.length > 1 ? maxPages : maxPagesOfOne))
      return { rows, bad, requestedAt, isCut: !isLast }
  }
}

/** That it is there is known then, and what it moved is not: the source is said to be unreadable. */
function toUnreadable(
  { endpoint: { id } }: { readonly endpoint: { readonly id: string } },
  hashes: readonly string[],
): LegsRead['bad'][number] {
  const problem = `more than ${maxPagesOfOne} pages of movements in one transaction: what it moved is not judged`
  return { endpoint: id, problem, raw: hashes.join() }
}

function join(a: LegsRead, b: LegsRead): LegsRead {
  return {
    requestedAt: Math.min(a.requestedAt, b.requestedAt),
    readings: [...a.readings, ...b.readings],
    bad: [...a.bad, ...b.bad],
  }
}

/** Of the calls within a transaction one may fail while the transaction does not. */
function toStatus(rows: readonly MainRow[]): EvidenceReading['status'] {
  if (rows.some(({ state }) => state === 'success' || state === '')) return 'success'
  return rows.every(({ state }) => state === 'fail') ? 'failed' : 'unknown'
}

/** It may have moved value, or not. */
function isUnclear(row: MainRow): boolean {
  return (row.state === 'unknown' || row.state === 'pending') && movesValue(row)
}

function forgetMoves(reading: EvidenceReading): EvidenceReading {
  return { ...reading, moves: null }
}

/** Of the calls inside a transaction only some move value, and none that failed. */
function movesValue(row: MainRow & { readonly operation?: string }): boolean {
  const { operation } = row
  return operation === undefined || (!isNothing(row) && row.state !== 'fail' && carriesValue({ operation }))
}

function toMove(row: MainRow & { readonly token?: string; readonly tokenId?: string }): TokenMove {
  const { from, to, amount, token = '', tokenId = '' } = row
  return { token, from, to, amount, amountRaw: null, tokenId }
}

function toZoneReading(row: {
  readonly source: 'E9' | 'E14'
  readonly hash: string
  readonly requestedAt: UnixMs
  readonly status: EvidenceReading['status']
  readonly errorMessage: string
  readonly height: number | null
  readonly time: UnixMs | null
  readonly amountRaw: bigint | null
  readonly value: string | null
  readonly actionType: string
  readonly actionData: string | null
}): EvidenceReading {
  const { source, hash, requestedAt, status, errorMessage, height, time, amountRaw, value, actionType } = row
  const { actionData } = row
  return {
    chain: 'zone',
    source,
    hash,
    requestedAt,
    status,
    errorMessage,
    height,
    time,
    amountRaw,
    amount: value,
    actionType,
    action: actionData,
    moves: null,
  }
}
