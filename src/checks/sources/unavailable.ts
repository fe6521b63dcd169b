import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { EndpointHealth, SourceHealth } from '../../clients/sourceHealth.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { boundText } from '../../rules/durationText.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'
import { isEndpointSilent, isFailing, isSourceSilent, lastGoodOf } from '../../rules/sourceSilence.ts'
import { describeSource, lossOfSource } from './describeSource.ts'

/** How long an endpoint that failed goes unasked before it is not in use, ms: nothing is known of it, nor missed. */
const idleMs = 2 * 60_000

/** How long a source goes unasked since the start before it is not in use either, ms. */
const unaskedMs = 10 * 60_000

const params = z.strictObject({ after: boundText.optional() })

const factTypes = declareFacts({
  host: 'string',
  whole: 'bool',
  endpoints: 'string',
  blind: 'string',
  lastError: 'string',
  notJudged: 'int',
})

/** A source that gives no good answer although it is asked. Refused credentials are `source.rejected`, not this. */
export const sourceUnavailable = defineCondition({
  kind: 'source.unavailable',
  docs: 'A source gave no good answer for three intervals, at least 5 s; or one endpoint of it failed for 20 s while others answered, and again after they did (the list for 15 s; one that only throttles for six intervals, at least 30 s).',
  remedy: 'Check network and status of this source; what only it shows is not seen until it answers.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  stops: 'source',
  cannotTell: 'it failed, and was not asked again since',
  hasTransfer: false,
  subjectNames: ['source'],
  configured: { source: 'source' },
  facts: factTypes,
  params,
  judge: judgeUnavailable,
})

/** What is not seen, or not judged, while an endpoint or method is silent. */
interface EndpointUse {
  readonly blind: string
  /** Transfers on their way are not judged without it. */
  readonly judgesTransfers?: true
}

const uses: Readonly<Record<string, EndpointUse>> = {
  E2: { blind: 'what single payouts and deposits moved, where that is in doubt' },
  E3: { blind: 'new transfers', judgesTransfers: true },
  'E3 by hash': { blind: 'whether movements at the escrows have a record' },
  'E3 by address': { blind: 'whether value that names no origin has a record' },
  'E3 by height': { blind: 'what the ledger may lack of the list' },
  E4: { blind: 'withdrawals on the zone chain that the list may hide' },
  E5: {
    blind: 'whether the zone chain goes on, and what happened there behind its head',
    judgesTransfers: true,
  },
  E6: { blind: 'what moves at the escrows, and challenges' },
  E7: { blind: 'native currency that transactions carry' },
  E8: { blind: 'native currency that moves at the escrows' },
  E9: { blind: 'whether payouts have an origin on the zone chain', judgesTransfers: true },
  E10: { blind: 'whether operators still send' },
  E11: {
    blind: 'whether the main chain goes on, and what happened there behind its head',
    judgesTransfers: true,
  },
  E12: { blind: 'what becomes of transfers on their way', judgesTransfers: true },
  E13: { blind: 'what payouts and deposits moved on the main chain', judgesTransfers: true },
  E14: { blind: 'whether single payouts have an origin, where that is in doubt' },
  E15: { blind: 'what payouts and deposits of native currency moved' },
  E16: { blind: 'what single transactions moved of native currency, where that is in doubt' },
  E17: { blind: 'whether the code of the contracts changed' },
  E19: { blind: 'events of the bridge contracts: deposits and payouts without a record, administration' },
  E21: { blind: 'what single payouts and deposits moved, where that is in doubt' },
  eth_call: { blind: 'what the escrows hold of tokens' },
  eth_getBalance: { blind: 'what escrows and operators hold of native currency' },
  eth_getTransactionReceipt: { blind: "the second source's word on payouts and deposits" },
  eth_getBlockReceipts: { blind: 'preconfirmations and what becomes of them' },
  eth_getBlockByNumber: { blind: 'the head of the chain, and what becomes of preconfirmations' },
  eth_getLogs: { blind: 'withdrawals in the blocks of the zone that no record shows' },
  eth_blockNumber: { blind: 'the height of the chain' },
  'zoneRpc eth_call': { blind: 'what there is of each token on the zone chain' },
  'zoneRpc eth_getBlockByNumber': {
    blind: 'the head of the zone chain by its own node, and what only that tells of',
  },
}

const unknownUse: EndpointUse = { blind: 'what it is asked for' }

function judgeUnavailable(
  facts: SharedFacts,
  { after }: z.output<typeof params>,
): JudgementOf<typeof factTypes> {
  const judged = facts.sources.map((source) => {
    if (source.rejected !== null) return leaveOpen(source)
    return isSourceSilent(source, facts.now, after)
      ? judgeWhole(facts, source)
      : judgeEach(facts, source, after)
  })
  return {
    findings: judged.flatMap(({ findings }) => findings),
    unknown: judged.flatMap(({ unknown }) => unknown),
    lossOf: lossOfSource(facts),
  }
}

