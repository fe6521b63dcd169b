import type { UnixMs } from '../../lib/clock.ts'
import { type TrackedHead, trackHeight } from '../../kernel/heads/trackHead.ts'

/** How preconfirmations have been coming, as far as they could be asked for. Times are ours. */
export interface PreconfView {
  readonly startedAt: UnixMs
  /** Request time of the newest good answer, and of the first of those that came without a longer pause. */
  readonly readAt: UnixMs | null
  readonly readSince: UnixMs | null
  /** The block being made; null while none was ever shown. */
  readonly pending: TrackedHead | null
  /** Since when every answer has said that nothing is preconfirmed; null when the newest one did not. */
  readonly nullSince: UnixMs | null
  /** The newest complete block by the same node, which may be ahead of the canonical chain. */
  readonly latest: TrackedHead | null
}

export function emptyView(startedAt: UnixMs): PreconfView {
  return { startedAt, readAt: null, readSince: null, pending: null, nullSince: null, latest: null }
}

/** After how long without a good answer what stood before is not known to have stood all the while. */
const pauseMs = 5_000

/** Adds one good answer, in the order in which they were asked for: one that comes late says nothing about the present any more. */
export function addAnswer(
  view: PreconfView,
  answer: {
    readonly requestedAt: UnixMs
    readonly pending: { readonly height: number } | null
    readonly latest: { readonly height: number } | null
  },
  intervalMs: number,
): PreconfView {
  const { requestedAt: at } = answer
  const isPaused = view.readAt === null || at - view.readAt > Math.max(pauseMs, 3 * intervalMs)
  return {
    startedAt: view.startedAt,
    readAt: at,
    readSince: isPaused ? at : view.readSince,
    pending: answer.pending ? trackHeight(view.pending, answer.pending.height, at) : view.pending,
    nullSince: answer.pending ? null : (view.nullSince ?? at),
    latest: answer.latest ? trackHeight(view.latest, answer.latest.height, at) : view.latest,
  }
}
