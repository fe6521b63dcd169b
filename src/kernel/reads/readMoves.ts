import type { z } from 'zod'
import { canonicalToken } from '../../bridge/movedToken.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import { decodeMoves } from '../../clients/decodeMoves.ts'
import type { Endpoint } from '../../clients/explorer/endpoint.ts'
import {
  carriesValue,
  manyTransactionsInternals,
  transactionInternals,
} from '../../clients/explorer/endpoints/internalTransactions.ts'
import { distinctLogs, logsByTransaction } from '../../clients/explorer/endpoints/logs.ts'
import { transactionTransfers } from '../../clients/explorer/endpoints/mainTransfers.ts'
import type { Quarantined } from '../../clients/explorer/readAnswer.ts'
import { readAll, type ReadAllDeps } from '../../clients/explorer/readAll.ts'
import type { WideParams } from '../../clients/explorer/question.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { ReadOptions } from './reads.ts'

/** `doneCalls` are those of which it is said that they did not fail. */
export type MovesOf = 'tokens' | 'calls' | 'doneCalls'

/**
 * What one transaction moved, asked for it alone: tokens by its logs (E21), each of which has a place of its own, else by
 * its transfers (E2); native currency by the calls within it (E16, else E15, which does not say whether they failed). Null
 * where no answer shows all of it.
 */
export async function readMoves(
  source: ReadAllDeps,
  hash: string,
  of: MovesOf,
  options: ReadOptions,
): Promise<readonly TokenMove[] | null> {
  for (const ask of questions[of]) {
    try {
      const moves = await ask(source, hash, options)
      if (moves !== null && moves.length > 0) return moves
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof MonitorError)) throw error
    }
  }
  return null
}

type Ask = (source: ReadAllDeps, hash: string, options: ReadOptions) => Promise<TokenMove[] | null>

const askLogs: Ask = async (source, hash, options) => {
  const logs = await readWhole(source, logsByTransaction, { txId: hash }, options)
  const moves = logs && decodeMoves(distinctLogs(logs))
  return moves?.every(({ amountRaw }) => amountRaw !== null) ? moves : null
}

const askTransfers: Ask = async (source, hash, options) => {
  const rows = await readWhole(source, transactionTransfers, { txId: hash }, options)
  return rows && rows.map((row) => toMove(row, canonicalToken(row.token), row.tokenId))
}

const askCalls: Ask = async (source, hash, options) => {
  const rows = await readWhole(source, transactionInternals, { txId: hash }, options)
  const good = rows?.filter((row) => carriesValue(row) && row.state !== 'fail')
  return good?.map((row) => toMove(row, '', '')) ?? null
}

const askDoneCalls: Ask = async (source, hash, options) => {
  const rows = await readWhole(source, transactionInternals, { txId: hash }, options)
  const done = rows?.filter((row) => carriesValue(row) && row.state === 'success')
  return done?.map((row) => toMove(row, '', '')) ?? null
}

const askCallsOfMany: Ask = async (source, hash, options) => {
  const rows = await readWhole(source, manyTransactionsInternals, { txId: [hash] }, options)
  return rows?.filter(carriesValue).map((row) => toMove(row, '', '')) ?? null
}

const questions: Readonly<Record<MovesOf, readonly Ask[]>> = {
  tokens: [askLogs, askTransfers],
  calls: [askCalls, askCallsOfMany],
  doneCalls: [askDoneCalls],
}

type MovingRow = Pick<TokenMove, 'from' | 'to' | 'amount'>

function toMove({ from, to, amount }: MovingRow, token: string, tokenId: string): TokenMove {
  return { token, from, to, amount, amountRaw: null, tokenId }
}

/** All rows of an answer; null where it is not whole. */
async function readWhole<R>(
  source: ReadAllDeps,
  endpoint: Endpoint<z.ZodType, R>,
  params: WideParams,
  options: ReadOptions,
): Promise<R[] | null> {
  const rows: R[] = []
  const quarantined: Quarantined[] = []
  const onRecords = (records: readonly R[]) => void rows.push(...records)
  const { complete } = await readAll(source, endpoint, params, { ...options, onRecords, quarantined })
  return complete && quarantined.length === 0 ? rows : null
}
