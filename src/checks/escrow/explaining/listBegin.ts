import type { Kernel } from '../../../kernel/kernel.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { readMetaNumber, saveMeta } from '../../../store/meta.ts'
import { lackOfList } from '../flows/judgeFlow.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { wakeUnlisted } from '../flows/flowStore.ts'
import { type EscrowWatch, shareOf } from '../watched/watch.ts'
import type { Verdict } from './explain.ts'

type Listing = Pick<Kernel, 'commit' | 'cursors' | 'db' | 'firstStartAt' | 'tellSince'>

/** A transfer may have its record as much before what it moves. */
const recordBeforeMs = 600_000
/** What is so large a share of what the escrows hold is asked for by its hash, however old: the filter may reach further than the list. */
const largeShare = 0.01

/**
 * Before when no record of a movement can be expected: the list does not reach back as far as was asked for, be it that it
 * holds the newest records alone, or none of before it was kept. What moved since the first start always had to be shown.
 */
export function listBeginsAt({
  cursors,
  firstStartAt,
  tellSince,
}: Pick<Listing, 'cursors' | 'firstStartAt' | 'tellSince'>): UnixMs {
  const { oldestAt } = cursors.read().history
  return oldestAt === null || oldestAt <= tellSince ? 0 : Math.min(oldestAt + recordBeforeMs, firstStartAt)
}

const listBeginName = 'escrow_list_begin'

/** The list shows older records than before: what moved since these is judged now. */
export function noteListBegin(of: Listing): void {
  if (!of.cursors.read().history.done) return
  const beginsAt = listBeginsAt(of)
  const known = readMetaNumber(of.db, listBeginName)
  if (known === beginsAt) return
  of.commit({
    mayWait: 'without-news',
    apply: (now) => {
      saveMeta(of.db, listBeginName, String(beginsAt))
      if (known !== null && beginsAt < known) wakeUnlisted(of.db, now)
      return []
    },
  })
}

function isLarge(watch: EscrowWatch, { token, outward }: StoredFlow): boolean {
  // As it is now: how much the escrows hold may have been read since.
  return Math.abs(shareOf(watch, token, outward) ?? 0) >= largeShare
}

/**
 * Of what left before the list begins nobody says what for, unless it is so much that it is asked for; that something came
 * in is no loss, however much.
 */
export function asUnlisted(watch: EscrowWatch, flow: StoredFlow, verdict: Verdict): Verdict {
  if (verdict.kind !== 'unexplained') return verdict
  if (verdict.direction === 'in') return { kind: 'explained', isProven: true }
  return isLarge(watch, flow) ? verdict : { kind: 'unjudged', lacks: lackOfList }
}
