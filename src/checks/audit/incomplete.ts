import { z } from 'zod'
import type { IncompleteFact, AuditPart } from './facts.ts'
import { declareFacts, defineCondition, type Found, type JudgementOf, type Moment } from '../../rules/kind.ts'

type Facts = Moment & AuditPart

const factTypes = declareFacts({
  what: 'string',
  count: 'int',
  oldestAgeMs: 'int',
  heights: 'string',
  hashes: 'string',
  method: 'string',
})

/**
 * What lacked when an audit compared the ledger with the list and the chains. One subject for each place where it was
 * found; it ends when an audit ten minutes later finds nothing in the same range, or when the record comes.
 */
export const ledgerIncomplete = defineCondition({
  kind: 'ledger.incomplete',
  docs: 'An audit found records, or transfers on the chains, that the ledger lacked, and after a re-read it still did.',
  remedy: 'Look up the hashes that the list does not show, and report the gap to whoever runs the explorer.',
  sources: ['explorer'],
  ties: [],
  restsOn: ['source'],
  hasTransfer: false,
  subjectNames: [],
  facts: factTypes,
  params: z.strictObject({}),
  judge: (facts: Facts): JudgementOf<typeof factTypes> => ({
    findings: facts.incomplete.map((fact) => toFinding(fact, facts.now)),
    unknown: [],
  }),
})

const kinds: Readonly<Record<string, { what: string; source: string }>> = {
  list: { what: 'records that the list had not shown', source: 'E3, E12' },
  zone: { what: 'withdrawals on the zone chain without a record', source: 'zone blocks, E12' },
  event: { what: 'deposits on the main chain without a record', source: 'E19, E3' },
}

function toFinding(fact: IncompleteFact, now: number): Found<typeof factTypes> {
  const { what, source } = kinds[fact.source] ?? { what: fact.source, source: fact.source }
  const heights = [
    ...(fact.zoneHeights ? [`zone ${spanText(fact.zoneHeights)}`] : []),
    ...(fact.mainHeights ? [`main ${spanText(fact.mainHeights)}`] : []),
  ].join(', ')
  const hashes = fact.hashes.join(', ')
  return {
    subject: fact.source,
    title: `${what}: ${hashes}${fact.count > fact.hashes.length ? ', …' : ''}`,
    transfer: null,
    facts: {
      what,
      count: fact.count,
      oldestAgeMs: Math.max(0, now - fact.oldestAt),
      heights,
      hashes,
      method: fact.method,
    },
    labels: {},
    evidence: [{ source, at: fact.toldAt, says: `${fact.count} that the ledger lacked, at ${heights}` }],
    since: fact.toldAt,
  }
}

function spanText([first, last]: readonly [number, number]): string {
  return first === last ? `block ${first}` : `blocks ${first} to ${last}`
}
