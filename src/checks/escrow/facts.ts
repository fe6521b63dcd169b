import { formatDecimal, sumDecimals } from '../../bridge/decimal.ts'
import { type Horizons, standsStill } from '../../meaning/horizon.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { listFallen } from './balances/fallen.ts'
import { unsaidMs } from './explaining/pollChecks.ts'
import type { EscrowHeadroom, EscrowPart } from './holding.ts'
import type { UnjudgedSum } from './holding.ts'
import type { EscrowSum } from './holding.ts'
import type { EscrowMove } from './holding.ts'
import type { Database } from '../../store/database.ts'
import {
  type FlowSum,
  listLost,
  listOverdue,
  listUnexplained,
  listUnjudgedFlows,
  listWaiting,
  type Movement,
  sumByToken,
} from './owed/lossStore.ts'
import type { StoredFlow } from './flows/flowRow.ts'
import { isGas, transactionOf } from './flows/gas.ts'
import { listEscrowTokens, measuredBy } from './owed/owedStore.ts'
import { listUnjudgedPayouts } from './owed/unjudgedStore.ts'
import type { HorizonWatch } from '../../kernel/heads/horizons.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readAgreement } from '../../kernel/sources/sourceWords.ts'
import { aboutPlace, aboutToken } from './balances/agreeOnBalances.ts'
import { isShort } from './balances/judgeOwed.ts'
import { groundBy } from './supply/baseline.ts'
import { readSupplies, type SupplyWatch } from './supply/readSupplies.ts'
import { listCompared } from './supply/supplyStore.ts'
import {
  decimalsOf,
  type EscrowWatch,
  isBridgeToken,
  listHoldings,
  shareOf,
  symbolOf,
} from './watched/watch.ts'

type Unjudged = Movement & { readonly reason: string }

export interface EscrowFactSources {
  readonly db: Database
  readonly watch: EscrowWatch
  readonly horizons: Pick<HorizonWatch, 'read'>
  readonly headroom: () => readonly EscrowHeadroom[]
  readonly supplies: SupplyWatch
  readonly explorers: Pick<Kernel['explorers'], 'current'>
  readonly startedAt: UnixMs
  readonly list: Pick<Kernel['list'], 'walkedAt'>
  readonly listReturn: ListReturn
}

/** Whether the list stood still, and when it was seen to come on again, by our clock; null while it was not. */
export interface ListReturn {
  stood: boolean
  at: UnixMs | null
}

/** How long it is reported that something was not judged, ms. */
const unjudgedMs = 86_400_000
/** What was lost before this is another story. */
const lostMs = 3_600_000
/** Within so long of a start, or of the last page of what lies between, the list is read for the first time, ms. */
const firstListMs = 120_000

/** What conditions on escrows are judged on. */
export function readEscrowFacts(sources: EscrowFactSources, now: UnixMs): EscrowPart {
  const { db, watch } = sources
  const known = sources.horizons.read()
  const compared = listCompared(db)
  const counts = ({ token }: Movement) => isBridgeToken(watch, token)
  noteListReturn(sources.listReturn, standsStill(known, 'list'), now)
  const isJudged = (flow: StoredFlow) => wasJudgedSince(sources.listReturn.at, flow)
  const overdue =
    known.list === null ? [] : listOverdue(db, known.list).filter((flow) => counts(flow) && isJudged(flow))
  // While something is still looked for the sum is of all that left, what was reported by itself included.
  const lost = overdue.length === 0 ? [] : listLost(db, (known.list ?? 0) - lostMs).filter(counts)
  const isHidden = ({ waitsFor }: StoredFlow) => waitsFor !== null && standsStill(known, waitsFor)
  const fallen = listFallen(db, watch, { now, zone: known.zone })
  const unlisted = isUnlisted(sources, known, now)
    ? [...listUnlisted(db, known.list, now), ...fallen]
    : fallen.filter(({ waitsFor }) => waitsFor === 'zone')
  const waiting = [...listWaiting(db).filter(isHidden), ...unlisted].filter(counts)
  return {
    escrow: {
      moves: [
        ...listUnexplained(db).map((flow) => toMove(flow, sources)),
        ...sumByToken(overdue).flatMap(({ largest }) => largest.map((flow) => toOpenMove(flow, sources))),
      ],
      sums: sumByToken<Movement>([...overdue, ...lost, ...waiting]).map((sum) => toSum(sum, known, sources)),
      unjudged: toUnjudged(listUnjudged(sources, now), watch),
      holdings: toHoldings(sources, compared),
      walkedAt: sources.list.walkedAt,
      headroom: sources.headroom(),
    },
    supplies: readSupplies({ ...sources, compared }),
  }
}

function noteListReturn(known: ListReturn, standsStill: boolean, now: UnixMs): void {
  if (known.stood && !standsStill) known.at = now
  known.stood = standsStill
}

/** What left before the list came on again may have its record on it by now: it is looked at once more before it counts. */
function wasJudgedSince(returnedAt: UnixMs | null, { at, checkedAt }: StoredFlow): boolean {
  return returnedAt === null || at >= returnedAt || (checkedAt ?? 0) >= returnedAt
}

