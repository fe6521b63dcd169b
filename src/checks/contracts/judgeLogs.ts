import { decodeArguments } from '../../clients/readEventAbi.ts'
import {
  type BridgeLog,
  type EventArguments,
  type EventMeaning,
  type EventSample,
  topicOf,
} from '../../bridge/bridgeLog.ts'
import {
  type EventJudgement,
  findOtherRecipient,
  judgeEvents,
  type LogMeaning,
  neededSamples,
} from '../../meaning/judgeEvents.ts'
import {
  type EventTemplate,
  isOutdated,
  learnEvent,
  newestDissent,
  toBareTemplate,
} from '../../meaning/learnEvent.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Observation } from '../../bridge/observation.ts'
import { toChainObservation } from '../../meaning/readEvent.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toMeaningFinding, toNewEventFinding } from './changed.ts'
import {
  countMatched,
  countOpenLogs,
  dropSamples,
  listAbi,
  listDueTransactions,
  listLearned,
  listLogs,
  listSamples,
  type OpenLog,
  saveSample,
  saveTemplate,
  scheduleLogs,
} from './logStore.ts'
import { isAccused } from '../../alerts/store/accused.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import { isNewAmong } from './firstEventStore.ts'
import type { Kernel } from '../../kernel/kernel.ts'

