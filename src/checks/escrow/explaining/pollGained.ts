import {
  compareDecimals,
  type Decimal,
  fromBaseUnits,
  isShownAs,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../../bridge/decimal.ts'
import { heldAs, toCanonicalId } from '../../../bridge/movedToken.ts'
import type { TokenMove } from '../../../bridge/transfer.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import { sumFailedDeposits } from '../../../ledger/failedDeposits.ts'
import { type GrossMove, mostSent, type Sent } from '../flows/flow.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { listFlowsOf } from '../flows/flowRow.ts'
import { type FlowJudgement } from '../flows/flowStore.ts'
import { askGainedAgain, saveGained } from '../flows/gainedStore.ts'
import { decimalsOf, type EscrowWatch, riskOf } from '../watched/watch.ts'

interface Asking extends Pick<Kernel, 'clock' | 'commit' | 'db' | 'ledger' | 'trigger'> {
  readonly watch: EscrowWatch
  readonly main: Pick<MainReads, 'moves'>
}

/** So many are remembered, and so many asked about in one run, those with most money first. */
const mostLeft = 500
const mostAsked = 5
/** What could not be said of one that is told is asked again after this, ever more rarely. */
const againMs = 15_000
const mostTimes = 8

/** Something left that nothing explains so far: it may be asked who gained it. */
export function noteLeft(
  { watch }: Pick<Asking, 'watch'>,
  flow: StoredFlow,
  { direction, unexplained }: Pick<FlowJudgement, 'direction' | 'unexplained'>,
): void {
  const { bridge, left } = watch
  left.delete(flow.id)
  if (direction !== 'out' || unexplained === null || flow.fromHeight !== null || flow.party === '') return
  // What came in as well may have been passed on; of what is wrapped on the way it does not show who gets it.
  const isPlain = flow.gross.every((move) => move.in.digits === 0n && move.gained === undefined)
  if (!isPlain || heldAs(flow.token, bridge) === bridge.wrappedNative) return
  if (left.size < mostLeft) left.set(flow.id, flow)
}

/**
 * Asks who had gained what left once its transaction was over (E21, E2; E16 of native currency), where deposits failed
 * that it may give back by way of somebody else: of a movement its escrow's list shows who got it first alone.
 */
export async function pollGained(of: Asking, signal: AbortSignal): Promise<void> {
  const { clock, commit, db, ledger, trigger, watch } = of
  const riskOfFlow = ({ token, outward }: StoredFlow) => Math.abs(riskOf(watch, token, outward))
  const due = [...watch.left.values()].sort((a, b) => riskOfFlow(b) - riskOfFlow(a))
  const failed = new Map<string, Decimal | null>()
  let asked = 0
  for (const flow of due) {
    const { hash, outward, token, unexplained } = flow
    watch.left.delete(flow.id)
    const known = failed.get(token)
    const sum = known === undefined ? sumFailedDeposits(ledger, token) : known
    failed.set(token, sum)
    if (sum !== null && compareDecimals(sum, unexplained ?? outward) < 0) continue
    // Who pays from several escrows at once is not followed.
    if (listFlowsOf(db, hash, token).length !== 1) continue
    asked += 1
    const gained = await readGained(of, flow, signal)
    if (gained) commit({ apply: (now) => (saveGained(db, flow, gained, now), []) })
    else if (flow.checks <= mostTimes) {
      const at = clock.now() + againMs * 2 ** flow.checks
      commit({ apply: () => (askGainedAgain(db, flow, at), []) })
    }
    if (gained) trigger('escrowChecks')
    if (asked === mostAsked) return
  }
}

async function readGained(
  { main, watch }: Asking,
  flow: StoredFlow,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Sent[]> | null> {
  const { escrow, hash, token } = flow
  const how = { priority: 'evidence', signal, attempts: 2 } as const
  const moves = await main.moves(hash, token === '' ? 'doneCalls' : 'tokens', how)
  if (moves === null) return null
  const decimals = decimalsOf(watch, token)
  const own = moves.filter((move) => move.token === token)
  const byId = Map.groupBy(own, ({ tokenId }) => toCanonicalId(tokenId))
  const gained = flow.gross.map((move) => {
    const units = (byId.get(move.id) ?? []).map((one) => toUnits(one, decimals))
    return [move.id, findGained(escrow, move, units)] as const
  })
  // An answer that does not show what left is another one than its list's: it is asked again.
  const known = gained.flatMap(([id, sent]) => (sent === null ? [] : [[id, sent] as const]))
  return known.length === gained.length ? new Map(known) : null
}

interface Move {
  readonly from: string
  readonly to: string
  readonly amount: Decimal | null
}

function toUnits({ from, to, amount, amountRaw, tokenId }: TokenMove, decimals: number | null): Move {
  const scale = decimals ?? (tokenId === '' ? null : 0)
  if (amountRaw === null || scale === null) return { from, to, amount: toDecimal(amount ?? '') }
  return { from, to, amount: fromBaseUnits(amountRaw, scale) }
}

/**
 * Who had more when it was over, where nobody but the escrow had less: what others put in may be what came to them, and what
 * left the escrow went elsewhere. Empty where that does not show; null where the answer does not show what left.
 */
export function findGained(
  escrow: string,
  { out }: Pick<GrossMove, 'out'>,
  moves: readonly Move[],
): readonly Sent[] | null {
  const nets = new Map<string, Decimal>()
  const add = (who: string, amount: Decimal) =>
    nets.set(who, sumDecimals([nets.get(who) ?? noAmount, amount]))
  for (const { from, to, amount } of moves) {
    if (amount === null) return null
    add(from, subtractDecimals(noAmount, amount))
    add(to, amount)
  }
  const left = subtractDecimals(noAmount, nets.get(escrow) ?? noAmount)
  if (!isShownAs(left, out)) return null
  nets.delete(escrow)
  const gained = [...nets].filter(([, { digits }]) => digits !== 0n).map(([to, amount]) => ({ to, amount }))
  const [only, ...others] = gained
  if (gained.length > mostSent || gained.some(({ amount }) => compareDecimals(amount, noAmount) < 0))
    return []
  // The list may leave out digits, of what the deposit brought as well.
  return only && others.length === 0 ? [{ to: only.to, amount: out }] : gained
}
