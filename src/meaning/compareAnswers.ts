import { movedToken } from '../bridge/movedToken.ts'
import type { Leg, LegEvidence, TokenMove, Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { toRaw } from './moneyBounds.ts'
import { isOfNode, newestEvidence } from './proveOrigin.ts'

/** What the explorer and the chain's own node say of one leg, where that is not the same. */
export interface Difference extends Said {
  readonly leg: Leg
  readonly explorer: LegEvidence
  readonly node: LegEvidence
  /**
   * Whose answer is of before the other one: the chain may have changed between the two. Null when each said it while
   * the other did.
   */
  readonly outdated: 'explorer' | 'node' | null
  /** When they began to say so: the request of the first such answer of the one that began last. */
  readonly since: UnixMs
}

interface Said {
  readonly what: 'status' | 'moves'
  readonly says: { readonly explorer: string; readonly node: string }
}

/** How long what differs waits for who spoke first to speak again: three readings of what is gone take half a minute, and 15 s may pass before the first. */
export const answerHoldMs = 120_000

/** Where the two sources differ about a transfer. */
export function listDifferences(transfer: Transfer): Difference[] {
  // It takes two.
  if (transfer.evidence.length < 2) return []
  return [transfer.main, transfer.zone].flatMap((leg) => (leg && compareAnswers(transfer, leg)) ?? [])
}

/**
 * Whether the older of two answers is still waited for: until it has been asked for again, nobody knows that they ever
 * differed at one time.
 */
export function isAwaited({ outdated, since }: Difference, now: UnixMs): boolean {
  // Requests are numbered on from before the clock was set back: then nothing says how long it has been.
  return outdated !== null && Math.abs(now - since) < answerHoldMs
}

/**
 * Whether an answer that says the same once more is news: what a replaced payout is proven by has to be newer than the
 * record that replaced it, and two sources that differ have to do so at one time.
 */
export function isJudgedByTimes(transfer: Transfer): boolean {
  return transfer.replaced !== undefined || listDifferences(transfer).length > 0
}

function compareAnswers(transfer: Transfer, leg: Leg): Difference | null {
  const of = transfer.evidence.filter((one) => one.chain === leg.chain && one.hash === leg.hash)
  const node = of.find(isOfNode)
  const explorer = newestEvidence(of)
  if (!node || explorer === null) return null
  const said = compare(transfer, explorer, node)
  if (said === null) return null
  const since = Math.max(startOf(explorer), startOf(node))
  const isOfOneTime = since <= Math.min(explorer.at, node.at)
  const outdated = isOfOneTime ? null : explorer.at < node.at ? 'explorer' : 'node'
  return { ...said, leg, explorer, node, outdated, since }
}

function startOf({ at, since = at }: LegEvidence): UnixMs {
  return since
}

function compare(transfer: Transfer, explorer: LegEvidence, node: LegEvidence): Said | null {
  if (explorer.status !== node.status) {
    // The explorer's list of movements cannot show a transaction that moved nothing, and its list of calls shows those of one
    // that failed like any others: E16 alone has their state.
    const isBlind =
      (explorer.status === 'absent' && (node.status === 'failed' || node.moves?.length === 0)) ||
      (explorer.source === 'E15' && explorer.status === 'success' && node.status === 'failed')
    return isBlind ? null : { what: 'status', says: { explorer: nameOf(explorer), node: nameOf(node) } }
  }
  const [a, b] = [listMoves(transfer, explorer.moves), listMoves(transfer, node.moves)]
  if (a === null || b === null || a.join() === b.join()) return null
  return { what: 'moves', says: { explorer: tell(a), node: tell(b) } }
}

/** What moved of the transfer's token, in one order; null when it is not known exactly. */
function listMoves(transfer: Transfer, moves: readonly TokenMove[] | null): string[] | null {
  // A receipt does not show native currency.
  const own = movedToken(transfer.token)
  if (moves === null || own === '') return null
  const lines: string[] = []
  for (const move of moves) {
    if (move.token !== own) continue
    const raw = toRaw(move, transfer.token.decimals)
    if (raw === null) return null
    // An ERC-20 has no ids, and a movement of nothing is shown by some and not by others.
    if (raw > 0n) lines.push(`${raw} from ${move.from} to ${move.to}`)
  }
  return lines.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0))
}

function tell(lines: readonly string[]): string {
  const more = lines.length > 3 ? ` and ${lines.length - 3} more` : ''
  return lines.length === 0 ? 'nothing moved' : `${lines.slice(0, 3).join('; ')}${more}`
}

function nameOf({ status }: LegEvidence): string {
  const names = { success: 'succeeded', failed: 'failed', absent: 'does not exist', unknown: 'unknown' }
  return names[status]
}
