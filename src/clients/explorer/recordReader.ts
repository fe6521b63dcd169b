import { isObject } from '../../lib/isObject.ts'
import type { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import { describe, fieldNotes } from './fields.ts'
import { type KeysOf, useOf } from './keys.ts'
import { createPlainReader, isOutside, type PlainField, type Row, saysNothing } from './plainRow.ts'

/** What is wrong with one key of a record. */
export interface KeyFlaw {
  /** By its neutral name. */
  readonly field: string
  /** As the service is expected to write it. */
  readonly key: string
  readonly use: 'judged' | 'shown'
  /** What was expected and what came; null when the key is not there. */
  readonly problem: string | null
}

/** A record as read, or why it could not be. Either way some of its keys may be missing, or say what nobody understands. */
type ReadRecord<R> = { readonly flaws: readonly KeyFlaw[] } & (
  | { readonly record: R; readonly unknownFields: number }
  | { readonly problem: string; readonly path: string }
)

interface ReadMoment {
  /** When the request of its answer was sent. */
  readonly requestedAt: UnixMs
  /** Nothing that has happened is later than this. */
  readonly latest: UnixMs
  /** All rows of the answer. */
  readonly rows: readonly unknown[]
}

/** Reads one record of an answer. */
export type RecordReader<R> = (raw: unknown, at: ReadMoment) => ReadRecord<R>

interface RecordDeclaration<S extends z.ZodObject, R> {
  readonly schema: S
  /** What the fields have to say together. */
  readonly requires?: { readonly message: string; readonly holds: (fields: z.output<S>) => boolean }
  readonly keys: KeysOf<S>
  /** How the service may write a field; the first spelling that a record fills counts. */
  readonly spellings: (field: string) => readonly string[]
  /** Whether a record may do without what a key says, by what else it says. */
  readonly excuses?: (field: string, row: Row, rows: readonly unknown[]) => boolean
  /**
   * @param unsaid fields that nothing is known of: missing, or not understood
   * @param leftOut those that are excused
   */
  readonly finish: (
    fields: z.output<S>,
    requestedAt: UnixMs,
    unsaid: readonly string[],
    leftOut: readonly string[],
  ) => R
}

const noFlaws: readonly KeyFlaw[] = []
const none: readonly string[] = []

/** A reader for records of a schema with neutral field names. */
export function createRecordReader<S extends z.ZodObject, R>(
  declaration: RecordDeclaration<S, R>,
): RecordReader<R> {
  const { keys, spellings, requires } = declaration
  const schema = requires ? declaration.schema.refine(requires.holds, requires.message) : declaration.schema
  const fields = Object.entries(schema.shape).map(([name, type]) => toField(name, type, declaration))
  const byName = new Map(fields.map((field) => [field.name, field]))
  const documented = [...fields.map(({ name }) => name), ...Object.keys(keys)]
  const known = new Set(documented.flatMap((name) => spellings(name)))
  // What else the schema may check is not known here: then it judges every row.
  const hasOtherChecks = (declaration.schema.def.checks ?? []).length > 0
  const readPlain = hasOtherChecks ? null : createPlainReader(fields)
  return (raw, { requestedAt, latest, rows }) => {
    if (!isObject(raw)) {
      return { problem: 'record: expected an object', path: '', flaws: noFlaws }
    }
    // Each value is what the schema's own field made of its text.
    const plain = (readPlain?.(raw, latest) ?? null) as z.output<S> | null
    if (plain !== null && (requires?.holds(plain) ?? true)) {
      const record = declaration.finish(plain, requestedAt, none, none)
      return { record, unknownFields: countUnknown(raw, known), flaws: noFlaws }
    }
    const neutral: Record<string, unknown> = {}
    let missing: string[] | null = null
    for (const { name, spellings: all, isPromised, isDocumented } of fields) {
      const value = pick(raw, all) ?? undefined
      neutral[name] = value ?? (isDocumented ? '' : undefined)
      if (value === undefined && isPromised) (missing ??= []).push(name)
    }
    const leftOut = missing?.filter((name) => declaration.excuses?.(name, raw, rows)) ?? none
    const flaws = (missing ?? none)
      .filter((name) => !leftOut.includes(name))
      .flatMap((name) => toFlaw(byName.get(name), null))
    const vital = flaws.find(({ field }) => byName.get(field)?.isVital)
    if (vital) return { problem: `${vital.key}: is missing`, path: vital.key, flaws }
    const { parsed, refused } = parseUsed(schema, neutral, (name) => byName.get(name)?.isVital === true)
    if (!parsed.success) return { ...toProblem(parsed.error, spellings), flaws }
    // The schema gives what it cannot understand as unknown.
    const values: Record<string, unknown> = parsed.data
    const strange = fields.flatMap((field) => {
      const time = field.isTime ? values[field.name] : null
      const isOutOfTime = typeof time === 'number' && isOutside(time, latest)
      const problem = isOutOfTime ? `is no time from 2015 to now` : notUnderstood(field, neutral, values)
      const said = refused.get(field.name) ?? (problem && `${problem}: ${describe(neutral[field.name])}`)
      if (said === null || declaration.excuses?.(field.name, raw, rows)) return []
      if (isOutOfTime) values[field.name] = null
      return toFlaw(field, said)
    })
    const all = strange.length > 0 ? [...flaws, ...strange] : flaws
    // Taken as empty it would say something else: no token is the native currency.
    const unclear = strange.find(({ field }) => byName.get(field)?.isVital)
    if (unclear) return { problem: `${unclear.key}: ${unclear.problem}`, path: unclear.key, flaws: all }
    return {
      record: declaration.finish(
        parsed.data,
        requestedAt,
        all.map(({ field }) => field),
        leftOut,
      ),
      unknownFields: countUnknown(raw, known),
      flaws: all.length > 0 ? all : noFlaws,
    }
  }
}

/** Spells every field as it is named, but for those listed. */
export function spelledAs(
  others: Readonly<Record<string, readonly string[]>>,
): (field: string) => readonly string[] {
  return (field) => others[field] ?? [field]
}

/** Whether a record says anything under a key: empty, zero and left out are the same here. */
export function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === 0) return false
  return !(typeof value === 'string' && /^(0x)?0*$/.test(value))
}

