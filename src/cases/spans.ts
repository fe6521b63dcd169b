import type { UnixMs } from '../lib/clock.ts'

/** A stretch of time in which one cause goes on, with the case that it belongs to. Both ends are included. */
export interface Span {
  readonly from: UnixMs
  readonly until: UnixMs
  readonly caseId: number
}

/** From when to when something is known to have been. */
export type Stretch = Pick<Span, 'from' | 'until'>

/**
 * Puts a stretch among the spans of one key: what it touches becomes one span with it. Whatever the order in which
 * stretches come, the spans are the same, because a gap is measured between the edges of what is joined already, and
 * what lies inside of it is nearer still.
 * @param spans those of the key that may be near
 */
export function joinSpans(
  spans: readonly Span[],
  stretch: Stretch,
  gapMs: number,
): { readonly hull: Stretch; readonly touched: readonly Span[] } {
  const touched = spans.filter(
    ({ from, until }) => from <= stretch.until + gapMs && until >= stretch.from - gapMs,
  )
  return {
    touched,
    hull: {
      from: Math.min(stretch.from, ...touched.map(({ from }) => from)),
      until: Math.max(stretch.until, ...touched.map(({ until }) => until)),
    },
  }
}