/** Whether the list stands still; at a start it is given the time for a first reading, and for all that came while nothing ran. */
function isUnlisted({ list, startedAt }: EscrowFactSources, known: Horizons, now: UnixMs): boolean {
  const cameOnAt = Math.max(startedAt, list.walkedAt ?? startedAt)
  return standsStill(known, 'list') && (known.list !== null || now - cameOnAt >= firstListMs)
}

/** What left since the list stands still, and nothing explains so far: what it may be is not asked of a list that shows nothing. */
function listUnlisted(db: Database, list: UnixMs | null, now: UnixMs): readonly StoredFlow[] {
  return listOverdue(db, now)
    .filter(({ at }) => list === null || at > list)
    .map((flow) => ({ ...flow, waitsFor: 'list' }))
}

/** What left an escrow; and the payouts themselves where no escrow of their token is looked at that paid them. */
function listUnjudged({ db, watch }: EscrowFactSources, now: UnixMs): readonly Unjudged[] {
  const since = now - unjudgedMs
  const isLookedAt = ({ escrow, token }: Unjudged) =>
    watch.places.some(
      ({ address, tokens }) => (escrow === '' || address === escrow) && (tokens?.has(token) ?? true),
    )
  const payouts = listUnjudgedPayouts(db, { from: since, until: now - unsaidMs })
  return [...listUnjudgedFlows(db, since), ...payouts.filter((payout) => !isLookedAt(payout))]
}

function toUnjudged(flows: readonly Unjudged[], watch: EscrowWatch): UnjudgedSum[] {
  return [...Map.groupBy(flows, ({ reason }) => reason)].flatMap(([lacks, of]) =>
    sumByToken(of).map(({ token, escrows, count, amount, since, largest }) => ({
      token,
      escrows,
      count,
      since,
      lacks,
      symbol: symbolOf(watch, token),
      amount: formatDecimal(amount),
      hashes: largest.map(({ hash }) => hash),
    })),
  )
}

function toMove(flow: StoredFlow, { db, watch }: Pick<EscrowFactSources, 'db' | 'watch'>): EscrowMove {
  const isGap = flow.fromHeight !== null
  const isReturn = flow.direction === 'out' && !isGap && flow.outward.digits <= 0n
  const whole = isReturn ? sumDecimals(flow.gross.map(({ out }) => out)) : isGap ? flow.net : flow.outward
  const moved = formatDecimal(whole).replace('-', '')
  return {
    escrow: flow.escrow,
    token: flow.token,
    symbol: symbolOf(watch, flow.token),
    hash: isGap ? null : transactionOf(flow),
    ...(isGas(flow) && { isGas: true as const }),
    fromHeight: flow.fromHeight,
    height: flow.height,
    at: flow.at,
    direction: flow.direction,
    amount: flow.unexplained ? formatDecimal(flow.unexplained) : moved,
    moved,
    party: flow.party,
    reason: flow.reason,
    checkedAt: flow.checkedAt ?? flow.seenAt,
    agreement: isGap
      ? readAgreement(db, 'balance', aboutPlace({ address: flow.escrow, token: flow.token }))
      : readAgreement(db, 'record', flow.hash),
  }
}

function toOpenMove(flow: StoredFlow, of: Pick<EscrowFactSources, 'db' | 'watch'>): EscrowMove {
  return {
    ...toMove(flow, of),
    open: { share: shareOf(of.watch, flow.token, flow.unexplained ?? flow.outward) },
  }
}

function toSum(
  sum: FlowSum<Movement>,
  horizons: Horizons,
  { explorers, watch }: Pick<EscrowFactSources, 'explorers' | 'watch'>,
): EscrowSum {
  const { token, escrows, count, since, largest, waitsFor } = sum
  // What balances alone show is of no one transaction.
  const hashes = largest.flatMap(({ hash }) => (hash === '' ? [] : [hash]))
  return {
    token,
    escrows,
    count,
    since,
    symbol: symbolOf(watch, token),
    amount: formatDecimal(sum.amount),
    share: shareOf(watch, token, sum.amount),
    hashes,
    ...(hashes.length > 0 && { agreement: { by: [explorers.current().name], silent: [] } }),
    waitsFor: waitsFor && { source: waitsFor, shownUntil: horizons[waitsFor] },
  }
}

/** Of each token that is watched what its escrows hold and owe. */
export function toHoldings(
  { db, watch }: Pick<EscrowFactSources, 'db' | 'watch'>,
  compared = listCompared(db),
): EscrowPart['escrow']['holdings'] {
  const holdings = listHoldings(watch)
  return listEscrowTokens(db).flatMap((known) => {
    const escrows = holdings.filter(({ token }) => token === known.token).map(({ address }) => address)
    if (escrows.length === 0) return []
    return [
      {
        token: known.token,
        symbol: symbolOf(watch, known.token),
        escrows,
        decimals: decimalsOf(watch, known.token),
        holdings: measuredBy(known, known.holdings),
        isHeld: known.isHeld,
        holdingsAt: known.holdingsAt,
        baseline: known.baseline,
        startedAt: known.start?.time ?? null,
        judged: known.judged,
        agreement:
          known.judged !== null && isShort(known.judged)
            ? readAgreement(db, 'balance', aboutToken(known.token))
            : null,
        accounts: known.accounts,
        ground: groundBy(known, compared.get(known.token) ?? null),
      },
    ]
  })
}