interface Field extends PlainField {
  readonly use: 'judged' | 'shown' | null
  readonly isVital: boolean
  readonly isDocumented: boolean
}

function toField<S extends z.ZodObject, R>(
  name: string,
  type: z.core.$ZodType,
  { keys, spellings }: RecordDeclaration<S, R>,
): Field {
  const keyClass = keys[name] ?? 'none'
  const use = useOf(keyClass)
  const { expected, isTime, read } = fieldNotes(type)
  return {
    name,
    spellings: spellings(name),
    use,
    isVital: keyClass.startsWith('vital'),
    isDocumented: keyClass !== 'none',
    isPromised: use !== null && !keyClass.endsWith('?'),
    mustBeFilled: keyClass.endsWith('!'),
    isTime,
    expected,
    read,
  }
}

function toFlaw(field: Field | undefined, problem: string | null): KeyFlaw[] {
  if (!field?.use) return []
  const { name, use, spellings } = field
  return [{ field: name, key: spellings[0] ?? name, use, problem }]
}

/** Why a field that was read says nothing; null when it does, or when there is nothing to say. */
function notUnderstood({ name, expected, mustBeFilled }: Field, raw: Row, read: Row): string | null {
  const value = read[name]
  if (!saysNothing(value)) return null
  if (isFilled(raw[name])) return expected === null ? null : `expected ${expected}`
  return mustBeFilled && raw[name] === '' ? 'may not be empty' : null
}

/** Reads a record, without those of its fields that cannot be read, unless it has to have one of them. */
function parseUsed<S extends z.ZodObject>(
  schema: S,
  neutral: Row,
  isVital: (name: string) => boolean,
): { readonly parsed: z.ZodSafeParseResult<z.output<S>>; readonly refused: ReadonlyMap<string, string> } {
  const parsed = schema.safeParse(neutral)
  const issues = parsed.success ? [] : parsed.error.issues
  const refused = new Map(issues.map(({ path: [name], message }) => [String(name ?? ''), message]))
  if (parsed.success || refused.keys().some((name) => name === '' || isVital(name)))
    return { parsed, refused }
  const empty = Object.fromEntries(refused.keys().map((name) => [name, '']))
  return { parsed: schema.safeParse({ ...neutral, ...empty }), refused }
}

function pick(source: Row, spellings: readonly string[]): unknown {
  // hasOwn: `constructor` of the prototype is not a field of the record.
  const given = spellings.filter((name) => Object.hasOwn(source, name))
  const isSaid = (name: string) => source[name] !== undefined && source[name] !== null && source[name] !== ''
  const spelling = given.find(isSaid) ?? given[0]
  return spelling === undefined ? undefined : source[spelling]
}

function toProblem(error: z.ZodError, spellings: (field: string) => readonly string[]) {
  const issue = error.issues[0]
  const path = issue?.path.map((part) => spellings(String(part))[0] ?? String(part)).join('.') ?? ''
  return { problem: `${path === '' ? 'record' : path}: ${issue?.message ?? 'cannot be read'}`, path }
}

function countUnknown(source: object, known: ReadonlySet<string>): number {
  let unknown = 0
  for (const key in source) if (!known.has(key)) unknown += 1
  return unknown
}
