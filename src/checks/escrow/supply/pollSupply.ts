import { canonicalToken, heldAs, type Wrapping } from '../../../bridge/movedToken.ts'
import { isCallFailure } from '../../../clients/rpc/rpcErrors.ts'
import { readTotalSupply } from '../../../clients/rpc/readTotalSupply.ts'
import type { Rpc } from '../../../clients/rpc/createRpc.ts'
import type { Seat } from '../../../clients/seat.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isBeyond } from '../../../meaning/horizon.ts'
import { askEach } from '../../../kernel/reads/askInParts.ts'
import { type Accusation, askQuorum } from '../../../kernel/quorum.ts'
import { settleWords } from '../../../kernel/sources/sourceWords.ts'
import { MonitorError } from '../../../lib/errors.ts'
import type { Database } from '../../../store/database.ts'
import { sumAccounts, sumAccountsUntil } from '../accounts/accountStore.ts'
import { type Accounts, readAccountsAtTime } from '../accounts/readAccounts.ts'
import { type EscrowToken, readEscrowToken } from '../owed/owedStore.ts'
import { settleMs } from '../flows/rereadFlow.ts'
import { decimalsOf, type EscrowWatch } from '../watched/watch.ts'
import { findEndOfSecond } from './findEndOfSecond.ts'
import { judgeSupply, neededExcesses, nextOpening, type SupplyReading } from './judgeSupply.ts'
import {
  dropSupplies,
  dropSuppliesBefore,
  listSupplies,
  readCompared,
  saveCompared,
  saveSupply,
} from './supplyStore.ts'

/** A token of the main chain with its contract on the zone chain, both in lower case. */
export interface SupplyToken {
  readonly token: string
  readonly zoneAddress: string
}

export interface SupplyReader
  extends Pick<Kernel, 'clock' | 'commit' | 'cursors' | 'db' | 'horizons' | 'list'> {
  readonly watch: EscrowWatch
  readonly rpc: Pick<Rpc, 'call'>
  readonly seat: Seat<Rpc>
  /** So many blocks below the zone's head: what is read there stays. */
  readonly confirmations: number
  readonly tokens: readonly SupplyToken[]
  /** Of contracts of the zone, as they said it; null where they say none. */
  readonly decimals: Map<string, number | null>
}

/** How long a reading waits to be compared before it is given up, ms. */
const keptMs = 1_800_000

/** The tokens whose zone contract is configured. */
export function listSupplyTokens({ tokens, ...wrapping }: SupplyBridge): SupplyToken[] {
  return tokens.flatMap(({ address, zoneAddress }) =>
    zoneAddress === undefined
      ? []
      : [{ token: heldAs(canonicalToken(address), wrapping), zoneAddress: zoneAddress.toLowerCase() }],
  )
}

interface SupplyBridge extends Wrapping {
  readonly tokens: readonly { readonly address: string; readonly zoneAddress?: string | undefined }[]
}

/**
 * Reads what there is of each token on the zone chain, all at one block, and compares what was read before once the
 * lists have passed it. What one contract does not say holds up none of the others.
 */
export async function pollSupply(of: SupplyReader, signal: AbortSignal): Promise<void> {
  const { clock, commit, db, rpc, confirmations } = of
  const head = await rpc.call('eth_getBlockByNumber', ['latest', false], { signal })
  const top = (head?.number ?? 0) - confirmations
  if (top <= 0) return
  const timeOf = async (block: number) =>
    (await rpc.call('eth_getBlockByNumber', [block, false], { signal }))?.timestamp ?? null
  const end = await findEndOfSecond(timeOf, top)
  if (end === null)
    throw new MonitorError('source.empty', `the zone's node does not give the times of blocks up to ${top}`)
  const { height } = end
  // All of its second: records give it in thousandths.
  const blockTime = end.time * 1_000 + 999
  const silent: string[] = []
  const read = async ({ token, zoneAddress }: SupplyToken) => {
    // A head that stands still is no second reading.
    if (height <= (readCompared(db, token)?.judged.height ?? 0)) return
    const readAt = clock.now()
    const decimals = await readDecimals(of, zoneAddress, signal)
    const supply = await readTotalSupply(rpc, { token: zoneAddress, height }, signal)
    if (supply === null || decimals === null) silent.push(zoneAddress)
    else
      commit({
        mayWait: 'without-news',
        apply: (now) => {
          dropSuppliesBefore(db, now - keptMs)
          saveSupply(db, token, { height, blockTime, readAt, supply, decimals })
          return []
        },
      })
  }
  const compared = of.tokens.map((token) => () => compareSupplies(of, token, signal))
  await askEach([...of.tokens.map((token) => () => read(token)), ...compared])
  if (silent.length > 0)
    throw new MonitorError(
      'source.empty',
      `no totalSupply or decimals from ${silent.join(', ')} on the zone chain: is it the token's contract there?`,
    )
}

