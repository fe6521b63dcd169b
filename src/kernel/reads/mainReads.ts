import {
  addressTransactions,
  manyAddressesTransactions,
} from '../../clients/explorer/endpoints/mainTransactions.ts'
import type { TokenMove } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type MovesOf, readMoves } from './readMoves.ts'
import type { ReadOptions } from './reads.ts'
import {
  type Blocks,
  type MainSource,
  type RangeOptions,
  type RangeRead,
  readRange,
  wholeUnless,
} from './readRange.ts'
import {
  type FlowKind,
  type FlowOptions,
  type FlowsRead,
  type HeldToken,
  hasCome,
  readNativeFlows,
  readTokenFlows,
} from './flowReads.ts'

export interface SentTransaction {
  readonly hash: string
  readonly height: number
  readonly time: UnixMs | null
  readonly from: string
}

export interface ChallengeRow {
  readonly hash: string
  readonly height: number
  readonly status: string
  readonly l1: string
}

/** What the checks of escrows, operators and challenges ask of the main chain. Each throws when it could not ask. */
export interface MainReads {
  /** E6, or E6 and E8 for the native currency. */
  flows(
    of: { readonly address: string; readonly kind: FlowKind; readonly token?: string | undefined },
    blocks: Blocks,
    options: FlowOptions,
  ): Promise<FlowsRead>
  /** E6: whether a token ever came to an address up to a height. An empty answer says no. */
  hasCome(of: HeldToken, upTo: number, options: ReadOptions): Promise<boolean>
  /** What one transaction moved, asked for it alone; null where no answer shows all of it. */
  moves(hash: string, of: MovesOf, options: ReadOptions): Promise<readonly TokenMove[] | null>
  /** E10: what these addresses sent. */
  sent(
    addresses: readonly string[],
    blocks: Blocks,
    options: RangeOptions,
  ): Promise<RangeRead<SentTransaction>>
  /** E6: a contract's transactions with their challenge status, those without one included. */
  challenges(contract: string, blocks: Blocks, options: RangeOptions): Promise<RangeRead<ChallengeRow>>
}

export function createMainReads(source: MainSource): MainReads {
  return {
    flows: (of, blocks, options) =>
      of.kind === 'native'
        ? readNativeFlows(source, of.address, blocks, options)
        : readTokenFlows(source, { ...of, kind: of.kind }, blocks, options),
    hasCome: (of, upTo, options) => hasCome(source, of, upTo, options),
    moves: (hash, of, options) => readMoves(source, hash, of, options),
    sent: (addresses, blocks, options) => readSent(source, addresses, blocks, options),
    challenges: (contract, blocks, options) => readChallenges(source, contract, blocks, options),
  }
}

async function readSent(
  source: MainSource,
  addresses: readonly string[],
  blocks: Blocks,
  options: RangeOptions,
): Promise<RangeRead<SentTransaction>> {
  const params = { address: addresses, isFromOrTo: 'from' }
  const found = await readRange(source, manyAddressesTransactions, { ...options, params, blocks })
  // A row that was set aside may be the newest thing that one of them sent.
  const isVague = found.bad.length > 0 || found.rows.some(({ height }) => height === null)
  return {
    ...found,
    ...wholeUnless(isVague, found),
    rows: found.rows.flatMap(({ hash, height, time, from }) =>
      height === null ? [] : [{ hash, height, time, from }],
    ),
  }
}

async function readChallenges(
  source: MainSource,
  contract: string,
  blocks: Blocks,
  options: RangeOptions,
): Promise<RangeRead<ChallengeRow>> {
  const params = { address: contract }
  const found = await readRange(source, addressTransactions, { ...options, params, blocks })
  return {
    ...found,
    rows: found.rows.flatMap(({ hash, height, challengeStatus, l1OriginHash }) =>
      height === null ? [] : [{ hash, height, status: challengeStatus, l1: l1OriginHash ?? '' }],
    ),
  }
}
