import { noAmount } from '../../bridge/decimal.ts'
import { hasAnswers } from '../../ledger/evidence/legAnswers.ts'
import type { StoredTransfer } from '../../ledger/transfers/transferRows.ts'
import { listSharing } from '../../ledger/transfers/named.ts'
import { reconsider } from '../../alerts/material.ts'
import { type LegEvidence, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EventContext, RelatedTransfers } from '../../ledger/context.ts'
import { evaluateTransfer } from '../../rules/evaluateRules.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { Facts } from '../../checks/index.ts'
import type { Database } from '../../store/database.ts'
import {
  countHistory,
  listEvidenceOf,
  listSharedHashes,
  newestKey,
  walkHistory,
} from '../../ledger/transfers/history.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createTokenBook, type TokenBook } from '../../ledger/lessons/tokenBook.ts'
import { firstOriginTime } from '../../ledger/sightings/firstOriginTime.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import { type Choice, chooseRules, toHistoryFilter } from './chooseRules.ts'
import { type OpenPast, openPast } from './openPast.ts'
import { replayFacts } from './replayFacts.ts'
import { createPastLatency, type LatencyFacts } from '../../ledger/transfers/readLatency.ts'
import {
  deriveAt,
  firstSaidAt,
  momentOf,
  type Past,
  pendingSpan,
  replayStalled,
  toPast,
} from './replayTransfer.ts'
import { createTellings, judgeNews, type RuleTellings, type Tellings, type ToldEvent } from './tellings.ts'

export interface Backtest {
  readonly since: UnixMs
  readonly until: UnixMs
  readonly transfers: number
  /** Transfers that had to be looked at in full; no rule can find anything of the rest. */
  readonly replayed: number
  readonly rules: readonly (RuleTellings & {
    /** From when on it could be judged by what is kept; null where that is all that the ledger has of transfers. */
    readonly from: UnixMs | null
  })[]
  /** Rules that history says nothing of, and why. */
  readonly skipped: readonly { readonly rule: string; readonly kind: string; readonly reason: string }[]
}

export interface BacktestInput {
  readonly db: Database
  readonly ledger: Ledger
  readonly bridge: AppConfig['bridge']
  readonly rules: readonly LoadedRule[]
  readonly since: UnixMs
  readonly until: UnixMs
  /** Called at each transfer that is looked at: of all, what share is behind it. */
  readonly onAdvance?: (share: number, replayed: number) => void
}

interface Replay extends BacktestInput {
  readonly choice: Choice
  readonly tellings: Tellings
  readonly book: TokenBook
  readonly past: OpenPast
  readonly isAsked: boolean
  readonly shared: ReadonlySet<string>
  readonly facts: Facts
  readonly latency: (now: UnixMs) => LatencyFacts
  /** Events whose subject is no transfer: raised once over all of them. */
  readonly toldOnce: Map<string, ToldEvent>
}

/**
 * What rules would have raised over the ledger's history, had they been in force. Each transfer is replayed as it became
 * known; those that no rule can find anything of are passed over by their row alone.
 */
export function runBacktest(input: BacktestInput): Backtest {
  const { db, rules, since, until } = input
  const book = createTokenBook(db, input.bridge.tokens)
  const past = openPast({ ...input, book })
  const choice = chooseRules(rules, past, until)
  const skipped = new Set(choice.skipped.map(({ rule }) => rule))
  const judged = rules.filter(({ name }) => !skipped.has(name))
  const tellings = createTellings(judged, { since, until })
  const isAsked = hasAnswers(db)
  const shared = listSharedHashes(db)
  const replay: Replay = {
    ...input,
    choice,
    tellings,
    book,
    past,
    isAsked,
    shared,
    facts: emptyFacts(input),
    latency: createPastLatency(db),
    toldOnce: new Map(),
  }
  const newest = newestKey(db)
  let replayed = 0
  for (const stored of walkHistory(db, toHistoryFilter({ ...input, choice, isAsked, shared }))) {
    replayed += 1
    replayRow(replay, stored)
    if (newest > 0) input.onAdvance?.(stored.key / newest, replayed)
  }
  const others = (now: UnixMs) => ({ ...replay.facts, ...past.escrows.facts(now) })
  replayFacts(choice.conditions, { since, until, tellings, others })
  const transfers = countHistory(db, until)
  const told = tellings.list().map((one) => ({ ...one, from: choice.from.get(one.rule) ?? null }))
  return { since, until, transfers, replayed, rules: told, skipped: choice.skipped }
}

interface Step {
  readonly at: UnixMs
  readonly transfer: Transfer
}

function replayRow(replay: Replay, stored: StoredTransfer): void {
  const evidence: readonly LegEvidence[] = replay.isAsked
    ? listEvidenceOf(replay.db, stored.group.members)
    : []
  const past = toPast(stored, evidence)
  const steps = withSameOrigin(replay, past).flatMap((at): Step[] => {
    const transfer = at < replay.until ? deriveAt(past, at, toKnown(replay)) : null
    return transfer === null ? [] : [{ at, transfer }]
  })
  if (steps.length === 0) return
  replayEvents(replay, steps)
  const span = replay.choice.stalled.length === 0 ? null : pendingSpan(steps)
  if (span === null) return
  const facts = { ...replay.facts, latency: replay.latency(span.from) }
  for (const rule of replay.choice.stalled) {
    const fired = replayStalled(rule, span, { facts, until: replay.until })
    if (fired === null) continue
    replay.tellings.tell(rule, fired.finding, fired.firedAt)
    if (fired.resolvedAt !== null) replay.tellings.resolve(rule, fired.resolvedAt)
  }
}

