import { z } from 'zod'
import { isDecimal, parseRawAmount, toPlainDecimal } from '../../bridge/amount.ts'
import type { Direction, Status } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { cutText } from '../cutText.ts'
import { type Dialect, parseDirection } from './dialect.ts'
import { suggestDirection } from './suggestDialect.ts'

/** Names and the like, shown to people. */
const maxNameLength = 64
/** Free text of a sentence or two, e.g. an error message. */
const maxSentenceLength = 500
const maxAddressLength = 128
const maxDetailLength = 65_536

/**
 * A text field of a record. The service promises strings, so anything else makes the record unreadable; null or a
 * missing field counts as an empty one.
 * @param parse gives undefined for a text that is not what was expected
 * @param advise what to do about such a text
 */
function textField<T>(
  expected: string,
  parse: (text: string) => T | undefined,
  advise: (text: string) => string | null = () => null,
  toText: (input: unknown) => unknown = (input) => input ?? '',
): z.ZodType<T> {
  return z
    .unknown()
    .transform((input, context) => {
      const text = toText(input)
      const value = typeof text === 'string' ? parse(text) : undefined
      if (value !== undefined) return value
      const advice = typeof text === 'string' && text !== '' ? advise(text) : null
      const message = `expected ${expected}, got ${describe(input)}${advice === null ? '' : `: ${advice}`}`
      context.issues.push({ code: 'custom', input, message })
      return z.NEVER
    })
    .meta({ read: parse })
}

/**
 * As `textField`, for whole numbers that JSON holds exactly. Not all of the service's numbers come as strings, by its own
 * words; amounts have to: of one that was rounded on its way nobody could tell.
 */
function wholeField<T>(expected: string, parse: (text: string) => T | undefined): z.ZodType<T> {
  const toText = (input: unknown) => (Number.isSafeInteger(input) ? String(input) : (input ?? ''))
  return textField(expected, parse, undefined, toText)
}

/** As `textField`, for what one value says alone: one that is not what was expected says nothing, and the record is taken. */
function lenientField<T>(
  expected: string,
  parse: (text: string) => T | undefined,
  nothing: T,
  field: typeof wholeField = textField,
): z.ZodType<T> {
  return field(expected, (text): T => parse(text) ?? nothing).meta({ expected })
}

/** What a reader has to know of a field beside how it is read. */
export function fieldNotes(type: z.core.$ZodType): {
  /** What a value has to be that is understood; null where whatever is not makes the record unreadable. */
  readonly expected: string | null
  readonly isTime: boolean
  /** What it makes of a text; undefined where it refuses it. Null for a field of anything else. */
  readonly read: ((text: string) => unknown) | null
} {
  const { expected, isTime, read } = z.globalRegistry.get(type) ?? {}
  // Only `textField` notes one; what was derived from its field by another check bears the same note.
  const isTextField = typeof read === 'function' && (type._zod.def.checks ?? []).length === 0
  return {
    expected: typeof expected === 'string' ? expected : null,
    isTime: isTime === true,
    read: isTextField ? (read as (text: string) => unknown) : null,
  }
}

const hashForm = /^0x[0-9a-f]{64}$/i
const zeros = /^(0x)?0*$/i
/** As most are given: nothing to change about it. */
const plainHash = /^0x(?!0{64})[0-9a-f]{64}$/

/** A transaction or block hash, lower-case; null when empty or all zeros. */
export const hash = lenientField(
  'a hash of 64 digits',
  (text) => {
    if (plainHash.test(text)) return text
    return hashForm.test(text) && !zeros.test(text) ? text.toLowerCase() : undefined
  },
  null,
)

export const requiredHash = textField('a hash of 64 digits', (text) =>
  hashForm.test(text) ? text.toLowerCase() : undefined,
)

/** A name given by the service, of a form that the contract leaves open: a number too. */
export const identifier = wholeField('a string', (text): string | null => {
  if (plainHash.test(text)) return text
  const clean = cleanText(text, maxAddressLength)
  if (zeros.test(clean)) return null
  return /^0x[0-9a-f]+$/i.test(clean) ? clean.toLowerCase() : clean
})

/** The id of a token, as given; '' when empty: zero is an id. */
export const identifierText = wholeField('a decimal or hex uint256', (text) =>
  text === '' || parseRawAmount(text) !== null || /^0x[0-9a-f]{1,64}$/i.test(text) ? text : undefined,
)

/** Lower-case; '' when empty. However many zeros: an address that is nobody's. */
export const address = lenientField('an address of 40 digits', parseAddress, '')

export const requiredAddress = textField('an address of 40 digits', (text) => parseAddress(text) || undefined)

/** Up to 20 addresses, separated by commas. */
export const addressList = textField('addresses of 40 digits, separated by commas', (text) => {
  const read = text.split(',').map((one) => parseAddress(one.trim()))
  return read.some((one) => one === undefined) ? undefined : read.join(',')
})

