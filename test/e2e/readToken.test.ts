import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createProject, endProgram, type Program, type Project, startDaemon } from '../support/realMonitor.ts'
import { runCommand } from '../unit/cli/testIo.ts'

// The daemon runs by one configuration; who may only look has another one, in which `http.token` is what the daemon
// calls `http.readToken`.
const tokens = { token: 'the-token-that-may-act', readToken: 'the-token-that-may-look' }

let project: Project
let daemon: Program
let lookerConfig: string

beforeAll(async () => {
  project = createProject({ url: 'http://127.0.0.1:9', http: tokens })
  daemon = await startDaemon(project)
  const config = parse(readFileSync(project.configPath, 'utf8'))
  config.http = { ...config.http, token: tokens.readToken, readToken: null }
  lookerConfig = join(project.folder, 'looker.yaml')
  writeFileSync(lookerConfig, stringify(config))
})

afterAll(async () => {
  await endProgram(daemon)
  project.remove()
})

async function run(configPath: string, args: readonly string[]) {
  const {
    exitCode: code,
    out: stdout,
    err: stderr,
  } = await runCommand([...args, '-c', configPath], {
    env: { USER: 'ana' },
  })
  return { code, stdout, stderr }
}

const looks = [
  ['alerts', 'list'],
  ['silences', 'list'],
  ['outbox', 'list'],
  ['transfers', 'list'],
  ['cursors', 'show'],
  ['learned'],
  ['routes', 'test', 'rule=outage'],
]
const acts = [
  ['silences', 'add', 'kind=source.unavailable', '--for', '2h', '--comment', 'migration', '--by', 'ana'],
  ['silences', 'expire', '1'],
  ['outbox', 'retry', 'dead'],
  ['outbox', 'drop', '1'],
  ['cursors', 'rewind', '--to', '1d'],
  ['alerts', 'ack', '612cb0aa', '--by', 'ana'],
]

test.each(looks.map((args) => ({ args, title: args.join(' ') })))(
  '`$title` works for whoever may only look',
  async ({ args }) => {
    const { code, stderr } = await run(lookerConfig, args)
    expect(stderr).not.toMatch(/token/)
    expect(code).toBe(0)
  },
)

test.each(acts.map((args) => ({ args, title: args.join(' ') })))(
  '`$title` is refused to whoever may only look, with the token that it needs',
  async ({ args }) => {
    const { code, stdout, stderr } = await run(lookerConfig, args)
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain('http.readToken may look and change nothing')
    expect(stderr).toContain(
      "this needs http.token. The one of this configuration is the daemon's http.readToken.",
    )
    expect(stderr).not.toContain('Sign out')
    expect(stderr).not.toContain(tokens.readToken)
  },
)

test('a token that is neither is refused as that', async () => {
  const config = parse(readFileSync(lookerConfig, 'utf8'))
  const path = join(project.folder, 'stranger.yaml')
  writeFileSync(path, stringify({ ...config, http: { ...config.http, token: 'a-token-of-somebody-else' } }))
  const { code, stderr } = await run(path, ['outbox', 'retry', 'dead'])
  expect(code).not.toBe(0)
  expect(stderr).toContain("http.token of this configuration is not the daemon's")
})

test('beside `http.readToken` the configuration of the daemon acts by `http.token`', async () => {
  const { code, stdout } = await run(project.configPath, acts[0] ?? [])
  expect([code, stdout]).toEqual([0, expect.stringContaining('kind="source.unavailable"')])
})
