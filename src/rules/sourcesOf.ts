import type { FindingKind } from '../bridge/finding.ts'

/** The sources that a kind is judged by: while one of them is silent nothing is known of the present. */
export function sourcesOf(kind: FindingKind): readonly string[] {
  // What the monitor knows of itself and of its sources needs no source.
  if (/^(monitor|source)\./.test(kind) && kind !== 'source.disagreement') return []
  if (kind === 'source.disagreement') return ['explorer', 'canonical']
  return kind.startsWith('preconf.') ? ['preconf'] : ['explorer']
}
