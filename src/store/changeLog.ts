import { createHash } from 'node:crypto'
import { constants, type DatabaseSync, type Session } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { errorText, MonitorError } from '../lib/errors.ts'

/** What a node is to the ledger that it keeps: it writes it, or it copies what another writes. */
export type Role = 'holder' | 'follower'

/** The last change that is in a ledger. */
export interface Head {
  /** Counts changes from 1; 0 before the first. */
  readonly seq: number
  /** Of the change and all before it, 32 bytes; none before the first. */
  readonly hash: Uint8Array
}

/** What one commit changed, as an SQLite changeset in zstd. */
export interface Change extends Head {
  /** Of the lease under which it was made. */
  readonly epoch: number
  readonly previous: Uint8Array
  readonly body: Uint8Array
}

export interface ReplicaState extends Head {
  readonly role: Role
  readonly epoch: number
}

/** The changes of a ledger that is replicated; of one that is not, nothing. */
export interface ChangeLog {
  /** Null where nothing is replicated. */
  state(): ReplicaState | null
  /** From here on every commit is recorded (a holder), or refused (a follower); null: neither. */
  become(state: ReplicaState | null): void
  /** What is recorded and not acknowledged, oldest first, of about so many bytes, one at least. */
  listPending(after: number, bytes: number): Change[]
  /** Up to here others have it: it is forgotten with the next commit. */
  acknowledge(seq: number): void
  /**
   * Takes over what the holder committed, in one commit.
   * @throws MonitorError `replica.diverged` when it does not join what is here: nothing of it is taken then
   */
  apply(changes: readonly Change[]): void
}

/** What the commits of a connection call; the change is in the same transaction as what it describes. */
export interface Recorder {
  /** @throws MonitorError `replica.follower` */
  began(): void
  /** Before COMMIT. */
  sealing(): void
  ended(isCommitted: boolean): void
}

/** What is kept for others at most, bytes: beyond it a whole copy is the shorter way, and the disk is the monitor's own. */
const mostPendingBytes = 512 * 1024 * 1024

interface State {
  readonly connection: DatabaseSync
  readonly mostPending: number
  /** The bytes that are pending; null while that has to be summed up. */
  pending: number | null
  replica: ReplicaState | null
  session: Session | null
  /** What the transaction under way makes of the head. */
  next: ReplicaState | null
  acknowledged: number
  forgotten: number
  isForgetting: number
}

export function createChangeLog(
  connection: DatabaseSync,
  mostPending = mostPendingBytes,
): ChangeLog & { readonly recorder: Recorder } {
  const state: State = {
    connection,
    mostPending,
    pending: null,
    replica: readReplica(connection),
    session: null,
    next: null,
    acknowledged: 0,
    forgotten: 0,
    isForgetting: 0,
  }
  return {
    state: () => state.replica,
    become(replica) {
      connection.exec('BEGIN IMMEDIATE')
      try {
        connection.exec('DELETE FROM replica_head')
        if (replica === null) connection.exec('DELETE FROM replica_changes')
        else writeReplica(connection, replica)
        connection.exec('COMMIT')
      } catch (error) {
        connection.exec('ROLLBACK')
        throw error
      }
      state.replica = replica
      state.pending = null
    },
    listPending: (after, bytes) => listPending(connection, after, bytes),
    acknowledge(seq) {
      state.acknowledged = Math.max(state.acknowledged, seq)
    },
    apply: (changes) => apply(state, changes),
    recorder: {
      began: () => began(state),
      sealing: () => seal(state),
      ended(isCommitted) {
        state.session?.close()
        state.session = null
        if (isCommitted && state.next !== null) state.replica = state.next
        if (isCommitted) state.forgotten = Math.max(state.forgotten, state.isForgetting)
        else state.pending = null
        state.next = null
      },
    },
  }
}

export function followsAnother(): MonitorError {
  return new MonitorError(
    'replica.follower',
    'This node follows another one, which alone may change the ledger: ask that one (spanwatch replicas status says which it is).',
  )
}

function began(state: State): void {
  if (state.replica === null) return
  if (state.replica.role === 'follower') throw followsAnother()
  if (state.acknowledged > state.forgotten) {
    forget(state, state.acknowledged)
    state.isForgetting = state.acknowledged
  }
  state.session = state.connection.createSession()
}

function seal(state: State): void {
  const { connection, replica, session } = state
  if (replica === null || session === null) return
  const changeset = session.changeset()
  session.close()
  state.session = null
  if (changeset.length === 0) return
  const body = zstdCompressSync(changeset)
  const { epoch, seq, hash: previous } = replica
  const hash = hashOf(previous, body)
  connection
    .prepare('INSERT INTO replica_changes (rowid, epoch, previous, hash, body) VALUES (?, ?, ?, ?, ?)')
    .run(seq + 1, epoch, previous, hash, body)
  const pending = state.pending === null ? sumPending(connection) : state.pending + body.length
  state.pending = pending
  if (pending > state.mostPending) forgetOldest(state)
  connection.prepare('UPDATE replica_head SET seq = ?, hash = ?').run(seq + 1, hash)
  state.next = { ...replica, seq: seq + 1, hash }
}

