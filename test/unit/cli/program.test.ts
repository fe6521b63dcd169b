import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOutput } from '../../../src/cli/io.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { runCommand } from './testIo.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const smallest = 'explorer: { baseUrl: "http://127.0.0.1:1/", chains: { main: A, zone: B } }\n'

function writeConfig(text: string): string {
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(path, text)
  return path
}

describe('usage', () => {
  test.each([
    ['an unknown command', ['chek'], 'Did you mean check?'],
    ['an unknown option', ['check', '--onlin'], 'Did you mean --online?'],
    [
      'an unknown schema',
      ['schema', 'nope'],
      'expected one of config, rules, rules-test, scenario, got "nope"',
    ],
    ['a port that is none', ['sandbox', '--port', '65536'], 'expected a port from 0 to 65535, got "65536"'],
    [
      'a speed that is none',
      ['sandbox', '--speed', 'fast'],
      'expected a number from 0.1 to 10000, got "fast"',
    ],
    ['a scenario that is none', ['sandbox', '--scenario', 'nope'], "no scenario 'nope'"],
    ['a speed that is none', ['demo', '--speed', 'fast'], 'got "fast"'],
    ['a place without a port', ['demo', '--listen', '127.0.0.1'], '--listen: expected a port'],
    ['a demo for others', ['demo', '--listen', '0.0.0.0:0', '--for', '1ms'], 'of this machine alone'],
    [
      'a missing configuration',
      ['check', '-c', '/nowhere/x.yaml'],
      '/nowhere/x.yaml:1:1: the configuration cannot be read: there is no such file',
    ],
    ['no command at all', [], 'Usage: spanwatch'],
  ])('%s ends with 2 and says so', async (_, argv, text) => {
    const { exitCode, out, err } = await runCommand(argv)
    expect([exitCode, out]).toEqual([2, ''])
    expect(err).toContain(text)
  })

  test('--help lists every command and ends with 0', async () => {
    const { exitCode, out } = await runCommand(['--help'])
    expect(exitCode).toBe(0)
    const listed = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
    expect(listed).toEqual(
      expect.arrayContaining(['run', 'check', 'schema', 'transfers', 'alerts', 'cursors', 'demo', 'sandbox']),
    )
  })

  test('--version prints that of the package', async () => {
    const { exitCode, out } = await runCommand(['--version'])
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  })

  test.each(['config', 'rules', 'rules-test', 'scenario'])('schema %s is JSON Schema', async (name) => {
    const { exitCode, out } = await runCommand(['schema', name])
    expect(exitCode).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: expect.anything() })
  })
})

