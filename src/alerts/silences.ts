import type { UnixMs } from '../lib/clock.ts'
import { cleanText } from '../lib/text.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import { compileMatchers, formatMatcher, type Matcher, parseMatcher } from './matchers.ts'
import type { Labels } from './routing.ts'

/** As somebody asks for it; times in UnixMs. */
export interface SilenceInput {
  readonly matchers: readonly string[]
  /** Null is now. */
  readonly startsAt: UnixMs | null
  readonly endsAt: UnixMs
  readonly author: string
  readonly comment: string
}

/** A silence as it is shown: with why it is set aside, null when it is not. */
export interface ShownSilence extends SilenceRow {
  readonly problem: string | null
}

export type CheckedSilence =
  | { readonly ok: true; readonly silence: Omit<SilenceRow, 'id' | 'expiredAt'> }
  | { readonly ok: false; readonly problems: readonly string[] }

const mostMatchers = 20

/** Refuses what would silence nothing, everything, or for no time that anybody could mean. */
export function checkSilence(input: SilenceInput, now: UnixMs): CheckedSilence {
  const parsed = input.matchers.slice(0, mostMatchers).map(parseMatcher)
  const matchers = parsed.flatMap((one) => (one.ok ? [one.matcher] : []))
  const startsAt = input.startsAt ?? now
  const [author, comment] = [cleanText(input.author, 100).trim(), cleanText(input.comment, 500).trim()]
  const problems = [
    ...parsed.flatMap((one) => (one.ok ? [] : [one.problem])),
    ...(input.matchers.length > mostMatchers ? [`expected at most ${mostMatchers} matchers`] : []),
    ...(input.matchers.length === 0 ? ['expected a matcher such as rule=withdrawal-stalled'] : []),
    ...(matchers.length > 0 && compileMatchers(matchers)({})
      ? ['it would silence every alert: at least one matcher has to ask for a value']
      : []),
    ...(isTime(startsAt) && isTime(input.endsAt) ? [] : ['expected a start and an end']),
    ...(input.endsAt > startsAt ? [] : ['expected an end after the start']),
    ...(input.endsAt > now ? [] : ['expected an end that is not over']),
    ...(author === '' ? ['expected an author'] : []),
    ...(comment === '' ? ['expected a comment: why is it silent?'] : []),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const silence = { startsAt, endsAt: input.endsAt, author, comment, createdAt: now }
  return { ok: true, silence: { ...silence, matchers: matchers.map(formatMatcher) } }
}

function isTime(at: UnixMs): boolean {
  return Number.isSafeInteger(at) && at >= 0 && at <= 8.64e15
}

/** The silence that holds for an alert with these labels; null is none. */
export function createSilencer(silences: readonly SilenceRow[]): (labels: Labels) => SilenceRow | null {
  const compiled = silences.map((silence) => ({ silence, matches: compileRow(silence) }))
  return (labels) => compiled.find(({ matches }) => matches(labels))?.silence ?? null
}

function compileRow(silence: Pick<SilenceRow, 'matchers'>): (labels: Labels) => boolean {
  const matchers = readMatchers(silence)
  return 'problem' in matchers ? () => false : compileMatchers(matchers)
}

/**
 * Why a silence is set aside: one that cannot be read any more, such as a pattern of an older version that RE2 does not
 * take, silences nothing, because an alert too many is better than one too few. Null when it can be read.
 */
export function findSilenceProblem(silence: Pick<SilenceRow, 'matchers'>): string | null {
  const matchers = readMatchers(silence)
  return 'problem' in matchers ? matchers.problem : null
}

export function showSilence(silence: SilenceRow): ShownSilence {
  return { ...silence, problem: findSilenceProblem(silence) }
}

function readMatchers({ matchers }: Pick<SilenceRow, 'matchers'>): readonly Matcher[] | { problem: string } {
  const parsed = matchers.map(parseMatcher)
  const broken = parsed.find((one) => !one.ok)
  if (broken !== undefined) return { problem: broken.problem }
  return parsed.length === 0
    ? { problem: 'it has no matcher' }
    : parsed.flatMap((one) => (one.ok ? [one.matcher] : []))
}
