import type { Finding } from '../../domain/finding.ts'
import type { Facts, SourceHealth } from '../types.ts'

/** What every finding about a source as a whole says of it. */
export function describeSource(
  source: SourceHealth,
): Pick<Finding, 'subject' | 'title' | 'transfer' | 'labels'> {
  return {
    subject: source.source,
    title: `${source.source} at ${source.host}`,
    transfer: null,
    labels: { source: source.source },
  }
}

/** Where it is, and how many transfers nothing can be said of while it is silent. */
export function sourceFacts(facts: Facts, source: SourceHealth): { host: string; notJudged: number } {
  return { host: source.host, notJudged: facts.countPending() }
}
