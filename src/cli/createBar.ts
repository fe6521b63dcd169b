import { formatDuration } from '../lib/duration.ts'
import type { Io } from './io.ts'

export interface Advance {
  /** From 0 to 1; null while nobody knows how much there is. */
  readonly share: number | null
  /** How many are done, of what `unit` names. */
  readonly count: number
  /** Where it is, such as the time that it has come back to. */
  readonly place?: string
}

export interface Bar {
  show(advance: Advance): void
  end(): void
}

/** Seldom enough to be read, and to cost nothing beside the work. */
const everyMs = 100
const barWidth = 24
/** Before that a rate is chance. */
const rateAfterMs = 1_000

/** Between lines in a pipe. */
const lineEveryMs = 10_000

/** A bar on a terminal; in a pipe a line now and then. */
export function createProgress(io: Pick<Io, 'clock' | 'status' | 'errScreen' | 'err'>, unit: string): Bar {
  const bar = createBar(io, unit)
  if (bar !== null) return bar
  const startedAt = io.clock.monotonicMs()
  let first: Advance | null = null
  let toldAt = startedAt
  return {
    show(advance) {
      const now = io.clock.monotonicMs()
      first ??= advance
      if (now - toldAt < lineEveryMs) return
      toldAt = now
      const line = formatAdvance(advance, { first, unit, tookMs: now - startedAt })
      io.err(`${line.replace(/^[█░ ]+/, '')}\n`)
    },
    end: () => undefined,
  }
}

/**
 * Progress on a terminal, on one line of standard error: a bar, the share, how many, how fast, and how long it will still
 * take. In a pipe there is none: whoever wants a line there now and then writes it.
 */
export function createBar(io: Pick<Io, 'clock' | 'status' | 'errScreen'>, unit: string): Bar | null {
  const { errScreen, clock } = io
  if (!errScreen?.isTerminal) return null
  const startedAt = clock.monotonicMs()
  let first: Advance | null = null
  let shownAt = -Infinity
  return {
    show(advance) {
      const now = clock.monotonicMs()
      first ??= advance
      if (now - shownAt < everyMs) return
      shownAt = now
      const line = formatAdvance(advance, { first, unit, tookMs: now - startedAt })
      // The last column stays free: some terminals begin a new line behind it.
      io.status(line.slice(0, errScreen.width() - 1))
    },
    end: () => io.status(''),
  }
}

/**
 * @param of what was done before this began is no part of how fast it is
 * @example formatAdvance({ share: 0.5, count: 200 }, …) // '████████████░░░░░░░░░░░░  50%  200 records, 20/s, 10s left'
 */
export function formatAdvance(
  { share, count, place }: Advance,
  of: { readonly first: Advance; readonly unit: string; readonly tookMs: number },
): string {
  const { first, unit, tookMs } = of
  const known = share === null ? null : Math.min(1, Math.max(0, share))
  const isEarly = tookMs < rateAfterMs
  const rate = ((count - first.count) * 1_000) / tookMs
  const passed = known === null ? 0 : known - (first.share ?? 0)
  const leftS = known === null || passed <= 0 ? 0 : Math.round(((1 - known) * tookMs) / passed / 1_000)
  const about = [
    `${count.toLocaleString('en')} ${unit}`,
    ...(isEarly || rate <= 0 ? [] : [`${formatRate(rate)}/s`]),
    ...(isEarly || leftS === 0 ? [] : [`${formatDuration(leftS * 1_000)} left`]),
    ...(place === undefined ? [] : [place]),
  ]
  return `${known === null ? '' : drawBar(known)}${about.join(', ')}`
}

function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')
}

function drawBar(share: number): string {
  const full = Math.floor(share * barWidth)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${percent}  `
}
