import { join } from 'node:path'
import { addGuardRules } from './addGuardRules.ts'
import type { Kinds } from './kinds.ts'
import type { LoadedRules } from './loadRules.ts'
import { readRuleFolder } from './readRuleFolder.ts'

/** The rules that come with spanwatch, and their tests. */
export const shippedFolder = join(import.meta.dirname, '..', '..', 'rules')

/** The rules in force: those of a folder, and what the shipped ones add on sources and on the monitor itself. */
export async function readRules(folder: string, kinds: Kinds): Promise<LoadedRules> {
  const own = await readRuleFolder(folder, kinds)
  if (!own.ok || folder === shippedFolder) return own
  const shipped = await readRuleFolder(shippedFolder, kinds)
  return shipped.ok ? { ok: true, rules: addGuardRules(own.rules, shipped.rules) } : shipped
}
