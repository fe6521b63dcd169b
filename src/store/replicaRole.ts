import type { Database } from './database.ts'

/** A holder with the epoch of its lease, a follower, or whatever the ledger says: for a command beside the daemon. */
export type ReplicaRole =
  | { readonly role: 'holder'; readonly epoch: number }
  | { readonly role: 'follower' }
  | { readonly role: 'as it was' }

/** @returns `over` where this node wrote nothing before and does from now on */
export function takeRole(db: Database, wanted: ReplicaRole | null): 'alone' | 'holder' | 'follower' | 'over' {
  const { changes } = db
  const before = changes.state()
  if (wanted === null) {
    if (before !== null) changes.become(null)
    return 'alone'
  }
  if (wanted.role === 'as it was') return before?.role ?? 'alone'
  const { epoch, seq, hash } = before ?? { seq: 0, hash: new Uint8Array(), epoch: 0 }
  if (wanted.role === 'follower') {
    changes.become({ role: 'follower', epoch, seq, hash })
    return 'follower'
  }
  changes.become({ role: 'holder', epoch: wanted.epoch, seq, hash })
  if (wanted.epoch !== epoch) beginNumbers(db, wanted.epoch)
  return before?.role === 'follower' ? 'over' : 'holder'
}

/** Numbers of one epoch: deliveries of two nodes that both watch for a while must not get the same, by which receivers drop repeats. */
const numbersOfEpoch = 1_000_000_000

function beginNumbers(db: Database, epoch: number): void {
  const from = epoch * numbersOfEpoch
  db.transaction(() => {
    const { changes } = db
      .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'deliveries'")
      .run(from)
    if (changes === 0)
      db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('deliveries', ?)").run(from)
  })
}
