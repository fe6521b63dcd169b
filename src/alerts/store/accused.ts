import type { Finding } from '../../bridge/finding.ts'
import type { Kinds } from '../../rules/kinds.ts'
import type { Database } from '../../store/database.ts'
import { keptFinding } from '../findingJson.ts'
import { alertTable } from './alertRows.ts'

/** Whether a transfer that this is said of is no example of how the bridge works. */
export function accuses(kinds: Kinds, { kind, facts }: Pick<Finding, 'kind' | 'facts'>): boolean {
  return kinds.find(kind)?.accuses?.(facts) ?? false
}

/** Whether a finding accuses a transfer, or one that was joined into it. */
export function isAccused(
  { db, kinds }: { readonly db: Database; readonly kinds: Kinds },
  key: string,
): boolean {
  return alertTable
    .all(db, 'SELECT * FROM alerts WHERE transfer_key = ?', key)
    .some((alert) => accuses(kinds, keptFinding(alert)))
}
