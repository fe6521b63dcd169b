import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/database.ts'
import { listRows } from './listRows.ts'
import type { Node, ReplicaWorld } from './replicaWorld.ts'

/**
 * Stops the holder's clock for a moment and sets the ledgers of all nodes beside each other, row by row, once they are at the
 * same change. @returns tables that differ, by node; empty when all are the same
 */
export async function compareNodes(world: ReplicaWorld): Promise<string[]> {
  const holder = world.holder()
  if (holder?.program == null) return ['nobody holds the lease']
  const others = world.nodes.filter((node) => node !== holder && node.program?.isRunning())
  for (let left = 20; left > 0; left -= 1) {
    process.kill(holder.program.pid, 'SIGSTOP')
    try {
      // A follower looks four times a second.
      await pause(1_200)
      const seqs = [holder, ...others].map((node) => read(node, (db) => db.changes.state()?.seq ?? -1))
      if (seqs.every((seq) => seq === seqs[0]) && (seqs[0] ?? -1) > 0) {
        const rows = read(holder, listRows)
        return others.flatMap((node) => {
          const its = read(node, listRows)
          return Object.keys(rows).flatMap((table) =>
            JSON.stringify(its[table], replacer) === JSON.stringify(rows[table], replacer)
              ? []
              : [`${node.name}: ${table}`],
          )
        })
      }
    } finally {
      process.kill(holder.program.pid, 'SIGCONT')
    }
    await pause(500 + Math.random() * 500)
  }
  return ['the nodes are never at the same change']
}

const replacer = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value

function read<T>(node: Node, work: (db: ReturnType<typeof openDatabase>) => T): T {
  const db = openDatabase(join(node.project.folder, 'state/ledger.sqlite'), { readOnly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}
