import { z } from 'zod'
import { parseDuration } from '../../lib/duration.ts'
import { suggest } from '../../lib/nearest.ts'
import { cleanText } from '../../lib/text.ts'

/** The parameters of a query as a schema reads them, or the first thing that it has against them. */
export type ReadQuery<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

/** Longer ones are cut: no hash, address or symbol is. */
const longest = 200

/**
 * Reads the parameters that a schema knows. What cannot be understood is said, never dropped: a list without the filter
 * that was asked for would read as an answer.
 * @param names all that were given: where these are, one that the schema does not know is a mistake
 */
export function readQuery<T extends z.ZodObject>(
  schema: T,
  query: (name: string) => string | undefined,
  names: readonly string[] = [],
): ReadQuery<z.output<T>> {
  const known = Object.keys(schema.shape)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const name = cleanText(unknown, 40)
    const all = known.length === 0 ? '; none is taken' : `; there are ${known.join(', ')}`
    return { ok: false, problem: `there is no parameter ${name}${suggest(name, known) || all}` }
  }
  const given = known.flatMap((name) => {
    const asked = query(name)
    if (asked === undefined) return []
    // Ours, and taken as it is: one that is empty or was changed is a mistake, else page one would be shown for ever.
    if (name === 'cursor') return [[name, asked]]
    const text = cleanText(asked, longest)
    // An empty field of a form is one left out.
    return text === '' ? [] : [[name, text]]
  })
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return { ok: true, value: parsed.data }
  const [first] = parsed.error.issues
  return { ok: false, problem: `${first?.path.join('.')}: ${first?.message}` }
}

/** @param said what is expected instead of another word */
export function choice<const T extends readonly [string, ...string[]]>(values: T, said = sayChoice(values)) {
  return z.enum(values, { error: said })
}

function sayChoice(values: readonly string[]): string {
  return values.length <= 2 ? `expected ${values.join(' or ')}` : `expected one of ${values.join(', ')}`
}

/** How many are answered at once. */
export function limit(usual: number, most = 500) {
  const error = `expected 1 to ${most}`
  return z.coerce
    .number({ error })
    .int({ error })
    .min(1, { error })
    .max(most, { error })
    .default(usual)
    .describe('How many at once')
}

export function duration(description: string, examples: readonly [string, string]) {
  const error = `expected a duration such as ${examples.join(' or ')}`
  return z
    .string()
    .meta({ description, examples: [...examples] })
    .transform((text, context) => {
      const ms = parseDuration(text)
      if (ms !== null) return ms
      context.addIssue({ code: 'custom', message: error })
      return z.NEVER
    })
    .optional()
}

export function cursor(pattern: RegExp) {
  return z
    .string()
    .regex(pattern, 'expected the "next" of the page before')
    .describe('The `next` of the page before')
}

export function word(description: string) {
  return z.string().describe(description).default('')
}
