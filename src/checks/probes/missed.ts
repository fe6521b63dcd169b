import { z } from 'zod'
import { directions } from '../../bridge/observation.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { sayDuration } from '../../lib/sayTime.ts'
import { boundText } from '../../rules/durationText.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Said } from '../../rules/kind.ts'
import type { ProbeFact, ProbesPart } from './facts.ts'

type Facts = SharedFacts & ProbesPart

const params = z.strictObject({
  direction: z.enum(directions).optional(),
  within: boundText.default(30 * 60_000),
})

const factTypes = declareFacts({
  state: ['none', 'under way', 'failed'],
  everyMs: 'int',
  withinMs: 'int',
  underWay: 'int',
  failed: 'int',
  oldestUnderWayMs: 'int|null',
  lastLatencyMs: 'int|null',
})

/**
 * No transfer of a known prober came through in time: the newest one that did left longer ago than the next one may take
 * to be sent and to arrive. While the list does not reach so far it may have come through unseen: nothing is said then.
 */
export const probeMissed = defineCondition({
  kind: 'probe.missed',
  docs: 'No transfer of a known prober came through in time.',
  remedy:
    'See whether the prober sent one: if it did, the bridge does not carry value now; if not, mend the prober.',
  words: { open: sayMissed },
  sources: ['explorer'],
  ties: [],
  needs: ['bridge.probes'],
  restsOn: ['source'],
  endsWhenPaid: true,
  cannotTell: 'the list does not show yet what came through since',
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params,
  judge: judgeMissed,
})

function sayMissed({ what, finding: { facts, since }, now }: Said): string {
  const { state, oldestUnderWayMs } = facts
  const rest = {
    'under way': `one that left ${sayMinutes(Number(oldestUnderWayMs))} ago is still under way`,
    failed: 'the newest one failed',
    none: 'none has left since',
  }[String(state)]
  return `No ${what}, has come through for ${sayMinutes(now - since)}: ${rest ?? ''}`
}

/** Whole minutes: seconds say nothing of what is late by half an hour. */
function sayMinutes(ms: number): string {
  return sayDuration(Math.floor(ms / 60_000) * 60_000)
}

/** By when the next probe has to have come through. */
export function deadlineOf({ last, since, everyMs }: ProbeFact, withinMs: number): number {
  return Math.max(last?.leftAt ?? since, since) + everyMs + withinMs
}

function judgeMissed(
  facts: Facts,
  { direction, within }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const leadMs = clockLeadMs(facts)
  const { shownUntil, list } = facts.probes
  const late = list
    .filter((probe) => direction === undefined || probe.direction === direction)
    .filter((probe) => facts.now - leadMs > deadlineOf(probe, within))
  const isShown = (probe: ProbeFact) => shownUntil !== null && shownUntil > deadlineOf(probe, within)
  return {
    findings: late
      .filter(isShown)
      .map((probe) => toFinding(probe, { now: facts.now, leadMs, shownUntil, within })),
    unknown: late.filter((probe) => !isShown(probe)).map(subjectOf),
    lossOf: lossOfUnwatched(({ subject }) => list.some((probe) => subjectOf(probe) === subject)),
  }
}

function toFinding(
  probe: ProbeFact,
  at: {
    readonly now: number
    readonly leadMs: number
    readonly shownUntil: number | null
    readonly within: number
  },
): Found<typeof factTypes> {
  const { address, direction, everyMs, last, open } = probe
  const from = Math.max(last?.leftAt ?? probe.since, probe.since)
  const present = at.now - at.leadMs
  const left =
    open === null
      ? 'none has left since'
      : `${open.count} left since, the first ${formatDuration(present - open.oldestAt)} ago`
  return {
    subject: subjectOf(probe),
    title: `probe of ${address}, ${direction === 'MainToZone' ? 'main to zone' : 'zone to main'}`,
    transfer: null,
    facts: {
      state: stateOf(open),
      everyMs,
      withinMs: at.within,
      underWay: open === null ? 0 : open.count - open.failed,
      failed: open?.failed ?? 0,
      oldestUnderWayMs: open === null ? null : present - open.oldestAt,
      lastLatencyMs: last === null ? null : last.arrivedAt - last.leftAt,
    },
    labels: { direction },
    evidence: [
      {
        source: 'E3',
        at: at.shownUntil ?? at.now,
        says:
          last === null
            ? `none came through since it is looked for; ${left}`
            : `the newest one that came through left ${formatDuration(present - last.leftAt)} ago; ${left}`,
      },
    ],
    since: from + at.leadMs,
  }
}

function stateOf(open: ProbeFact['open']): 'none' | 'failed' | 'under way' {
  if (open === null) return 'none'
  return open.failed === open.count ? 'failed' : 'under way'
}

function subjectOf({ address, direction }: ProbeFact): string {
  return `${address}|${direction}`
}