interface Judging
  extends Pick<
    Kernel,
    | 'clock'
    | 'commit'
    | 'cursors'
    | 'db'
    | 'firstStartAt'
    | 'kinds'
    | 'ledger'
    | 'list'
    | 'log'
    | 'startedAt'
    | 'tellSince'
  > {
  /** Events that the configuration names, by first topic. */
  readonly configured: ReadonlyMap<string, EventMeaning>
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
/** A transfer may have its record as much before its event. */
const recordBeforeMs = 600_000
/** At most this share of an event's occurrences may be without a record while it is being learned. */
const maxUnmatchedShare = 0.25
/** How many events must have stood for transfers before a new one that stands for none is reported. */
const leastTaught = 200

/**
 * Sets the logs that are due beside the ledger: learns from those whose transfers are known, and opens a transfer for
 * each event that means one and has no record after the list had time to give it.
 * @returns whether more are due than one run takes
 */
export function judgeLogs(deps: Judging): boolean {
  const now = deps.clock.now()
  const hashes = listDueTransactions(deps.db, now, maxTransactions)
  if (hashes.length === 0) return false
  const meaningOf = readMeanings(deps)
  const abi = listAbi(deps.db)
  const judged = hashes.map((hash) => {
    const open = listLogs(deps.db, hash).map((one) => ({
      ...one,
      log: decodeEvent(abi, one.log.contract, one.log),
    }))
    const sharing = deps.ledger.listSharing('main', hash, 200)
    const listed = sharing.filter((transfer) => transfer.isListed && transfer.main?.hash === hash)
    const judgement = judgeEvents(
      open.map(({ log }) => log),
      listed,
      meaningOf,
    )
    // What is accused is no example of what an event says.
    const samples = listed.some(({ key }) => isAccused(deps, key)) ? [] : judgement.samples
    const compared = listed.length === 1 ? judgement.samples : []
    const evidence = readRecipients(deps, compared, meaningOf, abi)
    const decision = decide(deps, { open, judgement, sharing, hasRecord: listed.length > 0 }, now)
    const strange = decision.isUnexplained && listed.length === 0 ? listUnknown(open, meaningOf) : []
    return { hash, samples, compared, evidence, strange, ...decision }
  })
  const isTaughtBy = findTaught(
    deps.db,
    judged.flatMap(({ samples }) => samples),
  )
  deps.commit({
    evidence: judged.flatMap(({ evidence }) => evidence),
    answers: judged.flatMap(({ answer }) => (answer.length > 0 ? [answer] : [])),
    apply: () => {
      for (const { hash, checkAt } of judged) scheduleLogs(deps.db, hash, checkAt)
      const samples = judged.flatMap((one) => one.samples)
      const news = judged
        .flatMap(({ strange }) => strange)
        .filter((log) => isNewAmong(deps.db, log, { least: leastTaught, since: deps.startedAt }))
        .map((log) => toNewEventFinding(log, now))
      return [...learn(deps, samples, abi, now), ...news]
    },
  })
  const taught = judged.flatMap(({ compared }) => compared).filter(isTaughtBy)
  const evidence = taught.length > 0 ? readRecipients(deps, taught, readMeanings(deps), abi) : []
  if (evidence.length > 0) deps.commit({ evidence })
  return hashes.length === maxTransactions
}

/** Whether a sample is of an event that meant too little to be compared before these: at a first start they are what is to be judged, too. */
function findTaught(
  db: Judging['db'],
  samples: EventJudgement['samples'],
): (one: EventJudgement['samples'][number]) => boolean {
  const nameOf = ({ log }: EventJudgement['samples'][number]) => `${log.contract}|${topicOf(log)}`
  const byTopic = new Map(samples.map((one) => [nameOf(one), one.log]))
  const taught = [...byTopic].flatMap(([name, log]) =>
    listSamples(db, log.contract, topicOf(log)).length <= neededSamples ? [name] : [],
  )
  return (one) => taught.includes(nameOf(one))
}

function readMeanings(deps: Judging): (log: BridgeLog) => LogMeaning | null {
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
  /** The list had the time to show it, and something of it means nothing that is known. */
  readonly isUnexplained?: boolean
}

interface Judged {
  readonly open: readonly OpenLog[]
  readonly judgement: EventJudgement
  /** Transfers of its transaction. */
  readonly sharing: readonly Transfer[]
  readonly hasRecord: boolean
}

function decide(deps: Judging, { open, judgement, sharing, hasRecord }: Judged, now: UnixMs): Decision {
  const seenAt = Math.min(...open.map((one) => one.seenAt))
  const time = open.find(({ log }) => log.time !== null)?.log.time ?? seenAt
  const readyAt = Math.max(time + waitMs, seenAt + waitSeenMs)
  const laterAt = now + Math.min(Math.max(now - seenAt, recheckMs), maxRecheckMs)
  if (judgement.missing.length === 0) {
    if (judgement.isExplained) return { answer: [], checkAt: null }
    // Its record or its meaning may yet become known.
    const isUnexplained = time >= deps.tellSince && now >= readyAt && isListRead(deps, time, readyAt)
    // After a start, or while the list does not answer, it is old and was never judged.
    const isUnread = (deps.list.readAt ?? 0) < readyAt
    return { answer: [], checkAt: isUnread ? Math.min(laterAt, now + waitMs) : laterAt, isUnexplained }
  }
  if (time < Math.max(deps.tellSince, recordsBeginAt(deps))) return { answer: [], checkAt: null }
  if (now < readyAt) return { answer: [], checkAt: Math.min(readyAt, now + recheckMs) }
  if (!isListRead(deps, time, readyAt)) return { answer: [], checkAt: now + recheckMs }
  const missing = judgement.missing.map(({ log, direction, content }) =>
    toChainObservation(log, direction, content, seenAt),
  )
  // Of one that was opened before more may be learned: read anew it would be a second one.
  const opened = new Set(
    sharing.flatMap(({ key }) => deps.ledger.listSightings(key).flatMap(({ logIndex }) => logIndex ?? [])),
  )
  const answer = missing.filter(({ logIndex }) => !opened.has(logIndex ?? ''))
  // A record that is listed later still has to credit whom the event names: nothing else says who that is.
  const isCompared = !hasRecord && missing.some(({ direction }) => direction === 'MainToZone')
  return { answer, checkAt: isCompared ? laterAt : null }
}

/** What a deposit's event says against its record. */
function readRecipients(
  { db, clock }: Judging,
  samples: EventJudgement['samples'],
  meaningOf: (log: BridgeLog) => LogMeaning | null,
  abi: ReadonlyMap<string, string>,
): EvidenceReading[] {
  return samples.flatMap(({ log, sample }) => {
    const template = meaningOf(log)?.template
    if (!template || sample.direction !== 'MainToZone') return []
    const known = listSamples(db, log.contract, topicOf(log)).map((one) =>
      decodeEvent(abi, log.contract, one),
    )
    const other = findOtherRecipient(sample, template, known)
    if (other === null) return []
    const of = { chain: 'main', hash: log.hash, source: 'E19', status: 'success' } as const
    return { ...of, requestedAt: clock.now(), errorMessage: '', moves: null, ...other }
  })
}

function listUnknown(
  open: readonly ReturnType<typeof listLogs>[number][],
  meaningOf: (log: BridgeLog) => LogMeaning | null,
): BridgeLog[] {
  return open.flatMap(({ log, isOpen }) => (isOpen && meaningOf(log) === null ? [log] : []))
}

/** Whether the list was read so that it would have shown the record: by its tail since, and as far back. */
function isListRead(deps: Judging, time: UnixMs, readyAt: UnixMs): boolean {
  if ((deps.list.readAt ?? 0) < readyAt) return false
  return time >= deps.startedAt || deps.cursors.read().history.done
}

/** An event as its verified ABI reads it, where one is known: it goes before what bytes seem to mean. */
export function decodeEvent<E extends Pick<BridgeLog, 'topics' | 'data'>>(
  abi: ReadonlyMap<string, string>,
  contract: string,
  event: E,
): E & { readonly args?: EventArguments } {
  const declared = abi.get(`${contract}|${topicOf(event)}`)
  const args = declared === undefined ? null : decodeArguments(declared, event)
  return args === null ? event : { ...event, args }
}

function learn(
  deps: Judging,
  samples: EventJudgement['samples'],
  abi: ReadonlyMap<string, string>,
  now: UnixMs,
): Finding[] {
  const changed = new Map<string, { contract: string; topic: string; log: BridgeLog }>()
  for (const { log, sample } of samples) {
    if (deps.configured.get(topicOf(log)) === 'administration') continue
    if (!saveSample(deps.db, log, sample)) continue
    changed.set(`${log.contract}|${topicOf(log)}`, { contract: log.contract, topic: topicOf(log), log })
  }
  if (changed.size === 0) return []
  const learned = new Map(
    listLearned(deps.db).map(({ contract, topic, template }) => [`${contract}|${topic}`, template]),
  )
  return [...changed].flatMap(([name, { contract, topic, log }]) => {
    const before = learned.get(name) ?? null
    const known = listSamples(deps.db, contract, topic).map((sample) => decodeEvent(abi, contract, sample))
    if (before !== null && isOutdated(known, before)) return relearn(deps, log, { known, before }, now)
    const template = learnEvent(known, before)
    if (JSON.stringify(before) === JSON.stringify(template)) return []
    if (before === null && !isPrecise(deps, contract, topic, now)) return []
    saveTemplate(deps.db, contract, topic, template, now)
    if (before === null && template !== null)
      deps.log.info({ contract, topic, means: template.direction }, 'learned an event of the bridge')
    return []
  })
}

/** What an event was known to say is over: from now on it says what the newest ones agree on, if they do. */
function relearn(
  { db, log: logger }: Judging,
  log: BridgeLog,
  { known, before }: { readonly known: readonly EventSample[]; readonly before: EventTemplate },
  now: UnixMs,
): Finding[] {
  const { contract } = log
  const topic = topicOf(log)
  const newest = newestDissent(known, before)
  const [last] = newest.slice(-1)
  if (!last) return []
  const template = learnEvent(newest) ?? toBareTemplate(last)
  dropSamples(db, contract, topic, known.length - newest.length)
  saveTemplate(db, contract, topic, template, now)
  logger.warn({ contract, topic }, 'an event of the bridge does not say any more what was learned')
  return [toMeaningFinding(log, now)]
}

/** An event that is seen without a record too often means something else as well, and is not learned. */
function isPrecise(deps: Judging, contract: string, topic: string, now: UnixMs): boolean {
  const span = { from: recordsBeginAt(deps), before: now - unmatchedMs }
  const unmatched = countOpenLogs(deps.db, contract, topic, span)
  return unmatched <= countMatched(deps.db, contract, topic) * maxUnmatchedShare
}

/**
 * Events of before may have records that the list, which holds the newest ones alone, does not show. What happened since the
 * first start always had to be shown.
 */
function recordsBeginAt({ cursors, firstStartAt }: Judging): UnixMs {
  const { done, oldestAt, until } = cursors.read().history
  return done && oldestAt !== null && oldestAt > until ? Math.min(oldestAt + recordBeforeMs, firstStartAt) : 0
}
