import { formatDecimal, fromBaseUnits, negate } from '../../bridge/decimal.ts'
import { findCaseOf } from '../../breaks/describeBreak.ts'
import { type CourseStep, courseSteps, listCourse } from '../../checks/escrow/owed/courseStore.ts'
import type { StoredFlow } from '../../checks/escrow/flows/flowRow.ts'
import { transactionOf } from '../../checks/escrow/flows/gas.ts'
import {
  countMovements,
  listLargestFlows,
  listUnexplainedFlows,
  mostMovements,
} from '../../checks/escrow/flows/movements.ts'
import { movementsSince } from '../../checks/escrow/owed/movementsSince.ts'
import { type EscrowToken, readEscrowToken } from '../../checks/escrow/owed/owedStore.ts'
import { baselineGround } from '../../checks/escrow/supply/baseline.ts'
import { readCompared } from '../../checks/escrow/supply/supplyStore.ts'
import { listAnchors } from '../../checks/escrow/flows/readingStore.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createTokenBook, type TokenSetting } from '../../ledger/lessons/tokenBook.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import type { Database } from '../../store/database.ts'
import type {
  EscrowMovement,
  EscrowOverview,
  EscrowPeriod,
  EscrowQuery,
  EscrowStory,
} from '../escrowTypes.ts'
import { formatRaw, readEscrows, toEscrowLine } from './readEscrows.ts'

/** What is said of escrows is read from this. */
export interface EscrowSources {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listTransfers'>
  readonly tokens: readonly TokenSetting[]
  /** Whether a node is configured that says what addresses hold. */
  readonly hasNode: boolean
}

/** Of each token what its escrows hold and owe. */
export function readEscrowOverview({ db, tokens, hasNode }: EscrowSources): EscrowOverview {
  return { escrows: readEscrows(db, tokens) ?? [], hasNode }
}

const hourMs = 3_600_000

/** How long each period is, and how finely its course is drawn. */
const periods: Readonly<Record<EscrowPeriod, { readonly ms: number; readonly step: CourseStep }>> = {
  hour: { ms: hourMs, step: 'minute' },
  day: { ms: 24 * hourMs, step: 'quarter' },
  week: { ms: 168 * hourMs, step: 'sixHours' },
  month: { ms: 720 * hourMs, step: 'sixHours' },
}

const mostShown = 10
const mostTransfers = 3

/** What one token's escrows hold and owe, how that came, and what moved most; null for a token that is not watched. */
export function readEscrowStory(sources: EscrowSources, query: EscrowQuery, now: UnixMs): EscrowStory | null {
  const { db } = sources
  const known = readEscrowToken(db, query.token)
  if (known === null) return null
  const line = toEscrowLine(known, createTokenBook(db, sources.tokens))
  const { decimals } = line.token
  return {
    ...line,
    baseline: toBaseline(db, known, decimals),
    supply: toSupply(db, query.token),
    places: listAnchors(db, query.token).map(({ escrow, balance, height, readAt }) => ({
      address: escrow,
      holds: formatRaw(balance, decimals),
      height,
      at: readAt,
    })),
    course: readCourse(db, query, decimals, now),
    movements: readMovements(sources, query, now),
  }
}

function toBaseline(db: Database, known: EscrowToken, decimals: number | null): EscrowStory['baseline'] {
  const { start, baseline } = known
  if (start === null || baseline === null) return null
  const ground = baselineGround(db, known)
  return {
    amount: formatRaw(baseline, decimals),
    isAssumed: ground === 'assumed',
    isProven: ground === 'proven',
    since: start.time,
  }
}

function toSupply(db: Database, token: string): EscrowStory['supply'] {
  const compared = readCompared(db, token)
  if (compared === null) return null
  const { judged, openedAt } = compared
  const units = (raw: bigint) => formatDecimal(fromBaseUnits(raw, judged.decimals))
  return {
    there: units(judged.supply),
    claims: units(judged.claims),
    excess: units(judged.excess > 0n ? judged.excess : 0n),
    height: judged.height,
    at: judged.blockTime,
    since: openedAt,
  }
}

/** The course alone, for its chart; null for a token that is not watched. */
export function readEscrowCourse(
  { db, tokens }: EscrowSources,
  query: EscrowQuery,
  now: UnixMs,
): Pick<EscrowStory, 'token' | 'course'> | null {
  const known = readEscrowToken(db, query.token)
  if (known === null) return null
  const { token } = toEscrowLine(known, createTokenBook(db, tokens))
  return { token, course: readCourse(db, query, token.decimals, now) }
}

function readCourse(
  db: Database,
  { token, period }: EscrowQuery,
  decimals: number | null,
  now: UnixMs,
): EscrowStory['course'] {
  const { ms, step } = periods[period]
  const { stepMs } = courseSteps[step]
  const from = Math.floor((now - ms) / stepMs) * stepMs
  const points = listCourse(db, token, step, from).map(({ at, holdings, owed, openOut }) => ({
    at,
    holds: formatRaw(holdings, decimals),
    owes: formatRaw(owed, decimals),
    inTransit: formatRaw(openOut, decimals),
  }))
  return { period, from, stepMs, points }
}

function readMovements(
  sources: EscrowSources,
  { token, period, isUnexplained }: EscrowQuery,
  now: UnixMs,
): EscrowStory['movements'] {
  const { db } = sources
  const of = { token, from: now - periods[period].ms, until: now + 1 }
  const count = countMovements(db, of)
  const list = (direction: 'in' | 'out') =>
    (isUnexplained ? listUnexplainedFlows : listLargestFlows)(db, of, { direction, limit: mostShown }).map(
      (flow) => toMovement(sources, flow),
    )
  const since = movementsSince(db, token)
  const knownSince = since > of.from ? since : null
  return { isUnexplained, knownSince, count, isCut: count >= mostMovements, out: list('out'), in: list('in') }
}

function toMovement({ db, ledger }: EscrowSources, flow: StoredFlow): EscrowMovement {
  const { escrow, token, fromHeight, height, at, verdict, net, unexplained, direction } = flow
  const hash = transactionOf(flow)
  // A block that was replaced, and a change of the balance: no transaction of that name.
  const isTransaction = fromHeight === null && !hash.includes(':')
  const rest = unexplained && direction === 'out' ? negate(unexplained) : unexplained
  return {
    escrow,
    hash: isTransaction ? hash : null,
    fromHeight,
    height,
    at,
    amount: formatDecimal(verdict === 'unexplained' && rest !== null ? rest : net),
    party: cleanText(flow.party, 100),
    verdict,
    reason: cleanText(flow.reason, 300),
    transfers: isTransaction
      ? ledger.listTransfers({ hash, limit: mostTransfers }).map(({ key }) => key)
      : [],
    caseId:
      verdict === 'explained' || verdict === 'refund'
        ? null
        : findCaseOf(db, {
            name: `${escrow}:${token || 'native'}:${flow.hash}`,
            transferKey: null,
            mainHash: isTransaction ? hash : null,
          }),
  }
}