export const name = textField('a string', (text) => cleanText(text, maxNameLength))

export const sentence = textField('a string', (text) => cleanText(text, maxSentenceLength))

/** Kept as it came: parsed where it is judged. */
export const detail = textField('a string', (text): string | null =>
  text === '' ? null : cutText(text, maxDetailLength),
)

/** Source code and the like, kept whole. */
export const rawText = textField('a string', (text) => text.toWellFormed())

/** Text or a number that identifies within its record, null when empty. */
export const label = wholeField(
  'a string',
  (text): string | null => cleanText(text, maxAddressLength) || null,
)

/** A height, index or count; null when empty. */
export const count = wholeField('decimal digits', parseCount)

/** A height of a chain on which something may not have happened yet: null when empty or zero. */
export const heightIfAny = wholeField('decimal digits', (text) => {
  const value = parseCount(text)
  return value === 0 ? null : value
})

export const requiredCount = wholeField('decimal digits', (text) => parseCount(text) ?? undefined)

/** Unix time in ms; null when empty or zero, or when it is no time that can be. */
export const time = lenientField(
  'a Unix time in ms',
  (text): UnixMs | null | undefined => {
    const value = parseCount(text)
    return value === 0 ? null : value
  },
  null,
  wholeField,
).meta({ expected: 'a Unix time in ms', isTime: true })

/** Base units. */
export const rawAmount = textField('a decimal uint256', (text): bigint | null | undefined =>
  text === '' ? null : (parseRawAmount(text) ?? undefined),
)

/** Token units, as given but for an exponent. */
export const decimal = textField('a plain decimal number', (text): string | null | undefined =>
  text === '' ? null : isDecimal(text) ? text : (toPlainDecimal(text) ?? undefined),
)

const statuses: Readonly<Record<string, Status>> = { '0x1': 'success', '0x0': 'failed' }

/** A word that is not among the documented ones is no success. */
export const status = lenientField<Status>(
  '0x1 or 0x0',
  (text) => (Object.hasOwn(statuses, text) ? statuses[text] : undefined),
  'unknown',
)

/** How a transaction of the main chain went; '' where the endpoint does not say, `unknown` where it says anything else. */
export type MainState = 'success' | 'fail' | 'pending' | 'unknown' | ''

const mainStates = ['success', 'fail', 'pending'] as const

export const state = z
  .unknown()
  .transform(
    (input): MainState =>
      input === undefined ? '' : (mainStates.find((word) => word === input) ?? 'unknown'),
  )
  .meta({ expected: mainStates.join(', ') })

export function direction(dialect: Dialect): z.ZodType<Direction> {
  const { main, zone } = dialect.direction
  return textField(
    `${main}To${zone} or ${zone}To${main}`,
    (text) => parseDirection(dialect, text) ?? undefined,
    (text) => suggestDirection(dialect, text),
  )
}

/** A JSON boolean; null when the field is left out. */
export const flag = z.unknown().transform((input, context): boolean | null => {
  if (input === undefined || input === null || input === '') return null
  if (typeof input === 'boolean') return input
  context.issues.push({ code: 'custom', input, message: `expected a boolean, got ${describe(input)}` })
  return z.NEVER
})

/** Topics of a log: an array of hex words. */
export const topics = z.unknown().transform((input, context): readonly string[] => {
  const values: unknown = input ?? []
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) {
    return values.slice(0, 16).map((value) => cleanText(value, maxAddressLength).toLowerCase())
  }
  context.issues.push({
    code: 'custom',
    input,
    message: `expected an array of strings, got ${describe(input)}`,
  })
  return z.NEVER
})

const library = z.object({ libraryName: name, libraryAddress: address })

/** An array of libraries; the sample gives an empty string for none. */
export const libraries = z.unknown().transform((input, context) => {
  const list = z
    .array(library)
    .max(1_000)
    .safeParse(input ?? [])
  if (list.success || input === '') {
    return (list.data ?? []).map(({ libraryName, libraryAddress }) => ({
      name: libraryName,
      address: libraryAddress,
    }))
  }
  context.issues.push({
    code: 'custom',
    input,
    message: `expected an array of libraries, got ${describe(input)}`,
  })
  return z.NEVER
})

/** What came, for people: its type, and a little of it when it is short. */
export function describe(input: unknown): string {
  if (input === undefined || input === null || input === '') return 'nothing'
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'string') return `"${cleanText(input, 40)}"`
  if (typeof input === 'number' || typeof input === 'boolean') return `${typeof input} ${input}`
  return 'an object'
}

function parseAddress(text: string): string | undefined {
  if (/^(0x[0-9a-f]{40})?$/.test(text)) return text
  if (zeros.test(text)) return `0x${'0'.repeat(40)}`
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined
}

function parseCount(text: string): number | null | undefined {
  if (text === '') return null
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}