// decimals()
const decimalsCall = '0x313ce567'
const mostDecimals = 77n

/** A contract's decimals do not change: they are asked for once. */
async function readDecimals(
  { rpc, decimals }: SupplyReader,
  address: string,
  signal: AbortSignal,
): Promise<number | null> {
  const known = decimals.get(address)
  if (known !== undefined) return known
  const data = await rpc
    .call('eth_call', [{ to: address, data: decimalsCall }, 'latest'], { signal })
    .catch((error: unknown) => {
      if (isCallFailure(error)) return '0x'
      throw error
    })
  const said = /^0x[0-9a-fA-F]{64}$/.test(data) ? BigInt(data) : null
  const read = said === null || said > mostDecimals ? null : Number(said)
  if (read !== null) decimals.set(address, read)
  return read
}

/** What waits is compared from the oldest on, as far as the accounts have come. */
async function compareSupplies(
  of: SupplyReader,
  { token, zoneAddress }: SupplyToken,
  signal: AbortSignal,
): Promise<void> {
  const { clock, commit, cursors, db, horizons, list, watch } = of
  const known = readEscrowToken(db, token)
  const decimals = decimalsOf(watch, token)
  if (known === null || decimals === null || !cursors.read().history.done) return
  const judgedAt = known.judged?.at ?? 0
  for (const reading of listSupplies(db, token, clock.now() - settleMs)) {
    const isPassed = judgedAt >= reading.readAt && list.readAt !== null && list.readAt >= reading.readAt
    // What was credited while one of them stands still has no record yet.
    const shown = horizons.read()
    const isShown = (['list', 'main', 'zone'] as const).every(
      (source) => !isBeyond(shown, source, reading.blockTime),
    )
    if (!isPassed || !isShown) return
    const accounts = readAccountsThen(db, known, reading.blockTime)
    const compared = accounts && { token, zoneAddress, reading, accounts, decimals }
    const mayAccuse = compared !== null && (await agreeOnSupply(of, compared, signal))
    commit({
      mayWait: 'without-news',
      apply: () => {
        if (mayAccuse) compare(db, compared)
        dropSupplies(db, token, reading.height)
        return []
      },
    })
  }
}

/** At the time of a block before the newest judgement: what moved since is taken off what is held. */
function readAccountsThen(
  db: Database,
  { token, baseline, judged, start }: EscrowToken,
  time: number,
): Accounts | null {
  if (baseline === null || judged === null || start === null || time < start.time) return null
  const now = sumAccounts(db, token, { height: judged.height, time: judged.at }).escrow ?? 0n
  const then = sumAccountsUntil(db, token, time).escrow ?? 0n
  return readAccountsAtTime(db, { token, baseline }, { time, holdings: judged.holdings - now + then })
}

interface Compared {
  readonly token: string
  readonly zoneAddress: string
  readonly reading: SupplyReading
  readonly accounts: Accounts
  readonly decimals: number
}

/** @returns whether a comparison may be kept: one that accuses, where as many sources say so as have to */
async function agreeOnSupply(of: SupplyReader, compared: Compared, signal: AbortSignal): Promise<boolean> {
  const { db } = of
  const { token, zoneAddress, reading } = compared
  const before = readCompared(db, token)
  const isTooMuch = (supply: bigint) =>
    judgeSupply({ ...reading, supply }, compared, before?.opening ?? null).excess > 0n
  if (!isTooMuch(reading.supply)) {
    settleWords(db, 'supply', token)
    return true
  }
  if ((before?.excesses ?? 0) + 1 < neededExcesses) return true
  const says = 'more than was locked'
  const accusation: Accusation<Rpc> = {
    chain: 'zone',
    what: 'supply',
    about: token,
    says,
    async ask(rpc, signal) {
      const supply = await readTotalSupply(rpc, { token: zoneAddress, height: reading.height }, signal)
      return supply === null ? null : isTooMuch(supply) ? says : `${supply} base units`
    },
  }
  return (await askQuorum(of, { name: 'zoneRpc', seat: of.seat }, accusation, signal)) !== null
}

function compare(db: Database, of: Compared): void {
  const { token, reading } = of
  const before = readCompared(db, token)
  const judged = judgeSupply(reading, of, before?.opening ?? null)
  saveCompared(db, {
    token,
    judged,
    ...nextOpening(before, judged.over),
    openedAt: before?.openedAt ?? reading.blockTime,
    excesses: judged.excess > 0n ? (before?.excesses ?? 0) + 1 : 0,
  })
}