/** What is found of one payout depends on the others of its origin: what became known of them is a step as well. */
function withSameOrigin(replay: Replay, past: Past): readonly UnixMs[] {
  const hashes = new Set(past.group.members.flatMap(({ zoneHash, mainHash }) => [zoneHash, mainHash]))
  const times = new Set(past.steps)
  for (const hash of hashes) {
    if (hash === null || !replay.shared.has(hash)) continue
    for (const chain of ['main', 'zone'] as const) {
      for (const { group } of listSharing(replay.db, chain, hash, mostRelated)) {
        for (const { firstAt } of group.members) times.add(firstAt)
        for (const said of listEvidenceOf(replay.db, group.members)) times.add(firstSaidAt(said))
      }
    }
  }
  const first = past.steps[0] ?? 0
  return times.size === past.steps.length
    ? past.steps
    : [...times].filter((at) => at >= first).sort((a, b) => a - b)
}

const mostRelated = 200

function replayEvents(replay: Replay, steps: readonly Step[]): void {
  const told = new Map<string, ToldEvent>()
  for (const { at, transfer } of steps) {
    const context = toContext(replay, transfer, at)
    const { matches, errors } = evaluateTransfer(replay.choice.events, transfer, context)
    for (const { rule } of errors) replay.tellings.fail(rule)
    const moment = momentOf(transfer, at)
    for (const { rule, finding } of matches) {
      const kept = finding.transfer === null ? replay.toldOnce : told
      const name = `${rule.name}\n${finding.subject}`
      const judged = judgeNews(rule.detector, kept.get(name) ?? null, finding)
      kept.set(name, judged.told)
      if (judged.news === 'first') replay.tellings.tell(rule, finding, moment)
      else if (judged.news === 'correction') replay.tellings.correct(rule, moment)
    }
    correctRest({ replay, told, at: moment, transfer }, new Set(matches.map(({ rule }) => rule.name)))
  }
}

/** What was raised of an event and is not found any more is corrected once its facts are others. */
function correctRest(
  of: {
    readonly replay: Replay
    readonly told: Map<string, ToldEvent>
    readonly at: UnixMs
    readonly transfer: Transfer
  },
  found: ReadonlySet<string>,
): void {
  for (const [name, event] of of.told) {
    const rule = of.replay.choice.events.find((one) => name.startsWith(`${one.name}\n`))
    if (!rule || event === null || found.has(rule.name)) continue
    const judged = judgeNews(
      rule.detector,
      event,
      reconsider(rule.detector, event.finding, { transfer: of.transfer, isFound: false }),
    )
    of.told.set(name, judged.told)
    if (judged.news === 'correction') of.replay.tellings.correct(rule, of.at)
  }
}

function toContext(replay: Replay, transfer: Transfer, at: UnixMs): EventContext {
  return {
    now: at,
    // All of it is judged as news: the window of the backtest says what is counted.
    tellSince: 0,
    bridge: replay.bridge,
    related: toRelated(replay, transfer, at),
    learned: replay.past.learned,
    clockAheadMs: 0,
  }
}

const toKnown = ({ book, past }: Replay) => ({ tokens: book, learned: past.learned })

function toRelated(replay: Replay, judged: Transfer, at: UnixMs): RelatedTransfers {
  const sharing: RelatedTransfers['sharing'] = (chain, hash) => {
    if (!replay.shared.has(hash)) return judged[chain]?.hash === hash ? [judged] : []
    return listSharing(replay.db, chain, hash, mostRelated).flatMap((stored) => {
      const evidence = listEvidenceOf(replay.db, stored.group.members)
      return deriveAt(toPast(stored, evidence), at, toKnown(replay)) ?? []
    })
  }
  return {
    sharing,
    allSharing: sharing,
    ofOrigin(transfer) {
      const origin = originLeg(transfer)
      return origin === null ? [] : sharing(origin.chain, origin.hash)
    },
    isFirstTo: (transfer) => replay.ledger.isFirstTo(transfer),
    joinedByAmount: (transfer) =>
      originLeg(transfer) === null || transfer.destinationAt === null
        ? replay.ledger.joinedByAmount(transfer)
        : null,
    firstOriginTime: (transfer) => firstOriginTime(transfer, replay.ledger.listSightings(transfer.key)),
    escrowBalance: (token) => replay.past.reserveOf(token, at),
    // What was given back by then is not kept.
    locked: () => noAmount,
  }
}

/** Only what `transfer.stalled` looks at is asked for; heads of the past are not kept. */
function emptyFacts({ ledger }: BacktestInput): Facts {
  const facts: Partial<Facts> = {
    pollers: [],
    now: 0,
    heads: [],
    sources: [],
    canonicalHead: null,
    zoneRpcHead: null,
    // What the sources lacked then is not kept: what a kind looks at of them is as in a world where nothing is the matter.
    drift: [],
    lacks: [],
    listLag: null,
    listPending: () => [],
    countPending: () => ledger.countByState().pending,
  }
  // No other condition is evaluated: see chooseRules. A fact that is missing here makes the rule fail, which is reported.
  return facts as Facts
}
