import { canonicalJson } from './fingerprint.ts'
import type { Labels } from './routing.ts'

export interface InhibitRule {
  readonly source: (labels: Labels) => boolean
  readonly target: (labels: Labels) => boolean
  /** Labels that must be equal on both sides; a missing one is an empty one. */
  readonly equal: readonly string[]
}

/** Conditions that are judged from what a source says: while it is silent they say nothing new. */
const restOnSource = new Set([
  'transfer.stalled',
  'chain.stalled',
  'source.suspicious',
  'source.drift',
  'flow.quiet',
  'flow.imbalance',
  'flow.surge',
  'ledger.incomplete',
  'escrow.drift',
  'escrow.shortfall',
  'challenge.stuck',
  'operator.quiet',
  'operator.low_balance',
  'monitor.poll_overdue',
])
const restOnChain = new Set(['flow.quiet', 'operator.quiet', 'preconf.stalled', 'preconf.gap'])
const outages = new Set(['source.unavailable', 'source.rejected'])

/** Without the list nothing new is seen, whatever else answers. */
function isOfWhole(labels: Labels): boolean {
  return outages.has(labels['kind'] ?? '') && ['', 'E3'].includes(labels['endpoint'] ?? '')
}

/** Always in force, beside the configured ones. */
export const builtInInhibitions: readonly InhibitRule[] = [
  {
    // What is judged of transfers and chains rests on the explorer: another source's silence leaves it standing.
    source: (labels) => isOfWhole(labels) && (labels['source'] ?? 'explorer') === 'explorer',
    target: (labels) => restOnSource.has(labels['kind'] ?? '') && !('source' in labels),
    equal: [],
  },
  {
    source: isOfWhole,
    target: (labels) => restOnSource.has(labels['kind'] ?? '') && 'source' in labels,
    equal: ['source'],
  },
  {
    // One endpoint's silence explains what is said of its own answers, and nothing else.
    source: (labels) => outages.has(labels['kind'] ?? '') && 'endpoint' in labels,
    target: (labels) => restOnSource.has(labels['kind'] ?? '') && 'endpoint' in labels,
    equal: ['source', 'endpoint'],
  },
  {
    source: (labels) => labels['kind'] === 'source.rejected',
    target: (labels) => labels['kind'] === 'source.unavailable',
    equal: ['source'],
  },
  {
    source: (labels) => labels['kind'] === 'chain.stalled',
    target: (labels) => restOnChain.has(labels['kind'] ?? ''),
    equal: ['chain'],
  },
]

/**
 * Says of an alert's labels which firing alert keeps it quiet; null is none. An alert that matches both sides of a rule
 * inhibits neither itself nor its like; alerts that inhibit each other, over others too, are all told. What carries
 * the label `inhibit: never` is never inhibited.
 */
export function createInhibitor(
  rules: readonly InhibitRule[],
  firing: readonly Labels[],
): (labels: Labels) => Labels | null {
  const active = rules
    .map((rule) => ({ rule, sources: firing.filter((labels) => holds(rule.source, labels)) }))
    .filter(({ sources }) => sources.length > 0)
  if (active.length === 0) return () => null
  const listSources = (labels: Labels): Labels[] => {
    if (labels['inhibit'] === 'never') return []
    return active.flatMap(({ rule, sources }) => {
      if (!holds(rule.target, labels) || holds(rule.source, labels)) return []
      return sources.filter((candidate) =>
        rule.equal.every((name) => (candidate[name] ?? '') === (labels[name] ?? '')),
      )
    })
  }
  return (labels) => listSources(labels).find((source) => !isAbove(source, labels, listSources)) ?? null
}

/** Whether `target` in turn keeps `source` quiet, by itself or over others. */
function isAbove(source: Labels, target: Labels, listSources: (labels: Labels) => Labels[]): boolean {
  const wanted = canonicalJson(target)
  const seen = new Set<Labels>([source])
  // A set can be added to while it is walked.
  for (const labels of seen) {
    for (const above of listSources(labels)) {
      if (canonicalJson(above) === wanted) return true
      seen.add(above)
    }
  }
  return false
}

/** An expression that fails on these labels does not match them. */
function holds(predicate: (labels: Labels) => boolean, labels: Labels): boolean {
  try {
    return predicate(labels)
  } catch {
    return false
  }
}
