import { z } from 'zod'
import { version } from '../../lib/version.ts'
import { actions } from '../actions.ts'
import { components } from './components.ts'
import { otherRoutes } from './otherRoutes.ts'
import { answersOf, refusals } from './refusals.ts'
import { apiRoutes } from './routes.ts'

/** A node of a JSON Schema, as far as it is looked into. */
interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
}

/** One question or change, as the document describes it. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly required: boolean
  readonly description?: string
  readonly schema: SchemaNode
}

/** An OpenAPI document, as far as it is looked into. */
export interface ApiDocument {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> } & Readonly<
    Record<string, object>
  >
  readonly [more: string]: unknown
}

/** The API as an OpenAPI 3.1 document, made from the schemas that read what is asked and that answers are held against. */
export function describeApi(): ApiDocument {
  const schemas = toSchemas()
  const operations = [...listReads(schemas), ...listChanges(schemas), ...listOthers(schemas)]
  const paths: Record<string, Partial<Record<'get' | 'post', Operation>>> = {}
  for (const { path, method, operation } of operations)
    paths[path.replaceAll(/:(\w+)/g, '{$1}')] = { ...paths[path], [method]: operation }
  return {
    openapi: '3.1.1',
    info: {
      title: 'spanwatch',
      version,
      description:
        'What spanwatch knows, and what may be changed. Times are milliseconds since 1970, durations milliseconds, amounts decimal strings: `amount` in token units, `amountRaw` in base units. What is not known is null, never zero. Fields may be added; none is renamed.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: doors,
    tags: [
      { name: 'reading', description: 'What is known' },
      { name: 'writing', description: 'What may be changed, with `http.token` alone' },
      { name: 'beside', description: 'For machines that watch' },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(Object.keys(components).map((name) => [name, schemas(name)])),
      responses: refusals,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: '`http.token`; that of `http.readToken` for what only reads',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'spanwatch_session',
          description: 'As signing in at the page gives it; over TLS `__Host-spanwatch_session`',
        },
      },
    },
  }
}

/** One of them lets in. Where `http.token` is not set, nothing is asked for. */
const doors = [{ token: [] }, { session: [] }, {}]

interface Described {
  readonly path: string
  readonly method: 'get' | 'post'
  readonly operation: Operation
}

type Schemas = (name: string) => SchemaNode

function listReads(schemas: Schemas): Described[] {
  return apiRoutes.map(({ path, operation, title, says, query, params }) => ({
    path,
    method: 'get',
    operation: {
      operationId: operation,
      summary: title,
      description: toSentence(`answers with ${says}`),
      tags: ['reading'],
      parameters: [
        ...listPathParameters(path, params),
        ...(query === null ? [] : listQueryParameters(schemas(`${operation} query`))),
      ],
      responses: {
        200: { description: title, content: { 'application/json': { schema: schemas(operation) } } },
        ...answersOf({ isNamed: path.includes(':'), isAsked: true }),
      },
    },
  }))
}

function listChanges(schemas: Schemas): Described[] {
  return actions.map(({ path, operation, title, says, note, example }) => ({
    path: `/api${path}`,
    method: 'post',
    operation: {
      operationId: operation,
      summary: title,
      description: [
        toSentence(`answers with ${says}`),
        ...(note === undefined ? [] : [toSentence(note)]),
      ].join(' '),
      tags: ['writing'],
      parameters: listPathParameters(path, idWords(path)),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas(`${operation} body`), example } },
      },
      responses: {
        200: { description: 'Done', content: { 'application/json': { schema: schemas(operation) } } },
        ...answersOf({ isNamed: true, isAsked: true, isChange: true }),
      },
    },
  }))
}

function idWords(path: string): Record<string, string> {
  if (path.startsWith('/alerts/')) return { id: 'as printed, the first 4 or more digits' }
  return { id: path.startsWith('/cases/') ? 'as printed, `c42`' : 'its number' }
}

function listOthers(schemas: Schemas): Described[] {
  return otherRoutes.map(({ path, operation, title, says, answers, isOpen }) => ({
    path,
    method: 'get',
    operation: {
      operationId: operation,
      summary: title,
      description: toSentence(says),
      tags: ['beside'],
      ...(isOpen && { security: [] }),
      responses: {
        ...Object.fromEntries(
          answers.map(({ status, description, type }) => [
            status,
            { description, content: { [type]: { schema: schemas(`${operation} ${status}`) } } },
          ]),
        ),
        ...answersOf({ isOpen: isOpen ?? false }),
      },
    },
  }))
}

function listPathParameters(path: string, words: Readonly<Record<string, string>>): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(words[name] !== undefined && { description: toSentence(words[name]) }),
    schema: { type: 'string' },
  }))
}

function listQueryParameters({ properties = {} }: SchemaNode): Parameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema,
  }))
}

/**
 * Links lead to documents that lie elsewhere.
 * @example toSentence('the [case](cases.md)') // 'The case.'
 */
function toSentence(markdown: string): string {
  const text = markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Every schema as JSON Schema, each shared one by reference. */
function toSchemas(): Schemas {
  const registry = z.registry<{ readonly id: string }>()
  const add = (id: string, schema: z.ZodType) => void registry.add(schema, { id })
  for (const [name, schema] of Object.entries(components)) add(name, schema)
  // A clone, so that a shared one stays shared.
  const addOwn = (id: string, schema: z.ZodType) => add(id, schema.clone())
  for (const { operation, query, answer } of apiRoutes) {
    addOwn(operation, answer)
    if (query !== null) addOwn(`${operation} query`, query)
  }
  for (const { operation, body, done } of actions) {
    addOwn(operation, done)
    addOwn(`${operation} body`, body)
  }
  for (const { operation, answers } of otherRoutes)
    for (const { status, schema } of answers) addOwn(`${operation} ${status}`, schema)
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  })
  return (name) => {
    const { $id: _, $schema: __, ...node } = schemas[name] ?? {}
    return node as SchemaNode
  }
}

/** What says nothing to a reader: bounds that every number has, and that names are texts. */
function dropNoise(node: z.core.JSONSchema.BaseSchema): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
  delete node.propertyNames
  // An array that our code does not change: to a document it would say that nobody may send it.
  delete node.readOnly
}
