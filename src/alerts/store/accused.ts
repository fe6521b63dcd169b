import type { Finding } from '../../bridge/finding.ts'
import type { Database } from '../../store/database.ts'
import { text } from '../../store/table.ts'
import { decodeFinding } from '../findingJson.ts'

const accusingKinds: ReadonlySet<string> = new Set([
  'transfer.unbacked',
  'transfer.mismatch',
  'transfer.duplicate',
  'transfer.rewritten',
  'batch.mismatch',
  'source.disagreement',
])

/** Whether a transfer that this is told of is no example of how the bridge works. What is but new may become usual. */
export function accuses({ kind, facts }: Pick<Finding, 'kind' | 'facts'>): boolean {
  return accusingKinds.has(kind) && facts['reason'] !== 'doubtful'
}

/** Whether something was told of a transfer, or of one that was joined into it. */
export function isAccused(db: Database, key: string): boolean {
  return text
    .all(db, 'SELECT finding FROM alerts WHERE transfer_key = ?', key)
    .some((finding) => accuses(decodeFinding(finding)))
}
