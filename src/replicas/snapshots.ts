import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { ReplicaState } from '../store/changeLog.ts'
import type { Connections } from './connect.ts'
import type { Query } from './connect.ts'
import { leaseMs } from './leaseTime.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** A part of the file, bytes: one row, and what is in memory at once. */
const pieceBytes = 1024 * 1024
/** Without it another byte in a piece would be another byte in a ledger. */
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** So many rows in one statement: it is far below how long one may take. */
const changesAtOnce = 5_000
const piecesAtOnce = 50

/** A whole ledger as it was after a change. */
export interface Snapshot {
  readonly id: number
  readonly seq: number
  readonly hash: Uint8Array
  readonly epoch: number
  readonly ledgerVersion: number
  readonly pieces: number
  readonly bytes: number
}

/**
 * Puts a copy of the ledger, piece by piece, where followers find it, and the bridge's head where the copy is if it was
 * elsewhere. It is there for others with the last statement, or not at all.
 * @param path a copy that nobody writes to
 * @returns false when another node took the lease: nothing of it is there then
 */
export async function publishSnapshot(
  connections: Connections,
  of: {
    readonly bridge: string
    readonly path: string
    readonly state: ReplicaState
    readonly ledgerVersion: number
    readonly signal: AbortSignal
  },
): Promise<boolean> {
  const { bridge, path, state, ledgerVersion } = of
  const id = await nextId(connections.query, bridge)
  await dropPieces(connections.query, bridge, of.signal)
  const file = await open(path)
  let pieces = 0
  let bytes = 0
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: pieceBytes })) {
      of.signal.throwIfAborted()
      const body = await compress(chunk, withChecksum)
      await connections.query(
        'INSERT INTO spanwatch.snapshot_pieces (bridge, snapshot, piece, body) VALUES ($1, $2, $3, $4)',
        [bridge, id, pieces, body],
      )
      pieces += 1
      bytes += body.length
    }
  } finally {
    await file.close()
  }
  return await connections.transaction(async (query) => {
    const held = await query(
      `UPDATE spanwatch.leases SET head_seq = $3, head_hash = $4, until = clock_timestamp() + interval '${leaseMs} ms'
       WHERE bridge = $1 AND epoch = $2 AND head_seq <= $3 RETURNING 1`,
      [bridge, state.epoch, state.seq, Buffer.from(state.hash)],
    )
    // Changes went on meanwhile: the head is where they are. Of another line it is set by a copy that is ahead.
    if (held.length === 0 && !(await holdsLine(query, of))) return false
    await query(
      `INSERT INTO spanwatch.snapshots (bridge, id, seq, hash, epoch, ledger_version, pieces, bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [bridge, id, state.seq, Buffer.from(state.hash), state.epoch, ledgerVersion, pieces, bytes],
    )
    return true
  })
}

/** Whether the epoch is in force, and the copy is one of the changes that are there. */
async function holdsLine(
  query: Query,
  { bridge, state }: { readonly bridge: string; readonly state: ReplicaState },
): Promise<boolean> {
  const rows = await query(
    `SELECT 1 FROM spanwatch.leases l JOIN spanwatch.changes c ON c.bridge = l.bridge AND c.seq = $3 AND c.hash = $4
     WHERE l.bridge = $1 AND l.epoch = $2 FOR SHARE OF l`,
    [bridge, state.epoch, state.seq, Buffer.from(state.hash)],
  )
  return rows.length > 0
}

async function nextId(query: Query, bridge: string): Promise<number> {
  const [row] = await query<{ id: string }>(
    `SELECT 1 + greatest(
       (SELECT coalesce(max(id), 0) FROM spanwatch.snapshots WHERE bridge = $1),
       (SELECT coalesce(max(snapshot), 0) FROM spanwatch.snapshot_pieces WHERE bridge = $1)) AS id`,
    [bridge],
  )
  return Number(row?.id ?? 1)
}

/**
 * Takes away what the newest snapshot makes needless, in small steps beside the lease, whose row must not wait for it: the
 * newest two stay, and the changes since the older, so that whoever is a little behind need not begin anew.
 */
export async function pruneSnapshots(query: Query, bridge: string, signal: AbortSignal): Promise<void> {
  const kept = '(SELECT id, seq FROM spanwatch.snapshots WHERE bridge = $1 ORDER BY id DESC LIMIT 2)'
  await query(`DELETE FROM spanwatch.snapshots WHERE bridge = $1 AND id < (SELECT min(id) FROM ${kept} k)`, [
    bridge,
  ])
  await dropPieces(query, bridge, signal)
  await repeat(changesAtOnce, signal, () =>
    query(
      `DELETE FROM spanwatch.changes WHERE bridge = $1 AND seq <= least((SELECT min(seq) FROM ${kept} k),
         (SELECT seq FROM spanwatch.changes WHERE bridge = $1 ORDER BY seq OFFSET ${changesAtOnce - 1} LIMIT 1)) RETURNING 1`,
      [bridge],
    ),
  )
}

/** Those of no snapshot: of one that is needless, or that was cut off. */
async function dropPieces(query: Query, bridge: string, signal: AbortSignal): Promise<void> {
  await repeat(piecesAtOnce, signal, () =>
    query(
      `DELETE FROM spanwatch.snapshot_pieces WHERE bridge = $1 AND (snapshot, piece) IN (
         SELECT snapshot, piece FROM spanwatch.snapshot_pieces
         WHERE bridge = $1 AND snapshot NOT IN (SELECT id FROM spanwatch.snapshots WHERE bridge = $1)
         LIMIT ${piecesAtOnce}) RETURNING 1`,
      [bridge],
    ),
  )
}

async function repeat(
  atOnce: number,
  signal: AbortSignal,
  drop: () => Promise<readonly unknown[]>,
): Promise<void> {
  while (!signal.aborted) if ((await drop()).length < atOnce) return
}

interface SnapshotRow {
  readonly id: string
  readonly seq: string
  readonly hash: Buffer
  readonly epoch: string
  readonly ledger_version: number
  readonly pieces: number
  readonly bytes: string
}

/** The newest; null before the first. */
export async function readSnapshot(query: Query, bridge: string): Promise<Snapshot | null> {
  const [row] = await query<SnapshotRow>(
    `SELECT id, seq, hash, epoch, ledger_version, pieces, bytes FROM spanwatch.snapshots
     WHERE bridge = $1 ORDER BY id DESC LIMIT 1`,
    [bridge],
  )
  if (row === undefined) return null
  return {
    id: Number(row.id),
    seq: Number(row.seq),
    hash: row.hash,
    epoch: Number(row.epoch),
    ledgerVersion: row.ledger_version,
    pieces: row.pieces,
    bytes: Number(row.bytes),
  }
}

/**
 * Writes the ledger of a snapshot into a file.
 * @throws MonitorError when a piece is gone: a newer one is there then; `replica.diverged` when one is damaged; what the disk says
 */
export async function fetchSnapshot(
  query: Query,
  of: {
    readonly bridge: string
    readonly snapshot: Snapshot
    readonly path: string
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { bridge, snapshot, path, signal } = of
  const file = await open(path, 'w', 0o600)
  try {
    for (let piece = 0; piece < snapshot.pieces; piece += 1) {
      signal.throwIfAborted()
      const [row] = await query<{ body: Buffer }>(
        'SELECT body FROM spanwatch.snapshot_pieces WHERE bridge = $1 AND snapshot = $2 AND piece = $3',
        [bridge, snapshot.id, piece],
      )
      if (row === undefined)
        throw new MonitorError(
          'replica.unreachable',
          `Piece ${piece} of snapshot ${snapshot.id} is gone: a newer one took its place. It is tried again.`,
          { retryable: true },
        )
      await file.writeFile(await unpackPiece(row.body))
    }
  } finally {
    await file.close()
  }
}

async function unpackPiece(body: Buffer): Promise<Buffer> {
  try {
    return await decompress(body, { maxOutputLength: pieceBytes })
  } catch (error) {
    throw new MonitorError('replica.diverged', `A piece of a snapshot cannot be read: ${errorText(error)}`)
  }
}
