import { z } from 'zod'
import { type Endpoint, maxPerRequest } from '../../clients/explorer/endpoint.ts'
import { endpoints, findEndpoint } from '../../clients/explorer/endpoints.ts'
import type { WideParams } from '../../clients/explorer/question.ts'
import { MonitorError } from '../../lib/errors.ts'
import { nearest } from '../../lib/nearest.ts'
import { cleanText } from '../../lib/text.ts'

/** @throws MonitorError `usage`, with the nearest known name */
export function getEndpoint(name: string): Endpoint {
  const found = findEndpoint(name)
  if (found) return found
  const like = nearest(
    name,
    endpoints.map((endpoint) => endpoint.name),
  )
  const hint = like === null ? '' : ` Did you mean ${like}?`
  throw usage(
    `query: there is no endpoint "${cleanText(name)}".${hint} Names: E1 to E21, or ${endpoints.map((endpoint) => endpoint.name).join(', ')}`,
  )
}

/**
 * Reads `--param value` pairs into an endpoint's parameters and checks them by its schema. Names may be written with
 * hyphens and in any case; a list is separated by commas and may be of any length.
 * @throws MonitorError `usage`
 */
export function readQueryParams(endpoint: Endpoint, words: readonly string[]): WideParams {
  const params: Record<string, string | number | string[]> = {}
  for (const [option, value] of toPairs(endpoint, words)) {
    const name = findName(endpoint, option)
    if (Object.hasOwn(params, name)) throw refuse(endpoint, `--${name} is given twice`)
    params[name] = toValue(endpoint, name, value)
  }
  check(endpoint, params)
  return params
}

/** Whether a question needs more than one request whatever the answers are. */
export function isWide(endpoint: Endpoint, params: WideParams): boolean {
  const list = endpoint.listParam && params[endpoint.listParam]
  if (Array.isArray(list) && list.length > maxPerRequest) return true
  const span = Number(params['endBlockHeight']) - Number(params['startBlockHeight'])
  return endpoint.maxSpan !== undefined && span > endpoint.maxSpan
}

/** One line on an endpoint and what it takes, for help. */
function describeEndpoint(endpoint: Endpoint): string {
  const params = Object.entries(shapeOf(endpoint)).map(([name, schema]) =>
    isRequired(schema) ? `--${name}` : `[--${name}]`,
  )
  return `${endpoint.id.padEnd(4)}${endpoint.name.padEnd(28)}${params.join(' ')}`
}

function* toPairs(endpoint: Endpoint, words: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('--')) throw refuse(endpoint, `expected --name value, got "${cleanText(word)}"`)
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const value = inline ?? words[at + 1]
    if (value === undefined || (inline === undefined && value.startsWith('--')))
      throw refuse(endpoint, `--${cleanText(name)} needs a value`)
    if (inline === undefined) at += 1
    yield [name, value]
  }
}

function findName(endpoint: Endpoint, option: string): string {
  const names = Object.keys(shapeOf(endpoint))
  const plain = option.replaceAll('-', '').toLowerCase()
  const found = names.find((name) => name.toLowerCase() === plain)
  if (found !== undefined) return found
  const like = nearest(plain, names)
  const hint = like === null ? '' : ` Did you mean --${like}?`
  throw refuse(endpoint, `there is no parameter --${cleanText(option)}.${hint}`)
}

function toValue(endpoint: Endpoint, name: string, text: string): string | number | string[] {
  if (name === endpoint.listParam)
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  // The schema takes numbers here, and refuses whatever else is given.
  return (name === 'page' || name === 'limit') && /^\d{1,15}$/.test(text) ? Number(text) : text
}

/** By the endpoint's own schema, of which a wide question passes piece by piece. */
function check(endpoint: Endpoint, params: Readonly<Record<string, string | number | string[]>>): void {
  const list = endpoint.listParam && params[endpoint.listParam]
  const start = Number(params['startBlockHeight'])
  if (start > Number(params['endBlockHeight']))
    throw refuse(endpoint, '--startBlockHeight is above --endBlockHeight')
  const piece = isWide(endpoint, params) && endpoint.maxSpan !== undefined ? { endBlockHeight: start } : {}
  const lists = Array.isArray(list) && list.length > 0 ? list.map((value) => [value]) : [list]
  for (const values of lists) {
    const asked = { ...params, ...piece, ...(endpoint.listParam && { [endpoint.listParam]: values }) }
    const parsed = endpoint.params.safeParse(asked)
    if (!parsed.success) throw toProblem(endpoint, asked, parsed.error)
  }
}

function toProblem(
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>>,
  error: z.ZodError,
): MonitorError {
  const issue = error.issues[0]
  const name = String(issue?.path[0] ?? '')
  const given = params[name]
  if (name !== '' && given === undefined) return refuse(endpoint, `--${name} is required`)
  const at = Number(issue?.path[1] ?? 0)
  const text: unknown = Array.isArray(given) ? given[at] : given
  const schema = shapeOf(endpoint)[name]
  const values = schema && valuesOf(schema)
  const expected = values ? `expected one of ${values.join(', ')}` : (issue?.message ?? 'wrong value')
  const got = typeof text === 'string' || typeof text === 'number' ? `, got "${cleanText(String(text))}"` : ''
  return refuse(endpoint, name === '' ? expected : `--${name}: ${expected}${got}`)
}

function refuse(endpoint: Endpoint, problem: string): MonitorError {
  const takes = Object.entries(shapeOf(endpoint)).map(([name, schema]) => {
    const values = valuesOf(schema)
    const notes = [
      ...(isRequired(schema) ? ['required'] : []),
      ...(name === endpoint.listParam ? ['any number, separated by commas'] : []),
      ...(values ? [values.join(' | ')] : []),
    ]
    return `  --${name}${notes.length > 0 ? `  (${notes.join('; ')})` : ''}`
  })
  return usage(`${endpoint.id} ${endpoint.name}: ${problem}\nIt takes:\n${takes.join('\n')}`)
}

function shapeOf(endpoint: Endpoint): Readonly<Record<string, z.ZodType>> {
  return endpoint.params instanceof z.ZodObject ? endpoint.params.shape : {}
}

function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success
}

function valuesOf(schema: z.ZodType): readonly string[] | null {
  const inner: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options.map(String) : null
}

function usage(message: string): MonitorError {
  return new MonitorError('usage', message)
}

/** The endpoints and what they take, for `--help`. */
export function describeEndpoints(): string {
  return `\nEndpoints, by number or name ([] may be left out):\n${endpoints.map((endpoint) => `  ${describeEndpoint(endpoint)}\n`).join('')}`
}
