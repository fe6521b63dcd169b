import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import { boundText } from '../../rules/durationText.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { FactsOf } from '../../rules/factTable.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf } from '../../rules/kind.ts'

const params = z.strictObject({ keep: boundText.default(10 * 60_000) })

/** How long a key that nobody asks for any more is reported, ms. */
const lackKeptMs = 86_400_000

const factTypes = declareFacts({
  endpoint: 'string',
  key: 'string',
  use: ['', 'judged', 'shown'],
  isWhole: 'bool?',
  count: 'int',
  of: 'int?',
  problem: 'string',
  hashes: 'string',
  lastAt: 'int',
})

/**
 * Records that break the contract: true from the first one until none came for `keep`. A documented key that is not
 * there, or says what nobody understands, is a drift of its own, and goes on while newest answers lack it.
 */
export const sourceDrift = defineCondition({
  kind: 'source.drift',
  docs: 'An endpoint gives records that cannot be read, that lack what the contract promises, or that answer another question than was asked.',
  remedy:
    'Look at what came: the source changed the form of its records, answers another question than was asked, or explorer.dialect does not fit.',
  sources: [],
  ties: ['source'],
  isGuard: true,
  restsOn: ['source'],
  hasTransfer: false,
  subjectNames: ['source'],
  configured: { source: 'source' },
  facts: factTypes,
  params,
  judge: judgeDrift,
})

function judgeDrift(facts: SharedFacts, { keep }: z.output<typeof params>): JudgementOf<typeof factTypes> {
  const isRecent = ({ lastAt }: { readonly lastAt: number }) => facts.now - lastAt <= keep
  const lacks = facts.lacks.filter(
    (lack) => isRecent(lack) || (lack.isStill && facts.now - lack.lastAt <= lackKeptMs),
  )
  // A row that was set aside because of a key is reported as that.
  const isTold = (endpoint: string, problem: string) =>
    lacks.some((lack) => lack.endpoint === endpoint && problem.startsWith(`${lack.key}: `))
  const unreadable = facts.drift.filter(
    (drift) => drift.count > 0 && isRecent(drift) && !isTold(drift.endpoint, drift.problem),
  )
  return {
    findings: [
      ...unreadable.map((drift) =>
        toFinding(drift, drift.endpoint, {
          count: drift.count,
          key: '',
          use: 'judged',
          problem: drift.problem,
          hashes: nameHashes((drift.named ?? []).filter(({ at }) => at >= drift.firstAt)),
        }),
      ),
      ...unreadable.flatMap((drift) => toUpdates(drift, facts.now, keep)),
      ...lacks.map((lack) =>
        toFinding(lack, `${lack.endpoint} ${lack.key}`, {
          count: lack.rows,
          of: lack.of,
          key: lack.key,
          use: lack.use,
          problem: lack.problem,
          hashes: (lack.hashes ?? []).join(', '),
          isWhole: lack.isWhole,
        }),
      ),
    ],
    unknown: facts.unreadKeys,
  }
}

/** So often what came since the first row is named: what a row hides may be a theft, and there may be many. */
const updateMs = 300_000

/**
 * What was sent of the first row names none that came later: those of each five minutes are a finding of their own, once
 * these are over.
 */
function toUpdates(
  { endpoint, firstAt, problem, named = [] }: SharedFacts['drift'][number],
  now: number,
  keep: number,
): Found<typeof factTypes>[] {
  const later = named.filter(({ at }) => at > firstAt)
  const spans = Map.groupBy(later, ({ at }) => Math.floor(at / updateMs) * updateMs)
  return [...spans].flatMap(([from, rows]) => {
    const until = from + updateMs
    if (now < until || now - until > keep) return []
    const said = { count: rows.length, key: '', use: 'judged' as const, problem }
    const hashes = nameHashes(rows)
    const of = { endpoint, firstAt: until, lastAt: until }
    return [
      toFinding(of, `${endpoint} from ${new Date(from).toISOString().slice(0, 16)}`, { ...said, hashes }),
    ]
  })
}

const mostHashes = 10

/** The newest first. */
function nameHashes(rows: readonly { readonly hash: string }[]): string {
  const newest = rows.slice(-mostHashes).map(({ hash }) => hash)
  const more = rows.length - newest.length
  return [...newest.toReversed(), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function toFinding(
  {
    endpoint,
    firstAt,
    lastAt,
    source = 'explorer',
  }: {
    readonly endpoint: string
    readonly firstAt: number
    readonly lastAt: number
    readonly source?: string
  },
  subject: string,
  said: Omit<FactsOf<typeof factTypes>, 'endpoint' | 'lastAt'>,
): Found<typeof factTypes> {
  const problem = cleanText(said.problem, 400)
  return {
    subject,
    title: `records of ${endpoint}`,
    transfer: null,
    facts: { ...said, endpoint, problem, lastAt },
    labels: { source },
    evidence: [{ source: endpoint, at: lastAt, says: problem }],
    since: firstAt,
  }
}
