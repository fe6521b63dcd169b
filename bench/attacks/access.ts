import { connect, type Socket } from 'node:net'
import { createProject, runProgram } from '../../test/support/realMonitor.ts'
import type { Attack, Target } from './attack.ts'

/** What is tried against the page. */
export const accessAttacks: readonly Attack[] = [
  {
    name: 'access: 200 wrong tokens, then the right one',
    async run(target) {
      await all(200, (index) => ask(target, '/api/status', { authorization: `Bearer guess-${index}` }))
      const late = await ask(target, '/api/status', { authorization: 'Bearer guess' })
      const right = await ask(target, '/api/status', { authorization: `Bearer ${target.token}` })
      return expectAll([
        [late, 429],
        [right, 200],
      ])
    },
  },
  {
    name: 'access: wrong tokens under ever other forwarded addresses',
    async run(target) {
      const statuses = await all(30, (index) =>
        ask(target, '/api/status', { authorization: 'Bearer guess', 'x-forwarded-for': `192.0.2.${index}` }),
      )
      return statuses.includes(429) ? null : 'each forwarded address was believed'
    },
  },
  {
    name: 'access: every change with the token that may look, and without one',
    async run(target) {
      const statuses = await Promise.all(
        changes.flatMap((path) => [
          ask(target, path, { authorization: `Bearer ${target.readToken}` }, '{}').then(
            (is) => [is, 403] as const,
          ),
          ask(target, path, {}, '{}').then((is) => [is, 401] as const),
        ]),
      )
      return expectAll(statuses)
    },
  },
  {
    name: 'access: a session that was signed out',
    async run(target) {
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      const signIn = await fetch(`${target.page}/login`, {
        method: 'POST',
        headers: form,
        body: `token=${target.token}`,
        redirect: 'manual',
      })
      const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      const before = await ask(target, '/', { cookie })
      await ask(target, '/logout', { ...form, cookie }, '')
      return expectAll([
        [before, 200],
        [await ask(target, '/', { cookie }), 401],
      ])
    },
  },
  {
    name: 'access: a form of another site with a session',
    run: async (target) =>
      expectAll([
        [await ask(target, '/login', { ...foreign }, `token=${target.token}`), 403],
        [await ask(target, '/logout', { ...foreign }, ''), 403],
      ]),
  },
  {
    name: 'access: wrong cursors',
    async run(target) {
      const headers = { authorization: `Bearer ${target.readToken}` }
      const cursors = ['0x10', '-1', '1e3', 'Next', '', '9'.repeat(400), '%00', '1%27--']
      const statuses = await Promise.all(
        cursors.map((cursor) => ask(target, `/api/transfers?cursor=${cursor}`, headers)),
      )
      return expectAll(statuses.map((status) => [status, 400]))
    },
  },
  connections('ask nothing', ''),
  connections('never end their headers', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n'),
  connections(
    'never end their bodies',
    'POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 8000\r\n\r\nt',
  ),
  connections(
    'ask 50 things at once and read nothing',
    'GET /login HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(50),
  ),
  {
    name: 'access: headers of 1 MB, a body of 10 MB',
    async run(target) {
      const long = await fetch(`${target.page}/login`, { headers: { 'x-long': 'x'.repeat(1_000_000) } }).then(
        ({ status }) => status,
        () => 431,
      )
      const body = await ask(target, '/login', {}, 'x'.repeat(10_000_000)).catch(() => 413)
      return expectAll([
        [long, 431],
        [body, 413],
      ])
    },
  },
  {
    name: 'access: a short token beyond loopback',
    async run() {
      const project = createProject({
        url: 'http://127.0.0.1:9',
        listen: '0.0.0.0:0',
        http: { token: 'fifteen-letters' },
      })
      try {
        const { code, stderr } = await runProgram(['run', '-c', project.configPath])
        const isClear = stderr.includes('at least 16 characters')
        return code === 2 && isClear
          ? null
          : `it ended with ${code}, and ${isClear ? 'said' : 'did not say'} why`
      } finally {
        project.remove()
      }
    },
  },
]

const foreign = {
  'content-type': 'application/x-www-form-urlencoded',
  origin: 'http://evil.example',
  'sec-fetch-site': 'cross-site',
}

const changes = [
  '/api/alerts/x/ack',
  '/api/silences',
  '/api/silences/1/expire',
  '/api/outbox/dead/retry',
  '/api/outbox/1/drop',
  '/api/cursors/rewind',
  '/alerts/x/ack',
  '/silences',
  '/silences/1/expire',
  '/outbox/dead/retry',
  '/outbox/1/drop',
]

/** The status of one request; a POST where there is a body. */
async function ask(
  { page }: Target,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<number> {
  const response = await fetch(`${page}${path}`, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { method: 'POST', body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  })
  await response.arrayBuffer()
  return response.status
}

function all<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)))
}

function expectAll(statuses: readonly (readonly [number, number])[]): string | null {
  const wrong = statuses.filter(([is, expected]) => is !== expected)
  return wrong.length === 0 ? null : wrong.map(([is, expected]) => `${is} in place of ${expected}`).join(', ')
}

/** More connections than are kept, for three seconds. */
function connections(what: string, say: string): Attack {
  return {
    name: `access: 1,000 connections that ${what}`,
    async run({ page }) {
      const { port } = new URL(page)
      const sockets: Socket[] = []
      try {
        for (let index = 0; index < 1_000; index++) {
          const socket = connect(Number(port), '127.0.0.1')
          socket.on('error', () => undefined)
          socket.write(say)
          sockets.push(socket)
        }
        await new Promise((resolve) => setTimeout(resolve, 3_000))
        return null
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    },
  }
}
