import type { z } from 'zod'
import type { WebDeps } from '../types.ts'

/** What is read of a value that was written as JSON: a bigint is a decimal string, since a number would be rounded. */
export type AsJson<T> = T extends bigint
  ? string
  : T extends readonly (infer Entry)[]
    ? readonly AsJson<Entry>[]
    : T extends object
      ? { readonly [Key in keyof T]: AsJson<T[Key]> }
      : T

/** One question that the API answers to GET. */
export interface ApiRoute {
  /** As the app has it: `/api/cases/:id`. */
  readonly path: string
  /** What programs that are made from the document call it. */
  readonly operation: string
  readonly title: string
  /** What it answers with, in Markdown. */
  readonly says: string
  readonly query: z.ZodObject | null
  /** What each name in its path means. */
  readonly params: Readonly<Record<string, string>>
  readonly answer: z.ZodType
  /** @throws MonitorError `not_found`, or `usage` for what cannot be meant */
  readonly respond: (deps: WebDeps, given: Given<object>) => unknown
}

/** What was asked for. */
export interface Given<Query> {
  readonly query: Query
  /** A part of the path by its name. */
  readonly param: (name: string) => string
}

interface RouteSpec<Query extends z.ZodObject, Result>
  extends Omit<ApiRoute, 'query' | 'params' | 'answer' | 'respond'> {
  readonly query?: Query
  readonly params?: ApiRoute['params']
  readonly answer: z.ZodType<AsJson<Awaited<NoInfer<Result>>>>
  readonly respond: (deps: WebDeps, given: Given<z.output<Query>>) => Result
}

/** A route whose schema has every field that it answers with: the compiler holds them together, a test the rest. */
export function defineRoute<Result, Query extends z.ZodObject = z.ZodObject>(
  spec: RouteSpec<Query, Result>,
): ApiRoute {
  return {
    ...spec,
    query: spec.query ?? null,
    params: spec.params ?? {},
    // What is given was read by the same schema.
    respond: (deps, given) => spec.respond(deps, given as Given<z.output<Query>>),
  }
}
