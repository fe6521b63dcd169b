import { shippedFolder } from '../config/config.ts'
import type { Kinds } from './kinds.ts'
import type { LoadedRules } from './loadRules.ts'
import { readRuleFolder } from './readRuleFolder.ts'
import type { LoadedRule } from './types.ts'

/** The rules in force: those of a folder, and what the shipped ones add on sources and on the monitor itself. */
export async function readRules(folder: string, kinds: Kinds): Promise<LoadedRules> {
  const own = await readRuleFolder(folder, kinds)
  if (!own.ok || folder === shippedFolder) return own
  const shipped = await readRuleFolder(shippedFolder, kinds)
  return shipped.ok ? { ...own, rules: addGuardRules(own.rules, shipped.rules) } : shipped
}

/**
 * The operator's rules, and of the shipped ones those on sources and on the monitor itself whose kind no rule of the
 * operator names: who writes rules on transfers alone must still be alerted when nothing could be read. A rule of the
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
