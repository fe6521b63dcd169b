import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Judgement } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { RuleEvaluation } from './store/alertGroups.ts'
import type { ChannelRow } from './store/outboxDeliveries.ts'
import { keptAsks } from './askedBefore.ts'
import type { EngineContext } from './engineContext.ts'
import { judgeConditions } from './judgeConditions.ts'
import {
  channelDead,
  messageDead,
  type MetaKind,
  metaRule,
  noData,
  ruleError,
  ruleOverflow,
} from './metaKinds.ts'

/** A rule is said to fail after this many evaluations in a row, and so long. */
const errorCount = 3
const errorMs = 300_000

/** A rule was evaluated and gave an answer: whatever failed before is over. */
export function saveGoodEvaluation(
  context: Pick<EngineContext, 'asked' | 'store'>,
  rule: Rule,
  now: UnixMs,
  { unknownSince = null, unsure = [] }: Partial<Pick<RuleEvaluation, 'unknownSince' | 'unsure'>> = {},
): void {
  context.store.saveEvaluation({
    rule: rule.name,
    evaluatedAt: now,
    errors: 0,
    failingSince: null,
    reason: null,
    unknownSince,
    asks: keptAsks(context, rule),
    unsure,
  })
}

/** What the engine finds of itself, as alerts like any other. */
function judgeMeta(
  context: EngineContext,
  kind: Pick<MetaKind, 'kind' | 'severity'>,
  judged: Partial<Judgement> & Pick<Judgement, 'findings'>,
): void {
  const rule = metaRule(context.live.rules, kind)
  const before = context.store.getEvaluation(rule.name)
  judgeConditions(context, rule, {
    judgement: { unknown: [], ...judged },
    evaluatedAt: before?.evaluatedAt ?? null,
  })
  saveGoodEvaluation(context, rule, context.now)
}

/** One alert for each rule that keeps failing to evaluate. */
export function judgeRuleErrors(context: EngineContext): void {
  const failing = context.store
    .listEvaluations()
    .filter(
      ({ errors, failingSince }) =>
        errors >= errorCount && context.now - (failingSince ?? context.now) >= errorMs,
    )
  const rule = metaRule(context.live.rules, ruleError)
  if (failing.length === 0 && context.store.listActiveOf(rule.name).length === 0) return
  const findings = failing.map(({ rule, errors, failingSince, reason }) =>
    ruleError.raise({
      ...bare,
      subject: rule,
      title: `rule ${rule}: ${reason ?? 'no reason given'}`,
      facts: { rule, errors, reason: reason ?? '' },
      since: failingSince ?? context.now,
    }),
  )
  judgeMeta(context, ruleError, { findings, lossOf: lossOfRule(context) })
}

/** What was said of a rule that is no more is not made good by that. */
function lossOfRule({ store }: EngineContext): NonNullable<Judgement['lossOf']> {
  return ({ facts }) => (store.getEvaluation(String(facts['rule'])) === null ? 'rule removed' : null)
}

/** How long a rule had nothing to judge by before that is reported, ms; sooner it may be a start, or a slow source. */
const noDataMs = 300_000
/** The same of one thing among others that a rule judges: what is read of it may be late. */
const blindMs = 3_600_000

interface Unseen {
  readonly rule: string
  /** Of what nothing can be said; empty for all of it. */
  readonly about: string
  readonly subject: string
  readonly since: UnixMs
  readonly afterMs: number
}

/**
 * One alert for each rule that has nothing to judge by, and for each thing of which one that judges others can say nothing.
 * While a source is out that says it already, for all rules.
 */
export function judgeNoData(context: EngineContext): void {
  const { store, kinds, outage, startedAt } = context
  // A source that is back has as long as one that was there all the time, and while we were down nobody looked.
  const countedFrom = (since: UnixMs) =>
    Math.max(since, Math.min(Math.max(outage.lastAt ?? since, startedAt), context.now))
  const unseen = listUnseen(context)
  const silent = unseen.filter(({ since, afterMs }) => context.now - countedFrom(since) >= afterMs)
  const rule = metaRule(context.live.rules, noData)
  if (kinds.all.some(({ kind, stops }) => stops === 'source' && store.isKindFiring(kind))) {
    context.outage.lastAt = context.now
    return
  }
  if (silent.length === 0 && store.listActiveOf(rule.name).length === 0) return
  const findings = silent.map(({ rule, about, subject, since }) =>
    noData.raise({
      ...bare,
      subject,
      title: `rule ${rule}: what ${about === '' ? 'it' : about} is judged by has not been seen`,
      facts: { rule, about },
      since,
    }),
  )
  judgeMeta(context, noData, {
    findings,
    unknown: unseen.filter((one) => !silent.includes(one)).map(({ subject }) => subject),
    lossOf: lossOfRule(context),
  })
}