interface Judged {
  readonly findings: readonly Found<typeof factTypes>[]
  readonly unknown: readonly string[]
}

/** Refused credentials are told as that: what was silent before does not answer because of them. */
function leaveOpen(source: SourceHealth): Judged {
  const failing = source.endpoints.filter(isFailing)
  return { findings: [], unknown: [source.source, ...failing.map((one) => subjectOf(source, one))] }
}

/** While nothing answers nothing can be said of single endpoints. */
function judgeWhole(facts: SharedFacts, source: SourceHealth): Judged {
  const failing = source.endpoints.filter((one) => isFailing(one) && isInUse(one, facts.now))
  const unknown = source.endpoints.map((one) => subjectOf(source, one))
  if (failing.length === 0) return { findings: [], unknown: [source.source, ...unknown] }
  const newest = failing.reduce((a, b) => ((b.lastFailureAt ?? 0) > (a.lastFailureAt ?? 0) ? b : a))
  const finding: Found<typeof factTypes> = {
    ...describeSource(source),
    facts: {
      host: source.host,
      whole: true,
      endpoints: failing.map(({ endpoint }) => endpoint).join(', '),
      blind: 'everything that it tells of',
      lastError: errorOf(newest),
      // Transfers are judged by what the explorer says.
      notJudged: source.source === 'explorer' ? facts.countPending() : 0,
    },
    evidence: failing.slice(0, evidenceShown).map((one) => toEvidence(one, facts.now)),
    since: lastGoodOf(source),
  }
  return { findings: [finding], unknown }
}

/** Each endpoint by itself: what it is good for differs, and so does when it ends. */
function judgeEach(facts: SharedFacts, source: SourceHealth, after: number | undefined): Judged {
  const isFound = (one: EndpointHealth) => isEndpointSilent(one, facts.now, after) && isInUse(one, facts.now)
  return {
    findings: source.endpoints.filter(isFound).map((one) => toFinding(facts, source, one)),
    // Whatever was reported of it, it is not back: it was not asked again, or it fails and that may be everything's trouble.
    unknown: [
      ...source.endpoints
        .filter((one) => isFailing(one) && !isFound(one))
        .map((one) => subjectOf(source, one)),
      ...(isAnsweredYet(source, facts.now) ? [] : [source.source]),
    ],
  }
}

/** Since the start: what the last process found of a source stands until it answers, or has not been asked for long. */
function isAnsweredYet({ endpoints, startedAt }: SourceHealth, now: UnixMs): boolean {
  return endpoints.some(({ lastGoodAt }) => lastGoodAt !== null) || now - startedAt > unaskedMs
}

function toFinding(
  facts: SharedFacts,
  source: SourceHealth,
  silent: EndpointHealth,
): Found<typeof factTypes> {
  const { endpoint, lastGoodAt, failingSince } = silent
  const { blind, judgesTransfers } = uses[subjectOf(source, silent)] ?? useOf(endpoint)
  const { title, labels } = describeSource(source)
  return {
    subject: subjectOf(source, silent),
    title: `${endpoint} of ${title}`,
    transfer: null,
    labels: { ...labels, endpoint },
    facts: {
      host: source.host,
      whole: false,
      endpoints: endpoint,
      blind,
      lastError: errorOf(silent),
      notJudged: judgesTransfers === true && source.source === 'explorer' ? facts.countPending() : 0,
    },
    evidence: [toEvidence(silent, facts.now)],
    // One that had nothing to ask for a while was not silent meanwhile.
    since: Math.max(lastGoodAt ?? 0, failingSince ?? 0),
  }
}

function subjectOf({ source }: SourceHealth, { endpoint }: EndpointHealth): string {
  return `${source} ${endpoint}`
}

function isInUse(endpoint: EndpointHealth, now: UnixMs): boolean {
  return now - (endpoint.lastFailureAt ?? 0) <= Math.max(10 * endpoint.intervalMs, idleMs)
}

/** Answers shown one by one; the endpoints are all named. */
const evidenceShown = 3

function toEvidence(one: EndpointHealth, now: UnixMs): Finding['evidence'][number] {
  return { source: one.endpoint, at: one.lastFailureAt ?? now, says: errorOf(one) }
}

function errorOf({ lastFailure }: EndpointHealth): string {
  return cleanText(lastFailure ?? 'no answer', 200)
}

/** What an endpoint is good for. */
export function useOf(endpoint: string): EndpointUse {
  return uses[endpoint] ?? unknownUse
}
