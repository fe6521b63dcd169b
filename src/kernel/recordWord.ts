import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { readRecentMainHash } from '../ledger/deriving/newestOrigin.ts'
import { isClean } from './reads/hiddenRows.ts'
import type { Kernel } from './kernel.ts'
import type { Accusation } from './quorum.ts'
import { createExplorerReads } from './reads/reads.ts'

/** That one explorer's list has no record of a main transaction, or so many and not one more; how others are asked of it. */
export function recordAccusation(
  of: Pick<Kernel, 'blockListeners' | 'clock' | 'db' | 'ledger'>,
  mainHash: string,
  count = 0,
): Accusation<Explorer> {
  return {
    chain: 'main',
    what: 'record',
    about: mainHash,
    says: say(count),
    async ask(explorer, signal) {
      const reads = createExplorerReads({ ...of, explorer })
      const options = { priority: 'urgent', signal } as const
      const control = readRecentMainHash(of.db)
      if (control === null) return null
      // Whoever does not show what is known to be there cannot tell what is not.
      const known = await reads.feedByHash(control, options)
      if (!known.records.some((record) => record.mainHash === control)) return null
      const read = await reads.feedByHash(mainHash, options)
      if (!isClean(read)) return null
      return say(read.records.filter((record) => record.mainHash === mainHash).length)
    },
  }
}

/** That one explorer shows no record of a zone transaction any more, while it shows another one. */
export function detailAccusation(
  of: Pick<Kernel, 'blockListeners' | 'clock' | 'ledger'>,
  zoneHash: string,
  control: string,
): Accusation<Explorer> {
  return {
    chain: 'zone',
    what: 'record',
    about: zoneHash,
    says: say(0),
    async ask(explorer, signal) {
      const reads = createExplorerReads({ ...of, explorer })
      const read = await reads.details([zoneHash, control], { priority: 'urgent', signal })
      const count = (hash: string) => read.records.filter((record) => record.zoneHash === hash).length
      if (!isClean(read) || count(control) === 0) return null
      return say(count(zoneHash))
    },
  }
}

function say(count: number): string {
  return count === 0 ? 'no record' : `${count} ${count === 1 ? 'record' : 'records'}`
}