describe('check', () => {
  test('a good configuration is described and ends with 0', async () => {
    const { exitCode, out, err } = await runCommand(['check', '-c', writeConfig(smallest)])
    expect([exitCode, err]).toEqual([0, ''])
    expect(out).toContain('explorer   http://127.0.0.1:1, chains A and B, without access headers\n')
    expect(out.endsWith('The configuration is fine.\n')).toBe(true)
  })

  test('says who is told of what nobody takes', async () => {
    const channels =
      'channels: { ops: { type: console }, boss: { type: webhook, url: "http://127.0.0.1:9/x" } }\n'
    const routes = 'routes: [ { channels: [ops], escalate: [ { after: 10m, channels: [boss] } ] } ]\n'
    const { out } = await runCommand(['check', '-c', writeConfig(`${smallest}${channels}${routes}`)])
    expect(out).toMatch(/^route +everything to ops, .*; untaken after 10m to boss$/m)
  })

  test('warnings are printed and do not change the exit code', async () => {
    const path = writeConfig(`${smallest}channels: { a: { type: webhook, url: "http://h.example/x" } }\n`)
    const { exitCode, out } = await runCommand(['check', '-c', path])
    expect(exitCode).toBe(0)
    expect(out).toContain('`channels.a.url` is plain http to another machine')
  })

  test.each(['check', 'run'])(
    '%s: a route with an unknown name ends with 2 and points into it',
    async (command) => {
      const path = writeConfig(`${smallest}routes: [{ match: 'severty == "x"', channels: [console] }]\n`)
      const { exitCode, err } = await runCommand([command, '-c', path])
      expect(exitCode).toBe(2)
      expect(err).toContain(`${path}:2:20: unknown name \`severty\`, did you mean \`severity\`?`)
    },
  )

  test.each(['check', 'run'])(
    '%s refuses an address of a mail server that lifts encryption',
    async (command) => {
      const smtp = 'smtp://u:a-long-password@mail.example:587?tls.rejectUnauthorized=false'
      const path = writeConfig(
        `${smallest}channels: { ops: { type: email, smtp: "${smtp}", from: a@b.example, to: [c@d.example] } }\n`,
      )
      const { exitCode, out, err } = await runCommand([command, '-c', path])
      expect([exitCode, out]).toEqual([2, ''])
      expect(err).toMatch(/spanwatch\.yaml:2:\d+: channel ops: smtp takes no parameter but requireTLS=true/)
      expect(err).not.toContain('a-long-password')
    },
  )

  test('what the configuration does not watch is listed, with what to write', async () => {
    const { out } = await runCommand(['check', '-c', writeConfig(smallest)])
    expect(out).toContain('not watched, and what to write\n')
    for (const [setting, write] of [
      ['bridge.escrows', 'escrows: [ { address: "0x…", token: "0x…" } ]'],
      ['bridge.contracts', 'contracts: [ "0x…" ]'],
      ['canonical', 'canonical: { url: "https://…" }'],
      ['preconf', 'preconf: { url: "https://…" }'],
      ['bridge.operators', 'minBalance: "0.5"'],
      ['bridge.tokens', 'symbol: USDC'],
      ['bridge.challenge', 'terminal: [ … ]'],
      ['bridge.fees', 'direction: ZoneToMain'],
      ['channels', 'type: slack'],
      ['reports.daily', 'cron: "0 8 * * *"'],
      ['heartbeat', 'heartbeat: { url:'],
      ['canary', 'canary: { cron:'],
    ] as const) {
      expect(out).toContain(`\n  ${setting}: `)
      expect(out).toContain(write)
    }
    expect(out).not.toContain('no rule reports')
    const watched = await runCommand([
      'check',
      '-c',
      writeConfig(`${smallest}preconf: { url: "http://127.0.0.1:1" }\n`),
    ])
    expect(watched.out).not.toContain('\n  preconf: ')
  })

  test('kinds that no rule of the operator tells are listed, but for those that are shipped all the same', async () => {
    mkdirSync(join(folder, 'rules'))
    writeFileSync(
      join(folder, 'rules/own.yaml'),
      'rules: [ { name: f, on: transfer.failed, severity: critical } ]\n',
    )
    const { out } = await runCommand(['check', '-c', writeConfig(smallest)])
    expect(out).toContain('\n  rules: no rule reports transfer.stalled, transfer.unbacked, ')
    expect(out).not.toMatch(/no rule reports .*(transfer\.failed|source\.|preconf\.)/)
    expect(out).toContain('rules: [ { name: transfer-stalled, on: transfer.stalled, severity: warning } ] #')
  })

  test('a broken rule ends with 2 and its place', async () => {
    writeFileSync(join(folder, 'rules.yaml'), '')
    const path = writeConfig(`${smallest}rules: .\n`)
    writeFileSync(
      join(folder, 'rules.yaml'),
      'rules:\n  - name: x\n    on: transfer.faild\n    severity: info\n',
    )
    const { exitCode, err } = await runCommand(['check', '-c', path])
    expect(exitCode).toBe(2)
    expect(err).toMatch(/rules\.yaml:3:\d+: .*transfer\.failed/)
  })

  test('a missing variable is named', async () => {
    const path = writeConfig(`${smallest}http: { token: "\${SPANWATCH_TOKEN}" }\n`)
    const { exitCode, err } = await runCommand(['check', '-c', path])
    expect(exitCode).toBe(2)
    expect(err).toContain(`${path}:2:16: the environment variable SPANWATCH_TOKEN is not set`)
  })

  test('--online ends with 3 when nothing answers, with a remedy', async () => {
    const { exitCode, out } = await runCommand(['check', '--online', '-c', writeConfig(smallest)])
    expect(exitCode).toBe(3)
    expect(out).toMatch(/failed {2}E3 .*refused/)
    expect(out).toContain('Check explorer.baseUrl')
  })
})

test('output hides what was protected, also when it was protected later', () => {
  const lines: string[] = []
  const output = createOutput({ out: (text) => lines.push(text), err: (text) => lines.push(text) })
  output.protect([new Secret('first-secret')])
  output.protect([new Secret('second-secret')])
  output.out('a first-secret')
  output.err('b second-secret')
  expect(lines).toEqual(['a [redacted]', 'b [redacted]'])
})
