import type { UnixMs } from '../lib/clock.ts'
import { findTooLong } from '../lib/readWritten.ts'
import { cleanText } from '../lib/text.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { AlertHead } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { SilenceRow, TransferSilence } from './store/silenceRows.ts'
import { parseLabels } from './engineContext.ts'
import { compileParts, formatMatcher, type Matcher, parseMatcher } from './matchers.ts'
import { findBeyond, type TransferInput } from './transferSilence.ts'

/** As somebody asks for it; times in UnixMs. */
export interface SilenceInput {
  /** Empty for a silence of one transfer. */
  readonly matchers: readonly string[]
  /** Null is now. */
  readonly startsAt: UnixMs | null
  /** Null for a silence that ends when its transfer is over, and at the latest after a week. */
  readonly endsAt: UnixMs | null
  readonly author: string
  readonly comment: string
  /** For what the alerts of one transfer say now. */
  readonly transfer?: TransferInput | null | undefined
  /** Takes labels and values that no alert can have yet. */
  readonly allowUnknown?: boolean | undefined
}

/** How long a silence until a transfer is over holds, if nobody says otherwise. */
export const untilOverMs = 7 * 86_400_000

/** A silence as it is shown: with why it is set aside, null when it is not. */
export interface ShownSilence extends SilenceRow {
  readonly problem: string | null
}

export type CheckedSilence =
  | {
      readonly ok: true
      readonly silence: Omit<SilenceRow, 'id' | 'expiredAt'>
      readonly matchers: readonly Matcher[]
    }
  | { readonly ok: false; readonly problems: readonly string[] }

const mostMatchers = 20

function namedTooLong(name: string, text: string, most: number): string[] {
  const problem = findTooLong(text, most)
  return problem === null ? [] : [`${name}: ${problem}`]
}

/** Refuses what would silence nothing, everything, or for no time that anybody could mean. */
export function checkSilence(
  input: Omit<SilenceInput, 'endsAt'> & { readonly endsAt: UnixMs },
  now: UnixMs,
): CheckedSilence {
  const parsed = input.matchers.slice(0, mostMatchers).map(parseMatcher)
  const matchers = parsed.flatMap((one) => (one.ok ? [one.matcher] : []))
  const startsAt = input.startsAt ?? now
  const [author, comment] = [cleanText(input.author, 100).trim(), cleanText(input.comment, 500).trim()]
  const problems = [
    ...parsed.flatMap((one) => (one.ok ? [] : [one.problem])),
    ...(input.matchers.length > mostMatchers ? [`expected at most ${mostMatchers} matchers`] : []),
    ...(input.matchers.length === 0 ? ['expected a matcher such as rule=withdrawal-stalled'] : []),
    ...(matchers.length > 0 && matchesAll(matchers)
      ? ['it would silence every alert: at least one matcher has to ask for a value']
      : []),
    ...(isTime(startsAt) && isTime(input.endsAt) ? [] : ['expected a start and an end']),
    ...(input.endsAt > startsAt ? [] : ['expected an end after the start']),
    ...(input.endsAt > now ? [] : ['expected an end that is not over']),
    ...(author === '' ? ['expected an author'] : []),
    ...namedTooLong('author', input.author, 100),
    ...namedTooLong('comment', input.comment, 500),
    ...(comment === '' ? ['expected a comment: why is it silent?'] : []),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const silence = { startsAt, endsAt: input.endsAt, author, comment, createdAt: now }
  return {
    ok: true,
    matchers,
    silence: { ...silence, matchers: matchers.map(formatMatcher), transfer: null },
  }
}

/** Whether they match an alert without any label, of no transfer. */
function matchesAll(matchers: readonly Matcher[]): boolean {
  const { labels, transfer } = compileParts(matchers)
  return labels({}) && (transfer === null || transfer(null, {}))
}

function isTime(at: UnixMs): boolean {
  return Number.isSafeInteger(at) && at >= 0 && at <= 8.64e15
}

/** What silences are asked about. */
export type SilencedAlert = Pick<AlertHead, 'id' | 'kind' | 'severity' | 'labels' | 'transferKey'>

/** What is said of one alert. */
export interface SilenceAnswer {
  /** The one that holds for it; null is none. */
  readonly silence: SilenceRow | null
  /** A silence of its transfer that it goes beyond, and in what; null where none is, or another one holds. */
  readonly broken: { readonly silence: SilenceRow; readonly beyond: string } | null
}

export type Silencer = (alert: SilencedAlert) => SilenceAnswer

const none: SilenceAnswer = { silence: null, broken: null }

/**
 * What silences say of alerts, made for one look at them. Thousands of alerts share a handful of label sets: matchers
 * run once for each; what a transfer goes by is read only where a silence asks for it.
 */
export function createSilencer(silences: readonly SilenceRow[], { store, kinds }: SilenceSource): Silencer {
  const compiled = silences.flatMap((silence) => compileRow(silence))
  const byLabels = memoise((labels: string) => {
    const parsed = parseLabels(labels)
    return { own: parsed, asked: compiled.filter((one) => one.labels(parsed)) }
  })
  const namesOf = memoise((key: string) => store.readTransferNames(key))
  return (alert) => {
    let broken: SilenceAnswer['broken'] = null
    const { own, asked } = byLabels(alert.labels)
    for (const { silence, transfer } of asked) {
      const names = () => (alert.transferKey === null ? null : namesOf(alert.transferKey))
      if (transfer !== null && !transfer(names(), own)) continue
      const beyond = silence.transfer && beyondOf(silence.transfer, alert)
      if (beyond === null) return { silence, broken: null }
      broken ??= { silence, beyond }
    }
    return broken === null ? none : { silence: null, broken }
  }

  function beyondOf(made: TransferSilence, { id }: SilencedAlert): string | null {
    const row = store.getAlert(id)
    return row ? findBeyond(made, row, kinds) : 'its alert cannot be read'
  }
}

export interface SilenceSource {
  readonly store: Pick<AlertStore, 'readTransferNames' | 'getAlert'>
  readonly kinds: Kinds
}

function memoise<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>()
  return (text) => {
    const found = known.get(text) ?? { value: read(text) }
    known.set(text, found)
    return found.value
  }
}

function compileRow(silence: SilenceRow) {
  const matchers = readMatchers(silence)
  return 'problem' in matchers ? [] : [{ silence, ...compileParts(matchers) }]
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
