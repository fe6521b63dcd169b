import type { LoadedRule } from './types.ts'

/**
 * The operator's rules, and of the shipped ones those on sources and on the monitor itself whose kind no rule of the
 * operator names: who writes rules on transfers alone must still hear that nothing could be read. A rule of the
 * operator's own for such a kind replaces what is shipped for it.
 */
export function addGuardRules(
  own: readonly LoadedRule[],
  shipped: readonly LoadedRule[],
): readonly LoadedRule[] {
  const kinds = new Set(own.map(({ kind }) => kind))
  const names = new Set(own.map(({ name }) => name))
  const guards = shipped.filter(({ kind, detector }) => detector.isGuard && !kinds.has(kind))
  // Names are part of an alert's identity and have to be unique.
  return [
    ...own,
    ...guards.map((rule) => (names.has(rule.name) ? { ...rule, name: `shipped.${rule.name}` } : rule)),
  ]
}