function listUnseen({ store, blind }: EngineContext): Unseen[] {
  return store.listEvaluations().flatMap(({ rule, unknownSince }): Unseen[] =>
    unknownSince === null
      ? (blind.get(rule) ?? []).map(({ subject, title, since }) => ({
          rule,
          about: title,
          subject: `${rule}: ${subject}`,
          since,
          afterMs: blindMs,
        }))
      : [{ rule, about: '', subject: rule, since: unknownSince, afterMs: noDataMs }],
  )
}

/** A rule was evaluated: how many findings it has beyond those that may be active at once. */
export function noteOverflow(context: EngineContext, of: { rule: string; overflow: number }): void {
  const before = context.overflows.get(of.rule)
  context.overflows.set(of.rule, of.overflow)
  if (of.overflow > 0 || before !== 0) judgeOverflows(context)
}

/** One alert for each rule that finds more than may be active at once; it counts what is not reported. */
export function judgeOverflows(context: EngineContext): void {
  const { overflows, store } = context
  const over = [...overflows].filter(([rule, count]) => count > 0 && store.getEvaluation(rule) !== null)
  const open = store.listActiveOf(metaRule(context.live.rules, ruleOverflow).name)
  if (over.length === 0 && open.length === 0) return
  const findings = over.map(([rule, count]) =>
    ruleOverflow.raise({
      ...bare,
      subject: rule,
      title: `rule ${rule}: ${count} more findings than the ${context.maxActivePerRule} that are reported one by one`,
      facts: { rule, count, cap: context.maxActivePerRule },
      since: context.now,
    }),
  )
  // A rule that was not evaluated since the start is as it was.
  const unknown = open
    .map(({ subject }) => subject)
    .filter((rule) => !overflows.has(rule) && store.getEvaluation(rule) !== null)
  judgeMeta(context, ruleOverflow, { findings, unknown, lossOf: lossOfRule(context) })
}

/** One alert for each channel that refuses us, and each recipient that one refuses, sent to others. */
export function judgeChannels(context: EngineContext): void {
  const findings = context.store
    .listChannels()
    .filter(({ name }) => context.channels.includes(name))
    .flatMap(listRefusals)
  const rule = metaRule(context.live.rules, channelDead)
  if (findings.length === 0 && context.store.listActiveOf(rule.name).length === 0) return
  judgeMeta(context, channelDead, { findings, lossOf: (found) => lossOfChannel(context, found) })
}

/** A channel that is asked no more has not become well. */
function lossOfChannel({ channels }: EngineContext, { facts }: Finding): string | null {
  return channels.includes(String(facts['channel'])) ? null : 'channel removed'
}

function listRefusals({ name, circuit, reason, openedAt, refused, lastAckAt }: ChannelRow): Finding[] {
  const raise = (recipient: string, why: string, since: UnixMs) => {
    const subject = recipient === '' ? name : `${name} to ${recipient}`
    return channelDead.raise({
      ...bare,
      subject,
      title: `channel ${subject}: ${why}`,
      facts: { channel: name, recipient, reason: why },
      labels: { channel: name },
      since,
    })
  }
  return [
    ...(circuit === 'open' ? [raise('', reason ?? 'refused', openedAt ?? 0)] : []),
    ...refused.map((one) => raise(one.recipient, one.reason, one.since ?? lastAckAt ?? 0)),
  ]
}

const dayMs = 86_400_000

/** One alert for each channel that something was to be told to, and is told to nobody. */
export function judgeDeadMessages(context: EngineContext): void {
  const { store, channels, now } = context
  const dead = store
    .countDead({ since: now - dayMs, but: messageDead.kind })
    .filter(({ channel }) => channels.includes(channel))
  const rule = metaRule(context.live.rules, messageDead)
  if (dead.length === 0 && store.listActiveOf(rule.name).length === 0) return
  const findings = dead.map(({ channel, count, firstAt }) => {
    const reason = store.getChannel(channel).lastError ?? 'not sent in time'
    return messageDead.raise({
      ...bare,
      subject: channel,
      title: `channel ${channel}: ${count} ${count === 1 ? 'finding was' : 'findings were'} set aside, told to nobody: ${reason}`,
      facts: { channel, count, reason },
      labels: { channel },
      since: firstAt,
    })
  })
  // What is set aside for longer is still told to nobody.
  const isAside = (name: string) =>
    store.countDead({ since: 0, but: messageDead.kind }).some(({ channel }) => channel === name)
  judgeMeta(context, messageDead, {
    findings,
    lossOf: (found) =>
      lossOfChannel(context, found) ??
      (isAside(String(found.facts['channel'])) ? 'set aside for a day, and told to nobody' : null),
  })
}

/** No transfer is concerned, and nobody was asked. */
const bare = { transfer: null, labels: {}, evidence: [] } as const
