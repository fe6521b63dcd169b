import { z } from 'zod'
import { health, problem } from './schemas/lists.ts'

interface OtherRoute {
  readonly path: string
  readonly operation: string
  readonly title: string
  readonly says: string
  readonly answers: readonly {
    readonly status: number
    readonly schema: z.ZodType
    readonly description: string
    readonly type: string
  }[]
  /** Without a token. */
  readonly isOpen?: true
}

const json = 'application/json'

const healthAnswers = [
  { status: 200, schema: health, description: 'Well', type: json },
  { status: 503, schema: health, description: 'Not well: `reasons` say why', type: json },
] as const

/** What is served to machines beside the routes of the API. */
export const otherRoutes: readonly OtherRoute[] = [
  {
    path: '/api/openapi.json',
    operation: 'readDocument',
    title: 'This document',
    says: 'the API as OpenAPI 3.1',
    answers: [
      {
        status: 200,
        schema: z.looseObject({ openapi: z.string() }),
        description: 'The document',
        type: json,
      },
    ],
  },
  {
    path: '/events',
    operation: 'followChanges',
    title: 'Changes',
    says: 'server-sent events: `change` at most once a second, `beat` every ten seconds; never what changed',
    answers: [
      { status: 200, schema: z.string(), description: 'The stream', type: 'text/event-stream' },
      { status: 503, schema: problem, description: 'Too many pages are following already', type: json },
    ],
  },
  {
    path: '/metrics',
    operation: 'readMetrics',
    title: 'Metrics',
    says: 'Prometheus',
    answers: [{ status: 200, schema: z.string(), description: 'The metrics', type: 'text/plain' }],
  },
  {
    path: '/healthz',
    operation: 'readLiveness',
    title: 'Whether it works',
    says: '200 or 503 with `reasons`; without a token',
    answers: healthAnswers,
    isOpen: true,
  },
  {
    path: '/readyz',
    operation: 'readReadiness',
    title: 'Whether it is ready',
    says: '200 or 503 with `reasons`; without a token',
    answers: healthAnswers,
    isOpen: true,
  },
]
