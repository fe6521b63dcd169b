import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Room kept back on the state's disk, for the moment when it is full. */
export interface Ballast {
  /** Takes the room, if it is not held and there is enough. @returns whether it is held now */
  hold(): boolean
  /** Gives the room away, so that what matters most can still be saved. @returns whether there was any */
  free(): boolean
}

/** Enough for hours of acknowledgements and alerts. */
const ballastBytes = 8 * 1024 * 1024

/** Of a small disk no more than this: the reserve must not be what fills it. */
const shareOfDisk = 1 / 10

/** Less than this is no reserve. */
const leastBytes = 512 * 1024

const chunkBytes = 1024 * 1024

/** A file of zeros, written out in full: a file with holes would hold no room. */
export function createBallast(path: string, bytes?: number): Ballast {
  return {
    hold() {
      if (existsSync(path)) return true
      try {
        fill(path, bytes ?? chooseSize(dirname(path)))
        return true
      } catch {
        rmSync(path, { force: true })
        return false
      }
    },
    free() {
      const isThere = existsSync(path)
      rmSync(path, { force: true })
      return isThere
    },
  }
}

function chooseSize(folder: string): number {
  const { blocks, bsize } = statfsSync(folder)
  return Math.min(ballastBytes, Math.max(leastBytes, Math.floor(blocks * bsize * shareOfDisk)))
}

/** What a disk has left for us beside the reserve, whether that is held or was given away. */
export function readSpareBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  const isHeld = existsSync(join(folder, 'ballast'))
  return bavail * bsize - (isHeld ? 0 : chooseSize(folder))
}

/** Whether the disk takes so many bytes now: where it says so, found out by writing them. */
export function takesBytes(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < bytes) return false
  const probe = createBallast(join(folder, 'room'), bytes)
  try {
    // One that a killed process left proves nothing.
    probe.free()
    return probe.hold()
  } finally {
    probe.free()
  }
}

function fill(path: string, bytes: number): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    const chunk = Buffer.alloc(Math.min(chunkBytes, bytes))
    for (let written = 0; written < bytes; ) {
      written += writeSync(file, chunk, 0, Math.min(chunk.length, bytes - written))
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether an error says that the disk is full, be it SQLite's word for it or the system's. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as Error & { errcode?: number; code?: string }
  const sqliteFull = 13
  // SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not be made larger.
  const noRoomForIndex = 4_874
  return errcode === sqliteFull || errcode === noRoomForIndex || code === 'ENOSPC' || code === 'EDQUOT'
}
