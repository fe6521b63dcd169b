import type { SilenceInput } from '../alerts/silences.ts'
import type { UnixMs } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import type { Fields } from './readFields.ts'

/** As typed, so that a refused form shows it again. */
export interface TypedSilence {
  /** The one transfer that it is for; '' for a silence by matchers. */
  readonly transfer: string
  /** Of the transfer's kinds those that are ticked; null before anybody chose. */
  readonly kinds: readonly string[] | null
  readonly untilOver: boolean
  /** One a line. */
  readonly matchers: string
  readonly for: string
  readonly by: string
  readonly comment: string
  /** Whether rules, kinds and labels need not exist yet. */
  readonly allowUnknown: boolean
}

/** The beginning of the names of fields that tick a kind. */
export const kindField = 'kind:'

/** What was typed of a silence, as far as it is kept. */
export function toTypedSilence(fields: Fields): TypedSilence {
  const read = (name: string, max: number) => (fields[name] ?? '').slice(0, max)
  const kinds = Object.keys(fields).filter((name) => name.startsWith(kindField))
  return {
    transfer: cleanText(read('transfer', 400), 200),
    kinds: kinds.slice(0, 50).map((name) => name.slice(kindField.length, 200)),
    untilOver: fields['over'] === 'yes',
    matchers: read('matchers', 20_000).replace(/\r\n?/g, '\n'),
    for: cleanText(read('for', 40), 40),
    by: cleanText(read('by', 400), 200),
    comment: cleanText(read('comment', 4_000), 2_000),
    allowUnknown: fields['unknown'] === 'yes',
  }
}

/** @throws MonitorError `usage` */
export function readSilenceForm(fields: Fields, now: UnixMs): SilenceInput {
  return toSilenceInput(toTypedSilence(fields), now)
}

/** @throws MonitorError `usage` */
export function toSilenceInput(typed: TypedSilence, now: UnixMs): SilenceInput {
  const forMs = parseDuration(typed.for)
  if (forMs === null || forMs <= 0) throw new MonitorError('usage', 'For: expected a duration such as 2h')
  const lines = typed.matchers.split('\n').map((line) => line.trim())
  const { transfer: name, kinds, untilOver } = typed
  return {
    matchers: name === '' ? lines.filter((line) => line !== '') : [],
    startsAt: null,
    endsAt: now + forMs,
    author: typed.by,
    comment: typed.comment,
    ...(name !== '' && { transfer: { name, kinds, untilOver } }),
    ...(typed.allowUnknown && { allowUnknown: true }),
  }
}

/** What a preview was made of: a form that asks for something else shows a new one first. */
export function markPreviewed({ matchers, allowUnknown }: TypedSilence): string {
  return `${allowUnknown ? 'unknown ' : ''}${matchers}`
}

/** Whether a form wants to see what it would silence, or was changed since it was shown. */
export function wantsPreview(fields: Fields): boolean {
  const { previewed, preview } = fields
  if (preview === 'yes') return true
  const typed = toTypedSilence(fields)
  return (
    typed.transfer === '' &&
    previewed !== undefined &&
    previewed.replace(/\r\n?/g, '\n') !== markPreviewed(typed)
  )
}
