import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSlackInbox, type SlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox, type SmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import {
  createFakeExplorer,
  type FakeExplorer,
  send,
  toOpenWire,
  toWire,
  type WireRecord,
} from '../support/fakeExplorer.ts'
import {
  createProject,
  endProgram,
  type Program,
  type Project,
  readWholeFolder,
  runProgram,
  startDaemon,
} from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'
import { runCommand } from '../unit/cli/testIo.ts'

// A deployment of another dialect that wants signed requests, and secrets that must never be seen again.

const env = {
  EXPLORER_KEY: 'canary-key-5d1c9c',
  EXPLORER_SECRET: 'canary/secret+7e(2)*[b]?',
  EXPLORER_PASSPHRASE: 'canary passphrase "90" é',
  SMTP_PASSWORD: 'canary-smtp-31f7',
}
const dialect = {
  path: { main: 'acme', zone: 'az' },
  field: { main: 'acme', zone: 'az' },
  direction: { main: 'Acme', zone: 'AZ' },
  headerPrefix: 'ACME',
}
const auth = {
  key: '${EXPLORER_KEY}',
  secret: '${EXPLORER_SECRET}',
  passphrase: '${EXPLORER_PASSPHRASE}',
  signer: 'hmac-sha256',
}

let api: FakeExplorer
let slack: SlackInbox
let smtp: SmtpInbox
let project: Project
let running: Program[] = []

beforeEach(async () => {
  api = await createFakeExplorer()
  slack = await createSlackInbox()
  smtp = await createSmtpInbox({ user: { name: 'bridge', password: env.SMTP_PASSWORD } })
  api.spell = speakAcme
  api.credentials = {
    prefix: 'ACME',
    key: env.EXPLORER_KEY,
    secret: env.EXPLORER_SECRET,
    passphrase: env.EXPLORER_PASSPHRASE,
  }
  project = createProject({
    url: api.url,
    explorer: { dialect, auth },
    channels: {
      ops: { type: 'slack', url: slack.url },
      // Without TLS and with a password: refused, which is one more text that could quote it.
      mail: {
        type: 'email',
        smtp: `smtp://bridge:\${SMTP_PASSWORD}@127.0.0.1:${smtp.port}`,
        from: 'bridge@example.com',
        to: ['ops@example.com'],
      },
    },
  })
})
afterEach(async () => {
  await Promise.all(running.map(endProgram))
  running = []
  await Promise.all([slack.close(), smtp.close(), api.close()])
  project.remove()
})

/** The same record in this deployment's words. */
function speakAcme(record: WireRecord): WireRecord {
  const fields = Object.entries(record).map(([name, value]) => [
    name.replace(/^main(?=[A-Z])/, 'acme').replace(/^zone(?=[A-Z])/, 'az'),
    name === 'txType' ? value.replace('Main', 'Acme').replace('Zone', 'AZ') : value,
  ])
  return Object.fromEntries(fields) as WireRecord
}

async function start(changed: Partial<typeof env> = {}) {
  const daemon = await startDaemon(project, { env: { ...env, ...changed } })
  running.push(daemon)
  return daemon
}

const naming = (...words: string[]) =>
  slack.messages.filter(({ text }) => words.every((word) => text.includes(word)))

test('another dialect with signed requests is read as the neutral one is', async () => {
  const failed = toOpenWire({ status: '0x0' })
  const deposit = toWire({ txType: 'MainToZone', crossType: 'Deposit' })
  api.records = [failed, deposit, ...Array.from({ length: 20 }, () => toWire())]
  await start()
  await until(() => naming(failed['zoneTxHash'] ?? '?', 'Withdrawal').length > 0)
  expect(api.requests.every(({ path }) => path.startsWith('/api/v5/acme/'))).toBe(true)
  expect(api.requests.some(({ path }) => path === '/api/v5/acme/az/cross/transaction-list')).toBe(true)
  const { stdout } = await runProgram(['transfers', 'list', '--json', '-c', project.configPath], { env })
  const directions = (JSON.parse(stdout) as { direction: string }[]).map(({ direction }) => direction)
  expect(directions.filter((direction) => direction === 'MainToZone')).toHaveLength(1)
  expect(naming('source.').map(({ text }) => text)).toEqual([])
}, 40_000)

test('check --online with the right secret finds nothing wrong with the source', async () => {
  api.records = [toWire()]
  const result = await runProgram(['check', '--online', '-c', project.configPath], { env })
  expect(result.stdout).toMatch(/ok +E3/)
  expect(result.stdout).toMatch(/ok +E12/)
})

