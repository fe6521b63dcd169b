import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import { useOf } from './unavailable.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

const params = z.strictObject({
  share: z
    .number({ error: 'expected a share, such as 0.2' })
    .gt(0, 'expected a share above 0')
    .max(1, 'expected a share of at most 1')
    .default(0.2),
  minimum: z.int({ error: 'expected a number of answers' }).min(1).default(5),
  lag: boundText.default(90_000),
})

const factTypes = declareFacts({
  problem: 'string',
  contradicted: 'int',
  answers: 'int',
  sharePercent: 'int',
  lagMs: 'int|null',
})

/**
 * A source that answers, and is not to be believed: it says that nothing is there where something is known to be, or
 * its list, or another endpoint, lags behind the chains. What it says of absence is read again until it holds; this says that it happens.
 */
export const sourceSuspicious = defineCondition({
  kind: 'source.suspicious',
  docs: 'A source gave empty answers where something is known to be, a fifth of its answers over five minutes; or its list, or another endpoint, lags behind the chains.',
  remedy: 'Do not trust empty answers of this source; compare with a block explorer of the chain.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  restsOn: ['source'],
  cannotTell: 'there were no answers to judge',
  sinceMoves: true,
  hasTransfer: false,
  subjectNames: ['source'],
  configured: { source: 'source' },
  facts: factTypes,
  params,
  judge: judgeSuspicious,
})

function judgeSuspicious(facts: SharedFacts, bounds: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const findings = [
    ...findEmpties(facts, bounds),
    ...findAside(facts),
    ...findLag(facts, bounds),
    ...findEndpointLags(facts, bounds),
  ]
  // Without answers nothing can be said of their quality.
  const isUnknown = facts.empties.answers === 0
  return { findings, unknown: isUnknown ? [emptiesOf(facts)] : [] }
}

const emptiesOf = ({ empties }: SharedFacts) => `${empties.source}:empties`

function findEmpties(
  facts: SharedFacts,
  { share, minimum }: z.output<typeof params>,
): Found<typeof factTypes>[] {
  const { source, answers, contradicted, since } = facts.empties
  if (contradicted < minimum || contradicted < share * answers) return []
  const sharePercent = Math.floor((contradicted * 100) / answers)
  return [
    {
      subject: emptiesOf(facts),
      title: `empty answers of the ${source}`,
      transfer: null,
      facts: {
        problem: 'empty answers where something is known to be',
        contradicted,
        answers,
        sharePercent,
        lagMs: null,
      },
      labels: { source },
      evidence: [
        {
          source,
          at: facts.now,
          says: `${contradicted} of ${answers} answers were empty against better knowledge`,
        },
      ],
      since,
    },
  ]
}

/** One for each endpoint: what it is asked in vain is named. */
function findAside({ empties, now }: SharedFacts): Found<typeof factTypes>[] {
  const byEndpoint = Map.groupBy(empties.aside ?? [], ({ endpoint }) => endpoint)
  return [...byEndpoint].map(([endpoint, questions]) => {
    const named = questions.slice(0, asideShown).map(({ question }) => cleanText(question, 100))
    const problem = `${endpoint} says that nothing is there where something is known to be, and is asked again in ten minutes: ${named.join('; ')}`
    return {
      subject: `${empties.source} ${endpoint}`,
      title: `${endpoint} of the ${empties.source}`,
      transfer: null,
      facts: { problem, contradicted: questions.length, answers: 0, sharePercent: 0, lagMs: null },
      labels: { source: empties.source, endpoint },
      evidence: [{ source: endpoint, at: now, says: `${questions.length} questions are set aside` }],
      since: Math.min(...questions.map(({ since }) => since)),
    }
  })
}

const asideShown = 3

function findLag(facts: SharedFacts, { lag }: z.output<typeof params>): Found<typeof factTypes>[] {
  const { listLag } = facts
  // By a clock that is ahead everything comes late.
  if (listLag === null || listLag.lagMs - clockLeadMs(facts) <= lag) return []
  return [
    {
      subject: 'explorer:list',
      title: 'the list of the explorer lags behind the chains',
      transfer: null,
      facts: { problem: 'the list lags', contradicted: 0, answers: 0, sharePercent: 0, lagMs: listLag.lagMs },
      labels: { source: 'explorer' },
      evidence: [{ source: 'E3', at: listLag.at, says: listLag.says }],
      since: listLag.at,
    },
  ]
}

/** One for each endpoint, by the list of it that is farthest behind. */
function findEndpointLags(facts: SharedFacts, { lag }: z.output<typeof params>): Found<typeof factTypes>[] {
  const lagging = (facts.endpointLags ?? []).filter(({ lagMs }) => lagMs - clockLeadMs(facts) > lag)
  return [...Map.groupBy(lagging, ({ endpoint }) => endpoint)].flatMap(([endpoint, lists]) => {
    const [most] = lists.toSorted((a, b) => b.lagMs - a.lagMs)
    if (most === undefined) return []
    const { lagMs, since, hashes } = most
    const named = hashes.slice(0, lacksShown).join(', ')
    const of = most.list === '' ? '' : ` (${cleanText(most.list, 100)})`
    return [
      {
        subject: `explorer:${endpoint} lags`,
        title: `${endpoint} of the explorer lags behind the chains`,
        transfer: null,
        facts: {
          problem: `${endpoint} lags, and does not show yet: ${useOf(endpoint).blind}`,
          contradicted: 0,
          answers: 0,
          sharePercent: 0,
          lagMs,
        },
        labels: { source: 'explorer', endpoint },
        evidence: [
          {
            source: endpoint,
            at: facts.now,
            says: `${hashes.length} transactions that others show are not in it${of}: ${named}`,
          },
        ],
        since,
      },
    ]
  })
}

const lacksShown = 3
