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
