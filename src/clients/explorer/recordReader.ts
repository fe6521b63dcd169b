import type { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'

/** A record as read, or why it could not be. */
type ReadRecord<R> =
  | { readonly record: R; readonly unknownFields: number }
  | { readonly problem: string; readonly path: string }

/** Reads one record of an answer whose request was sent at `requestedAt`. */
export type RecordReader<R> = (raw: unknown, requestedAt: UnixMs) => ReadRecord<R>

/**
 * A reader for records of a schema with neutral field names.
 * @param spellings how the service may write a field; the first one that a record fills counts
 */
export function createRecordReader<S extends z.ZodObject, R>(options: {
  readonly schema: S
  readonly spellings: (field: string) => readonly string[]
  readonly finish: (fields: z.output<S>, requestedAt: UnixMs) => R
}): RecordReader<R> {
  const fields = Object.keys(options.schema.shape).map((field) => [field, options.spellings(field)] as const)
  const known = new Set(fields.flatMap(([, spellings]) => spellings))
  return (raw, requestedAt) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      return { problem: 'record: expected an object', path: '' }
    }
    const source = raw as Readonly<Record<string, unknown>>
    const neutral: Record<string, unknown> = {}
    for (const [field, spellings] of fields) neutral[field] = pick(source, spellings)
    const parsed = options.schema.safeParse(neutral)
    if (!parsed.success) return toProblem(parsed.error, options.spellings)
    return {
      record: options.finish(parsed.data, requestedAt),
      unknownFields: countUnknown(source, known),
    }
  }
}

/** Spells every field as it is named, but for those listed. */
export function spelledAs(
  others: Readonly<Record<string, readonly string[]>>,
): (field: string) => readonly string[] {
  return (field) => others[field] ?? [field]
}

function pick(source: Readonly<Record<string, unknown>>, spellings: readonly string[]): unknown {
  // hasOwn: `constructor` of the prototype is not a field of the record.
  const given = spellings.filter((name) => Object.hasOwn(source, name))
  const spelling = given.find((name) => source[name] !== undefined && source[name] !== '') ?? given[0]
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
