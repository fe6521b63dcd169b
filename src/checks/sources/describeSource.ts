import type { SharedFacts } from '../../kernel/facts.ts'
import { lossOfUnwatched } from '../../rules/lossOfUnwatched.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { SourceHealth } from '../../clients/sourceHealth.ts'

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

/** A source that was taken out of the configuration neither answers nor takes our credentials. */
export function lossOfSource({ sources }: Pick<SharedFacts, 'sources'>): ReturnType<typeof lossOfUnwatched> {
  return lossOfUnwatched(({ labels }) => sources.some(({ source }) => source === labels.source))
}
