import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { boundText } from '../durationText.ts'
import type { EndpointHealth, Facts, Judgement, SourceHealth } from '../types.ts'
import { describeSource } from './describeSource.ts'
import { defineCondition } from './detector.ts'

/** Never called unavailable sooner, however short the interval. */
const floorMs = 5_000
/** One endpoint that fails while others answer is given longer: throttling picks single questions. */
const endpointFloorMs = 30_000
/** The list is what everything rests on: without it nothing new is seen, whatever else answers. */
const listEndpoint = 'E3'
const listFloorMs = 15_000
/** An endpoint that failed and was then not asked for so long is not in use: nothing is known of it, nor missed. */
const idleMs = 2 * 60_000

const params = z.strictObject({ after: boundText.optional() })

/** A source that gives no good answer although it is asked. Refused credentials are `source.rejected`, not this. */
export const sourceUnavailable = defineCondition({
  kind: 'source.unavailable',
  docs: 'A source gave no good answer for three intervals, at least 5 s; or one endpoint of it for six, at least 30 s (the list for three, at least 15 s), and twice that after a single bad answer.',
  hasTransfer: false,
  subjectNames: ['source'],
  facts: { host: 'string', whole: 'bool', endpoints: 'string', lastError: 'string', notJudged: 'int' },
  params,
  judge: judgeUnavailable,
})

function judgeUnavailable(facts: Facts, { after }: z.output<typeof params>): Judgement {
  const findings: Finding[] = []
  const unknown: string[] = []
  for (const source of facts.sources) {
    if (source.rejected !== null) continue
    const failed = source.endpoints.filter(hasFailedSince)
    const isWhole = isSourceSilent(source, facts.now, after)
    const silent = isWhole
      ? failed
      : failed.filter(
          (endpoint) => isEndpointSilent(endpoint, facts.now, after) && isItsOwnTrouble(source, endpoint),
        )
    const failing = silent.filter((endpoint) => isInUse(endpoint, facts.now))
    if (failing.length > 0) findings.push(toFinding(facts, source, { failing, isWhole }))
    else if (silent.some((endpoint) => !hasAnsweredSince(source, endpoint))) unknown.push(source.source)
  }
  return { findings, unknown }
}

/** Nothing good from any endpoint for three of the shortest intervals. */
function isSourceSilent(source: SourceHealth, now: UnixMs, after: number | undefined): boolean {
  if (source.endpoints.length === 0) return false
  const intervalMs = Math.min(...source.endpoints.map((endpoint) => endpoint.intervalMs))
  return now - lastGoodOf(source) >= (after ?? Math.max(3 * intervalMs, floorMs))
}

/** When anything of the source answered last; when it was asked first, if nothing ever did. */
function lastGoodOf({ endpoints }: SourceHealth): UnixMs {
  const good = Math.max(...endpoints.map(({ lastGoodAt }) => lastGoodAt ?? 0))
  return good > 0 ? good : Math.min(...endpoints.map(({ firstAskedAt }) => firstAskedAt))
}

function isEndpointSilent(endpoint: EndpointHealth, now: UnixMs, after: number | undefined): boolean {
  const isList = endpoint.endpoint === listEndpoint
  const boundMs = after ?? (isList ? 3 : 6) * endpoint.intervalMs
  const leastMs = Math.max(boundMs, isList ? listFloorMs : endpointFloorMs)
  return (
    now - silentSince(endpoint) >= (after === undefined && hasFailedOnce(endpoint) ? 2 * leastMs : leastMs)
  )
}

/**
 * Whether anything else of the source was answering when it failed last, and is to this day: what failed with all the
 * others, and was not asked since they came back, is not known to fail by itself.
 */
function isItsOwnTrouble({ endpoints }: SourceHealth, { lastFailureAt }: EndpointHealth): boolean {
  return endpoints.some(({ goodSince }) => goodSince !== null && goodSince <= (lastFailureAt ?? 0))
}

/** One bad answer, and none since because others go first: that is given twice as long. */
function hasFailedOnce({ failingSince, lastFailureAt }: EndpointHealth): boolean {
  return failingSince !== null && failingSince === lastFailureAt
}

function hasFailedSince(endpoint: EndpointHealth): boolean {
  if (endpoint.lastFailureAt === null) return false
  return endpoint.lastGoodAt === null || endpoint.lastFailureAt > endpoint.lastGoodAt
}

/** One that had nothing to ask for a while was not silent meanwhile. */
function silentSince({ lastGoodAt, firstAskedAt, failingSince, intervalMs }: EndpointHealth): UnixMs {
  return Math.max(lastGoodAt ?? firstAskedAt, (failingSince ?? 0) - intervalMs)
}

function isInUse(endpoint: EndpointHealth, now: UnixMs): boolean {
  return now - (endpoint.lastFailureAt ?? 0) <= Math.max(10 * endpoint.intervalMs, idleMs)
}

/** Whether anything of the source answered well after this endpoint's last failure. */
function hasAnsweredSince(source: SourceHealth, endpoint: EndpointHealth): boolean {
  return source.endpoints.some((other) => (other.lastGoodAt ?? 0) > (endpoint.lastFailureAt ?? 0))
}

/** Answers shown one by one; the endpoints are all named. */
const evidenceShown = 3

function toFinding(
  facts: Facts,
  source: SourceHealth,
  { failing, isWhole }: { readonly failing: readonly EndpointHealth[]; readonly isWhole: boolean },
): Finding {
  // Of the whole source since anything of it answered last, not since each endpoint, asked ever so rarely, did.
  const since = isWhole ? lastGoodOf(source) : Math.min(...failing.map(silentSince))
  const newest = failing.reduce((a, b) => ((b.lastFailureAt ?? 0) > (a.lastFailureAt ?? 0) ? b : a))
  const lastError = cleanText(newest.lastFailure ?? 'no answer', 200)
  return {
    kind: 'source.unavailable',
    ...describeSource(source),
    facts: {
      host: source.host,
      whole: isWhole,
      endpoints: failing.map(({ endpoint }) => endpoint).join(', '),
      lastError,
      // Transfers are judged by what the explorer says.
      notJudged: source.source === 'explorer' ? facts.countPending() : 0,
    },
    evidence: failing.slice(0, evidenceShown).map((one) => ({
      source: one.endpoint,
      at: one.lastFailureAt ?? facts.now,
      says: cleanText(one.lastFailure ?? 'no answer', 200),
    })),
    since,
  }
}
