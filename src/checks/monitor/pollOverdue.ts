import { z } from 'zod'
import { sayTime } from '../../lib/sayTime.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { boundText } from '../../rules/durationText.ts'
import { isEndpointSilent, isSourceSilent } from '../../rules/sourceSilence.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { allowedMs, crashesKept, type PollerHealth } from '../../kernel/running/runner.ts'
import type { EndpointHealth } from '../../clients/sourceHealth.ts'
import type { SourceHealth } from '../../clients/sourceHealth.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

const params = z.strictObject({
  factor: z.number().min(1).max(1_000).default(6),
  floor: boundText.default(60_000),
  backgroundFloor: boundText.default(600_000),
})

const factTypes = declareFacts({
  poller: 'string',
  limitMs: 'int',
  lastSuccessAt: 'int|null',
  lastError: 'string',
  crashes: 'int',
})

export const monitorPollOverdue = defineCondition({
  kind: 'monitor.poll_overdue',
  docs: 'A poller has not completed a run for several of its intervals, and no silent source or endpoint explains it; or three of its runs within an hour ended in an error that nothing explains.',
  remedy:
    "Look at this monitor's log and load; what this poller reads is not being watched. Where a run takes that long without an error, raise `explorer.pace`.",
  sources: [],
  ties: [],
  isGuard: true,
  restsOn: ['source'],
  isHeldAfterOutage: true,
  cannotTell: 'what it reads is silent, which is reported by itself',
  sinceMoves: ({ crashes }) => crashes !== 0,
  hasTransfer: false,
  subjectNames: ['poller'],
  facts: factTypes,
  params,
  judge: judgeOverdue,
})

/** What a poller's newest run failed at: of a run that did not fail, the explorer stands for all that it waits for. */
interface Cause {
  readonly source: SourceHealth
  readonly endpoint: EndpointHealth | null
}

function causeOf({ sources }: SharedFacts, { failedAt }: PollerHealth): Cause | null {
  for (const source of sources) {
    const endpoint = source.endpoints.find((one) => failedAt === `${source.source} ${one.endpoint}`)
    if (endpoint) return { source, endpoint }
  }
  // A node of another chain is not even asked.
  const foreign = sources.find((one) => one.foreign && failedAt?.startsWith(`${one.source} `))
  const source = foreign ?? sources.find((one) => one.source === 'explorer')
  return source ? { source, endpoint: null } : null
}

/** Whether the source says it itself, or will before the poller is late by as much again. */
function isToldOtherwise(facts: SharedFacts, { source, endpoint }: Cause, limitMs: number): boolean {
  if (source.rejected !== null || source.foreign || isSourceSilent(source, facts.now)) return true
  if (facts.empties.aside?.some((one) => one.endpoint === endpoint?.endpoint)) return true
  if (endpoint === null || endpoint.failingSince === null) return false
  return isEndpointSilent(endpoint, facts.now) || facts.now - endpoint.failingSince < limitMs
}

/** From when on a poller could do its work: what waited for a source has its whole time once that is back. */
function couldWorkSince({ lastSuccessAt, startedAt }: PollerHealth, cause: Cause | null): UnixMs {
  const backAt = Math.max(cause?.source.backAt ?? 0, cause?.endpoint?.backAt ?? 0)
  return Math.max(lastSuccessAt ?? startedAt, backAt)
}

function judgeOverdue(
  facts: SharedFacts,
  { factor, floor, backgroundFloor }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const findings: Found<typeof factTypes>[] = []
  const unknown: string[] = []
  for (const poller of facts.pollers) {
    if (isCrashing(poller, facts.now)) {
      findings.push(toFinding(facts, poller, crashMs))
      continue
    }
    const limitMs = allowedMs(
      poller,
      Math.max(factor * poller.intervalMs, poller.isBackground ? backgroundFloor : floor),
    )
    // As nearly always: then it does not matter what it waits for.
    if (facts.now - couldWorkSince(poller, null) < limitMs) continue
    const cause = causeOf(facts, poller)
    if (facts.now - couldWorkSince(poller, cause) < limitMs) continue
    if (cause !== null && isToldOtherwise(facts, cause, limitMs)) unknown.push(poller.poller)
    else findings.push(toFinding(facts, poller, limitMs))
  }
  return { findings, unknown }
}

/** Whatever else it does: a run between two that fail would hide both. */
const crashMs = 3_600_000

function isCrashing({ crashes = [] }: PollerHealth, now: UnixMs): boolean {
  const [oldest] = crashes
  return oldest !== undefined && crashes.length >= crashesKept && now - oldest < crashMs
}

function saySlow({ runningSince = null }: PollerHealth, now: UnixMs): string {
  return runningSince === null
    ? 'no run has completed'
    : `the run that began at ${sayTime(runningSince, now)} has not completed`
}

function toFinding(facts: SharedFacts, poller: PollerHealth, limitMs: number): Found<typeof factTypes> {
  const lastError = cleanText(poller.lastError ?? poller.lastCrash ?? '', 200)
  const crashes = isCrashing(poller, facts.now) ? (poller.crashes ?? []) : []
  return {
    subject: poller.poller,
    title: `poller ${poller.poller}`,
    transfer: null,
    facts: {
      poller: poller.poller,
      limitMs,
      lastSuccessAt: poller.lastSuccessAt,
      lastError,
      crashes: crashes.length,
    },
    labels: { poller: poller.poller },
    evidence: [{ source: poller.poller, at: facts.now, says: lastError || saySlow(poller, facts.now) }],
    since: crashes[0] ?? poller.lastSuccessAt ?? poller.startedAt,
  }
}