function sumPending(connection: DatabaseSync): number {
  const row = connection.prepare('SELECT coalesce(sum(length(body)), 0) AS bytes FROM replica_changes').get()
  return Number(row?.['bytes'])
}

function forget(state: State, seq: number): void {
  const sql = 'DELETE FROM replica_changes WHERE rowid <= ? RETURNING length(body) AS bytes'
  for (const { bytes } of state.connection.prepare(sql).all(seq))
    if (state.pending !== null) state.pending -= Number(bytes)
}

/** A change more, and as much of the oldest less; once others can be reached what is left does not follow what they have. */
function forgetOldest(state: State): void {
  const oldest = state.connection.prepare('SELECT min(rowid) AS seq FROM replica_changes')
  while (state.pending !== null && state.pending > state.mostPending)
    forget(state, Number(oldest.get()?.['seq']))
}

function apply(state: State, changes: readonly Change[]): void {
  const { connection, replica } = state
  if (replica === null || changes.length === 0) return
  let head = replica
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (const change of changes) {
      assertJoins(head, change)
      const isApplied = connection.applyChangeset(readChangeset(change), {
        onConflict: () => constants.SQLITE_CHANGESET_ABORT,
      })
      if (!isApplied) throw diverged(`change ${change.seq} does not fit what this ledger holds`)
      head = { ...head, seq: change.seq, hash: change.hash, epoch: change.epoch }
    }
    connection
      .prepare('UPDATE replica_head SET epoch = ?, seq = ?, hash = ?')
      .run(head.epoch, head.seq, head.hash)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
  state.replica = head
}

/** A commit of more than this is none of ours, bytes. */
const longestChange = 512 * 1024 * 1024

/** What a change holds. @throws MonitorError `replica.diverged` where it cannot be unpacked, or is larger than any of ours */
export function readChangeset({ seq, body }: Pick<Change, 'seq' | 'body'>): Uint8Array {
  try {
    return zstdDecompressSync(body, { maxOutputLength: longestChange })
  } catch (error) {
    throw diverged(`change ${seq} cannot be unpacked (${errorText(error)})`)
  }
}

function assertJoins(head: Head, { seq, previous, hash, body }: Change): void {
  if (seq !== head.seq + 1) throw diverged(`expected change ${head.seq + 1}, got ${seq}`)
  if (!isSameHash(previous, head.hash))
    throw diverged(`change ${seq} follows another one than ${head.seq} here`)
  if (!isSameHash(hashOf(previous, body), hash)) throw diverged(`the checksum of change ${seq} is wrong`)
}

function diverged(problem: string): MonitorError {
  return new MonitorError(
    'replica.diverged',
    `This ledger is not the same as the holder's: ${problem}. It is built anew from a snapshot.`,
  )
}

function hashOf(previous: Uint8Array, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(previous).update(body).digest()
}

export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

function readReplica(connection: DatabaseSync): ReplicaState | null {
  const row = connection.prepare('SELECT role, epoch, seq, hash FROM replica_head').get()
  if (row === undefined) return null
  const { role, epoch, seq, hash } = row
  if ((role !== 'holder' && role !== 'follower') || !(hash instanceof Uint8Array))
    throw new MonitorError('state.invalid', 'replica_head holds what spanwatch never writes there.')
  return { role, epoch: Number(epoch), seq: Number(seq), hash }
}

function writeReplica(connection: DatabaseSync, { role, epoch, seq, hash }: ReplicaState): void {
  connection
    .prepare('INSERT INTO replica_head (role, epoch, seq, hash) VALUES (?, ?, ?, ?)')
    .run(role, epoch, seq, hash)
}

function listPending(connection: DatabaseSync, after: number, bytes: number): Change[] {
  const rows = connection
    .prepare(
      'SELECT rowid AS seq, epoch, previous, hash, body FROM replica_changes WHERE rowid > ? ORDER BY rowid LIMIT 1000',
    )
    .iterate(after)
  const pending: Change[] = []
  let left = bytes
  for (const { seq, epoch, previous, hash, body } of rows) {
    // Written by `seal` alone, into a table with these types.
    const change = { seq: Number(seq), epoch: Number(epoch), previous, hash, body } as Change
    if (pending.length > 0 && change.body.length > left) break
    pending.push(change)
    left -= change.body.length
  }
  return pending
}
