import { canonicalJson } from './fingerprint.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Labels } from './routing.ts'

export interface InhibitRule {
  readonly source: (labels: Labels) => boolean
  readonly target: (labels: Labels) => boolean
  /** Labels that must be equal on both sides; a missing one is an empty one. */
  readonly equal: readonly string[]
}

/** Always in force, beside the configured ones: what the kinds say that they stop, and that they rest on. */
export function listInhibitions(kinds: Kinds): readonly InhibitRule[] {
  const kindOf = (labels: Labels) => kinds.find(labels['kind'] ?? '')
  const restsOn = (labels: Labels, what: 'source' | 'chain') =>
    kindOf(labels)?.restsOn?.includes(what) === true
  const isOutage = (labels: Labels) => kindOf(labels)?.stops === 'source'
  // Without the list nothing new is seen, whatever else answers.
  const isOfWhole = (labels: Labels) => isOutage(labels) && ['', 'E3'].includes(labels['endpoint'] ?? '')
  return [
    {
      // What is judged of transfers and chains rests on the explorer: another source's silence leaves it standing.
      source: (labels) => isOfWhole(labels) && (labels['source'] ?? 'explorer') === 'explorer',
      target: (labels) => restsOn(labels, 'source') && !('source' in labels),
      equal: [],
    },
    {
      source: isOfWhole,
      target: (labels) => restsOn(labels, 'source') && 'source' in labels,
      equal: ['source'],
    },
    {
      // One endpoint's silence explains what is said of its own answers, and nothing else.
      source: (labels) => isOutage(labels) && 'endpoint' in labels,
      target: (labels) => restsOn(labels, 'source') && 'endpoint' in labels,
      equal: ['source', 'endpoint'],
    },
    ...kinds.all.flatMap(({ kind, inhibits = [] }) =>
      inhibits.map((inhibited) => ({
        source: (labels: Labels) => labels['kind'] === kind,
        target: (labels: Labels) => labels['kind'] === inhibited,
        equal: ['source'],
      })),
    ),
    {
      source: (labels) => kindOf(labels)?.stops === 'chain',
      target: (labels) => restsOn(labels, 'chain'),
      equal: ['chain'],
    },
  ]
}

/**
 * Which firing alert inhibits an alert with these labels; null is none. An alert that matches both sides of a rule
 * inhibits neither itself nor its like; alerts that inhibit each other, over others too, are all sent. What carries
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

/** Whether `target` in turn inhibits `source`, by itself or over others. */
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
