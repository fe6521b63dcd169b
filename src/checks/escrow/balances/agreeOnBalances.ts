import type { Rpc } from '../../../clients/rpc/createRpc.ts'
import { createBalanceReads, type Holding } from '../../../kernel/reads/balanceReads.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type Accusation, askQuorum, type NamedSeat } from '../../../kernel/quorum.ts'
import { isShort, type OwedJudgement, sumOf } from './judgeOwed.ts'
import type { EscrowReading } from '../flows/readingStore.ts'

/** Balances by the nodes of one seat. */
export interface Seated extends Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly seat: NamedSeat<Rpc>
}

export function aboutToken(token: string): string {
  return token || 'native'
}

export function aboutPlace({ address, token }: Holding): string {
  return `${address}:${aboutToken(token)}`
}

/** @returns whether it may be said that less is held than is owed */
export async function agreeOnShort(
  of: Seated,
  {
    reading,
    places,
    judged,
  }: {
    readonly reading: EscrowReading
    readonly places: readonly Holding[]
    readonly judged: OwedJudgement
  },
  signal: AbortSignal,
): Promise<boolean> {
  const tell = (holdings: bigint) =>
    isShort({ ...judged, holdings }) ? 'less than is owed' : `${holdings} base units`
  const accusation: Accusation<Rpc> = {
    ...about(aboutToken(reading.token)),
    says: 'less than is owed',
    async ask(rpc, signal) {
      const balances = await readAll(of, { rpc, reading, places }, signal)
      return balances === null ? null : tell(sumOf(balances))
    },
  }
  return (await askQuorum(of, of.seat, accusation, signal)) !== null
}

/** @returns whether it may be said that a balance is what no movements make it */
export async function agreeOnBalance(
  of: Seated,
  {
    reading,
    place,
    balance,
  }: { readonly reading: EscrowReading; readonly place: Holding; readonly balance: bigint },
  signal: AbortSignal,
): Promise<boolean> {
  const accusation: Accusation<Rpc> = {
    ...about(aboutPlace(place)),
    says: `${balance} base units`,
    async ask(rpc, signal) {
      const balances = await readAll(of, { rpc, reading, places: [place] }, signal)
      return balances === null ? null : `${sumOf(balances)} base units`
    },
  }
  return (await askQuorum(of, of.seat, accusation, signal)) !== null
}

function about(subject: string) {
  return { chain: 'main', what: 'balance', about: subject } as const
}

/** Null where the reading is of no one block, or the node does not know it. */
async function readAll(
  { clock }: Seated,
  {
    rpc,
    reading: { low, high },
    places,
  }: { readonly rpc: Rpc; readonly reading: EscrowReading; readonly places: readonly Holding[] },
  signal: AbortSignal,
): Promise<Record<string, bigint> | null> {
  if (low !== high) return null
  const reads = createBalanceReads({ rpc, clock })
  const found: Record<string, bigint> = {}
  for (const place of places) {
    const balance = await reads.readAt(place, high, signal)
    if (balance === null) return null
    found[place.address] = balance
  }
  return found
}
