import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Accusation } from '../../kernel/quorum.ts'
import { explorerWitness } from '../../kernel/sources/witnesses.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import type { Database } from '../../store/database.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import { createEvidenceReads } from './reads.ts'

/** That a leg is in no answer of one explorer, and how the others are asked of it. */
export function legAccusation(db: Database, leg: QueuedLeg, control: string | null): Accusation<Explorer> {
  const chain = leg.ask === 'zone' ? 'zone' : 'main'
  return {
    chain,
    what: 'transaction',
    about: leg.hash,
    says: 'nothing',
    async ask(client, signal) {
      const known = listHeads(db).find((head) => head.chain === chain)?.height ?? null
      const shown = await explorerWitness(client.host, client, chain).head(known, signal)
      if (shown === 'behind' || (shown?.time != null && shown.time < leg.time)) return null
      const reads = createEvidenceReads(client)
      const options = { priority: 'urgent', signal } as const
      const readOne = async (hash: string) => {
        if (leg.ask === 'zone') return reads.zoneLeg(hash, options)
        const logs = await reads.mainLogs(hash, options)
        if (logs.readings.length + logs.bad.length > 0) return logs
        return leg.ask === 'native' ? reads.nativeLeg(hash, options) : reads.mainLeg(hash, options)
      }
      // Whoever does not show what is known to be there cannot tell what is not.
      if (control === null || (await readOne(control)).readings.length === 0) return null
      const { readings, bad } = await readOne(leg.hash)
      if (bad.length > 0) return null
      return readings[0]?.status ?? 'nothing'
    },
  }
}
