const problem = {
  'application/json': { schema: { $ref: '#/components/schemas/Problem' } },
}

const seconds = { schema: { type: 'integer', minimum: 1 }, description: 'Seconds' }

/** Why nothing is done, or answered, by the names that the document gives them. */
export const refusals = {
  NotUnderstood: { description: 'What is asked cannot be meant: `error` says why', content: problem },
  NoToken: {
    description: 'This needs a token, or another one',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: problem,
  },
  NotAllowed: {
    description: '`http.readToken` may look and change nothing, or this came from another site',
    content: problem,
  },
  NotFound: { description: 'There is none of it', content: problem },
  Elsewhere: {
    description:
      'This node follows another one, which alone may change anything: `holder` names it, `page` is where its page is',
    content: problem,
  },
  TooLarge: { description: 'A body has at most 64 KB', content: problem },
  NoJson: { description: 'This takes `Content-Type: application/json`', content: problem },
  WrongName: {
    description: 'Without a token only names of this machine are answered, such as 127.0.0.1',
    content: problem,
  },
  TooMany: {
    description: 'Too many wrong tokens came from this address. The right one is always let in',
    headers: { 'Retry-After': seconds },
    content: problem,
  },
  Failed: { description: 'spanwatch could not answer this. Its log says why', content: problem },
} as const

const statuses: Readonly<Record<keyof typeof refusals, number>> = {
  NotUnderstood: 400,
  NoToken: 401,
  NotAllowed: 403,
  NotFound: 404,
  Elsewhere: 409,
  TooLarge: 413,
  NoJson: 415,
  WrongName: 421,
  TooMany: 429,
  Failed: 500,
}

/** What may be answered instead, by status. */
export function answersOf(of: {
  /** It asks for one thing by its name. */
  readonly isNamed?: boolean
  /** It says more than its path. */
  readonly isAsked?: boolean
  readonly isChange?: boolean
  /** No token is asked for. */
  readonly isOpen?: boolean
}): Record<string, object> {
  const names: (keyof typeof refusals)[] = [
    ...(of.isAsked || of.isNamed ? (['NotUnderstood'] as const) : []),
    ...(of.isOpen ? [] : (['NoToken'] as const)),
    ...(of.isChange ? (['NotAllowed'] as const) : []),
    ...(of.isNamed ? (['NotFound'] as const) : []),
    ...(of.isChange ? (['Elsewhere', 'TooLarge', 'NoJson'] as const) : []),
    'WrongName',
    ...(of.isOpen ? [] : (['TooMany'] as const)),
    'Failed',
  ]
  return Object.fromEntries(names.map((name) => [statuses[name], { $ref: `#/components/responses/${name}` }]))
}
