import { z } from 'zod'
import { durationForm, parseDuration } from '../lib/duration.ts'

const expected = 'expected a duration such as 30m'

/** A duration as rules write it, as milliseconds. A bare number has no unit and is refused. */
export const durationText = z
  .string({ error: expected })
  .transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
  .meta({
    description: 'A duration with its unit: 250ms, 10s, 1h30m, 7d',
    examples: ['30m'],
    pattern: `^\\s*${durationForm}\\s*$`,
  })

/** A duration above zero: what has to pass before something may be said. */
export const boundText = durationText.refine((ms) => ms > 0, 'expected a duration above 0')

/** A multiple of what transfers of the same token and direction usually take. */
export interface LearnedBound {
  readonly percentile: string
  /** From 0 to 1. */
  readonly share: number
  readonly factor: number
}

const percentiles: readonly (readonly [string, number])[] = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
]
const names = percentiles.map(([name]) => name)
const expectedAfter = 'expected a duration such as 30m, or a percentile such as p99 * 3'

/**
 * How long something may take, as rules write it: a duration, or a percentile of what it usually takes, times a factor.
 * @returns what is wrong, as text
 * @example parseAfter('p99 * 3') // { percentile: 'p99', share: 0.99, factor: 3 }
 */
export function parseAfter(text: string): number | LearnedBound | string {
  const ms = parseDuration(text)
  if (ms !== null) return ms > 0 ? ms : 'expected a duration above 0'
  const match = /^p([\d.]+)\s*(?:(\S*?)\s*(-?[\d.]+))?$/i.exec(text.trim())
  if (!match) return expectedAfter
  const [, digits = '', operator, factorText] = match
  const name = `p${digits}`
  const known = percentiles.find((one) => one[0] === name)
  if (!known) return `\`${name}\` is not learned${suggestFor(Number(digits))}: expected ${names.join(', ')}`
  const factor = factorText === undefined ? 1 : Number(factorText)
  if (factorText !== undefined && operator !== '*') {
    return `\`${operator ?? ''}\` is no operator here, did you mean \`${name} * ${factorText}\`?`
  }
  if (!Number.isFinite(factor) || factor <= 0 || factor > 1_000) {
    return `the factor ${factorText} has to be above 0 and at most 1000, as in \`${name} * 3\``
  }
  return { percentile: name, share: known[1], factor }
}

/** `p999` is often written for p99.9. */
function suggestFor(percent: number): string {
  if (!Number.isFinite(percent) || percent < 25) return ''
  const meant = percent > 100 ? percent / 10 ** (String(Math.floor(percent)).length - 2) : percent
  const [nearest] = [...percentiles].sort(
    (a, b) => Math.abs(a[1] * 100 - meant) - Math.abs(b[1] * 100 - meant),
  )
  return nearest ? `, did you mean \`${nearest[0]}\`?` : ''
}

export const afterText = z
  .string({ error: expectedAfter })
  .transform((text, context) => {
    const parsed = parseAfter(text)
    if (typeof parsed !== 'string') return parsed
    context.addIssue({ code: 'custom', message: parsed })
    return z.NEVER
  })
  .meta({
    description:
      'A duration such as 30m, or a percentile of the past 30 days: p50, p95, p99, p99.9, times a factor',
    examples: ['30m', 'p99 * 3'],
    pattern: `^\\s*(?:${durationForm}|[pP](?:${percentiles.map(([name]) => name.slice(1).replace('.', '\\.')).join('|')})(?:\\s*\\*\\s*[\\d.]+)?)\\s*$`,
  })