test.each([
  { wrong: 'EXPLORER_SECRET', says: 'signature' },
  { wrong: 'EXPLORER_KEY', says: 'key' },
  { wrong: 'EXPLORER_PASSPHRASE', says: 'header' },
])(
  'check --online with a wrong $wrong exits 3 with a remedy that names explorer.auth',
  async ({ wrong, says }) => {
    const result = await runProgram(['check', '--online', '-c', project.configPath], {
      env: { ...env, [wrong]: 'canary-wrong-value' },
    })
    expect(result.code).toBe(3)
    expect(result.stdout).toMatch(/failed +E3/)
    expect(result.stdout).toContain(says)
    expect(result.stdout).toContain('explorer.auth')
    expect(result.stdout + result.stderr).not.toMatch(/canary[-/]|canary pass/)
  },
)

test('the daemon tells refused credentials, judges nothing, and says when they are accepted again', async () => {
  api.records = [toWire()]
  const daemon = await start({ EXPLORER_SECRET: 'canary-wrong-value' })
  await until(() => naming('source.rejected', 'signature').length > 0)
  expect((await fetch(`${daemon.page}/healthz`)).status).toBe(503)
  api.credentials = null
  await until(() => naming('source.rejected', 'resolved').length > 0, 25_000)
  expect(naming('source.unavailable')).toEqual([])
}, 40_000)

test.each(Object.keys(env))(
  'without the variable %s every command ends with exit code 2 and its name',
  async (missing) => {
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => name !== missing))
    for (const command of ['run', 'check', 'check --online']) {
      const result = await runCommand([...command.split(' '), '-c', project.configPath], { env: rest })
      expect([command, result.exitCode]).toEqual([command, 2])
      expect(result.err).toContain(missing)
      expect(result.err).toMatch(/spanwatch\.yaml:\d+:\d+/)
    }
  },
)

test('the process itself ends with 2 for a missing variable', async () => {
  const { EXPLORER_SECRET: _, ...rest } = env
  const result = await runProgram(['run', '-c', project.configPath], { env: rest })
  expect(result.code).toBe(2)
  expect(result.stderr).toContain('EXPLORER_SECRET')
})

test('F75: no secret appears in any output, whatever the service throws back', async () => {
  api.records = [toWire()]
  const daemon = await start()
  const failed = toOpenWire({ status: '0x0' })
  api.records.unshift(failed)
  await until(() => naming(failed['zoneTxHash'] ?? '?').length > 0)
  slack.respond({ kind: 'answer', status: 500, body: slack.url }, { kind: 'reset', when: 'before' })
  const quoted = [env.EXPLORER_KEY, env.EXPLORER_SECRET, env.EXPLORER_PASSPHRASE].join(' ')
  // An unknown code is told with the service's own words, and these quote the credentials.
  api.intercept = (_, response) => {
    send(response, 200, { code: '59999', msg: `refused: ${quoted}`, data: [] })
    return true
  }
  await until(() => naming('source.unavailable').length > 0, 25_000)
  const seen = await collectOutputs(daemon)
  const leaks = Object.entries(seen).flatMap(([place, text]) =>
    secretsIn(text).map((name) => `${name} in ${place}`),
  )
  expect(leaks).toEqual([])
}, 240_000)

/** Everything that leaves the program, by where it went. */
async function collectOutputs(daemon: Program & { page: string }): Promise<Record<string, string>> {
  const paths = ['/', '/transfers', '/metrics', '/healthz', '/readyz', '/api/status', '/api/alerts']
  const pages = await Promise.all(paths.map(async (path) => (await fetch(`${daemon.page}${path}`)).text()))
  const commands = [
    ['check'],
    ['check', '--online'],
    ['alerts', 'list', '--json'],
    ['alerts', 'list'],
    ['cursors', 'show'],
  ]
  const outputs: Record<string, string> = {}
  for (const command of commands) {
    const { stdout, stderr } = await runProgram([...command, '-c', project.configPath], { env })
    outputs[command.join(' ')] = stdout + stderr
  }
  const stateFolder = join(project.folder, 'state')
  mkdirSync(stateFolder, { recursive: true })
  return {
    ...outputs,
    ...Object.fromEntries(paths.map((path, index) => [path, pages[index] ?? ''])),
    stdout: daemon.stdout(),
    stderr: daemon.stderr(),
    slack: slack.requests.map(({ body }) => body).join('\n'),
    mail: smtp.mails.map(({ raw }) => raw).join('\n'),
    state: readWholeFolder(stateFolder),
  }
}

/** Names of the secrets in a text: plain, as part of a URL, of JSON, of HTML, in base64. */
function secretsIn(text: string): string[] {
  const secrets = { ...env, SLACK_PATH: new URL(slack.url).pathname.split('/').at(-1) ?? '?' }
  return Object.entries(secrets).flatMap(([name, value]) => {
    const forms = [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      value.replaceAll('"', '&quot;'),
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('latin1'),
    ]
    return forms.some((form) => text.includes(form)) ? [name] : []
  })
}
