import type { Commit, ExplorerReads, ReadOptions } from './reads.ts'

export interface HeadsDeps {
  readonly reads: ExplorerReads
  readonly commit: Commit
  /** The highest main height known: by an earlier reading, or named by any record. Null when there is none. */
  knownMainHeight(): number | null
}

/** Reads both heads: the zone's from E5, the main chain's by galloping on E11 from the last known height. */
export function createHeadsPoll(deps: HeadsDeps): (signal: AbortSignal) => Promise<void> {
  let step = 1
  return async (signal) => {
    const options: ReadOptions = { priority: 'heads', signal }
    const [zone, main] = await Promise.allSettled([readZone(deps, options), readMain(deps, options, step)])
    if (main.status === 'fulfilled' && main.value !== null) step = Math.max(1, main.value)
    // Each half is committed by itself: one chain's trouble must not hide the other's head.
    if (zone.status === 'rejected') throw zone.reason
    if (main.status === 'rejected') throw main.reason
  }
}

async function readZone(deps: HeadsDeps, options: ReadOptions): Promise<void> {
  const head = await deps.reads.zoneHead(options)
  if (head) deps.commit({ heads: [{ ...head, chain: 'zone' }] })
}

/** @returns how far the head moved, as the next gallop's first step */
async function readMain(deps: HeadsDeps, options: ReadOptions, step: number): Promise<number | null> {
  const known = deps.knownMainHeight()
  if (known === null) return null
  const found = await gallop((height) => deps.reads.mainBlock(height, options), known, step)
  if (found) deps.commit({ heads: [{ ...found, chain: 'main' }] })
  return found ? found.height - known : null
}

type BlockAnswer = Awaited<ReturnType<ExplorerReads['mainBlock']>>

/**
 * The highest block from `known` on that can be read. The first step is a guess of the distance; from where it lands
 * steps double while blocks are there, and what lies between the last one there and the first one beyond is halved.
 * Without any (an answer may be only empty) the known block itself is asked for: when it answers, the head was read
 * and has not moved as far as can be seen.
 */
export async function gallop(
  read: (height: number) => Promise<BlockAnswer>,
  known: number,
  guess: number,
): Promise<Exclude<BlockAnswer, string> | null> {
  let best: Exclude<BlockAnswer, string> | null = null
  let low = known
  let high = Infinity
  for (let probe = known + guess, step = 1; high - low > 1; ) {
    const block = await read(probe)
    if (typeof block === 'string') high = probe
    else {
      best = block
      low = probe
    }
    if (high === Infinity) {
      probe = low + step
      step *= 2
    } else probe = low + Math.floor((high - low) / 2)
  }
  if (best) return best
  const block = await read(known)
  return typeof block === 'string' ? null : block
}
