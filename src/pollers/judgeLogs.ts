import { type BridgeLog, type EventMeaning, topicOf } from '../domain/bridgeLog.ts'
import { type EventJudgement, judgeEvents, type LogMeaning } from '../domain/judgeEvents.ts'
import { learnEvent } from '../domain/learnEvent.ts'
import type { Observation } from '../domain/observation.ts'
import { toChainObservation } from '../domain/readEvent.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import {
  countMatched,
  countOpenLogs,
  listDueTransactions,
  listLearned,
  listLogs,
  listSamples,
  type OpenLog,
  saveSample,
  saveTemplate,
  scheduleLogs,
} from '../store/bridgeLogs.ts'
import type { CursorFile } from '../store/cursors.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Commit } from './reads.ts'

export interface JudgeDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listTransfers'>
  readonly commit: Commit
  readonly cursors: Pick<CursorFile, 'read'>
  /** Events that the configuration names, by first topic. */
  readonly configured: ReadonlyMap<string, EventMeaning>
  readonly tellSince: UnixMs
  readonly startedAt: UnixMs
  /** When the newest complete reading of the list's tail began; null before the first. */
  listReadAt(): UnixMs | null
}

/** Transactions looked at in one run. */
const maxTransactions = 500
/** A record may be listed so much later than its block before its absence means anything. */
const waitMs = 30_000
/** And so much later than its event was seen: the list may be behind as much as the logs are. */
const waitSeenMs = 10_000
const recheckMs = 5_000
const maxRecheckMs = 3_600_000
/** Events of so old a transaction without a record say that the event means something else as well. */
const unmatchedMs = 600_000
/** At most this share of an event's occurrences may be without a record while it is being learned. */
const maxUnmatchedShare = 0.25

/**
 * Sets the logs that are due beside the ledger: learns from those whose transfers are known, and opens a transfer for
 * each event that means one and has no record after the list had time to give it.
 * @returns whether more are due than one run takes
 */
export function judgeLogs(deps: JudgeDeps): boolean {
  const now = deps.clock.now()
  const hashes = listDueTransactions(deps.db, now, maxTransactions)
  if (hashes.length === 0) return false
  const meaningOf = readMeanings(deps)
  const judged = hashes.map((hash) => {
    const open = listLogs(deps.db, hash)
    const listed = deps.ledger
      .listTransfers({ hash, limit: 200 })
      .filter((transfer) => transfer.isListed && transfer.main?.hash === hash)
    const judgement = judgeEvents(
      open.map(({ log }) => log),
      listed,
      meaningOf,
    )
    return { hash, judgement, ...decide(deps, open, judgement, now) }
  })
  deps.commit({
    answers: judged.flatMap(({ answer }) => (answer.length > 0 ? [answer] : [])),
    apply: () => {
      for (const { hash, checkAt } of judged) scheduleLogs(deps.db, hash, checkAt)
      learn(
        deps,
        judged.flatMap(({ judgement }) => judgement.samples),
        now,
      )
      return []
    },
  })
  return hashes.length === maxTransactions
}

function readMeanings(deps: JudgeDeps): (log: BridgeLog) => LogMeaning | null {
  const learned = new Map(
    listLearned(deps.db).map(({ contract, topic, template }) => [`${contract}|${topic}`, template]),
  )
  return (log) => {
    const template = learned.get(`${log.contract}|${topicOf(log)}`) ?? null
    const means = deps.configured.get(topicOf(log))
    if (means === 'administration') return null
    if (means !== undefined) {
      const direction = means === 'deposit' ? 'MainToZone' : 'ZoneToMain'
      const isSame = template !== null && template.direction === direction
      return { direction, template: isSame ? template : null, isConfigured: true }
    }
    return template && { direction: template.direction, template, isConfigured: false }
  }
}

interface Decision {
  readonly answer: readonly Observation[]
  /** When the logs are looked at again; null: nothing is open about them. */
  readonly checkAt: UnixMs | null
}

function decide(deps: JudgeDeps, open: readonly OpenLog[], judgement: EventJudgement, now: UnixMs): Decision {
  const seenAt = Math.min(...open.map((one) => one.seenAt))
  const time = open.find(({ log }) => log.time !== null)?.log.time ?? seenAt
  if (judgement.missing.length === 0) {
    if (judgement.isExplained) return { answer: [], checkAt: null }
    // Its record or its meaning may yet become known.
    return { answer: [], checkAt: now + Math.min(Math.max(now - seenAt, recheckMs), maxRecheckMs) }
  }
  if (time < deps.tellSince) return { answer: [], checkAt: null }
  const readyAt = Math.max(time + waitMs, seenAt + waitSeenMs)
  if (now < readyAt) return { answer: [], checkAt: Math.min(readyAt, now + recheckMs) }
  if (!isListRead(deps, time, readyAt)) return { answer: [], checkAt: now + recheckMs }
  const answer = judgement.missing.map(({ log, direction, content }) =>
    toChainObservation(log, direction, content, seenAt),
  )
  return { answer, checkAt: null }
}

/** Whether the list was read so that it would have shown the record: by its tail since, and as far back. */
function isListRead(deps: JudgeDeps, time: UnixMs, readyAt: UnixMs): boolean {
  if ((deps.listReadAt() ?? 0) < readyAt) return false
  return time >= deps.startedAt || deps.cursors.read().history.done
}

function learn(deps: JudgeDeps, samples: EventJudgement['samples'], now: UnixMs): void {
  const changed = new Map<string, { contract: string; topic: string }>()
  for (const { log, sample } of samples) {
    if (deps.configured.get(topicOf(log)) === 'administration') continue
    if (!saveSample(deps.db, log, sample)) continue
    changed.set(`${log.contract}|${topicOf(log)}`, { contract: log.contract, topic: topicOf(log) })
  }
  if (changed.size === 0) return
  const learned = new Map(
    listLearned(deps.db).map(({ contract, topic, template }) => [`${contract}|${topic}`, template]),
  )
  for (const [name, { contract, topic }] of changed) {
    const before = learned.get(name) ?? null
    const template = learnEvent(listSamples(deps.db, contract, topic))
    if (JSON.stringify(before) === JSON.stringify(template)) continue
    if (before === null && template !== null && !isPrecise(deps, contract, topic, now)) continue
    saveTemplate(deps.db, contract, topic, template, now)
    if (before === null && template !== null)
      deps.log.info({ contract, topic, means: template.direction }, 'learned an event of the bridge')
    if (template === null)
      deps.log.warn({ contract, topic }, 'an event of the bridge does not mean what was learned')
  }
}

/** An event that is seen without a record too often means something else as well, and is not learned. */
function isPrecise(deps: JudgeDeps, contract: string, topic: string, now: UnixMs): boolean {
  const unmatched = countOpenLogs(deps.db, contract, topic, now - unmatchedMs)
  return unmatched <= countMatched(deps.db, contract, topic) * maxUnmatchedShare
}
