import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { metricDefinitions } from '../../src/web/metricDefinitions.ts'
import { problemsOf } from '../unit/config/loadInMemory.ts'
import { hasProgram } from '../support/hasProgram.ts'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What a program says, be it content or not. */
async function say(program: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await exec(program, words).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return `${stdout}${stderr}`
}

describe.runIf(hasProgram('systemd-analyze'))('systemd units', () => {
  test.each(['spanwatch.service', 'spanwatch@.service'])('%s is understood whole', async (unit) => {
    const said = await say('systemd-analyze', 'verify', join(root, 'deploy', unit))
    // The only thing that it may miss is the place where spanwatch is installed.
    const complaints = said
      .split('\n')
      .filter((line) => line.includes('spanwatch') && !line.includes('/opt/spanwatch/'))
    expect(complaints).toEqual([])
  })

  test('the drop-in for one of two machines is understood with its unit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'spanwatch@.service'), read('deploy/spanwatch@.service'))
    mkdirSync(join(folder, 'spanwatch@.service.d'))
    const dropIn = join(folder, 'spanwatch@.service.d/replicas.conf')
    const complaintsOf = async (text: string) => {
      writeFileSync(dropIn, text)
      const said = await say('systemd-analyze', 'verify', join(folder, 'spanwatch@.service'))
      return said.split('\n').filter((line) => line.includes('replicas.conf'))
    }
    expect(await complaintsOf(read('deploy/replicas.conf'))).toEqual([])
    expect(await complaintsOf('[Service]\nLoadCredential\nWatchdogSec=soon\n')).not.toEqual([])
  })

  test('a mistake in a unit would be noticed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spanwatch-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'spanwatch.service')
    writeFileSync(path, read('deploy/spanwatch.service').replace('RestartSec=5s', 'RestartSec=soon'))
    expect(await say('systemd-analyze', 'verify', path)).toContain('soon')
  })

  test.each(['spanwatch.service', 'spanwatch@.service'])('%s gives little away', async (unit) => {
    const said = await say('systemd-analyze', 'security', '--offline=true', join(root, 'deploy', unit))
    const [, exposure] = /exposure level for .*: ([\d.]+)/.exec(said) ?? []
    expect(Number(exposure)).toBeLessThanOrEqual(2)
  })
})

test('the unit does not start again what only an edit can mend, and anything else however often', () => {
  for (const unit of ['spanwatch.service', 'spanwatch@.service']) {
    expect(read(`deploy/${unit}`)).toContain('RestartPreventExitStatus=2 75\n')
    expect(read(`deploy/${unit}`)).toContain('StartLimitIntervalSec=0\n')
  }
})

test('the configuration of two machines loads, with what the drop-in gives it, and for a command beside it', () => {
  const at = (name: string) => `/run/credentials/spanwatch@usdc-zone.service/${name}`
  const files = {
    [at('database_url')]: 'postgres://spanwatch:x@db.example/spanwatch',
    [at('slack_webhook')]: 'https://hooks.example/T/B/x',
  }
  const surroundings = { files, folders: ['/opt/spanwatch/rules'] }
  expect(problemsOf(read('deploy/replicas.yaml'), surroundings)).toEqual([])
  expect(read('deploy/replicas.conf')).toContain('\nLoadCredential=database_url:')
})

describe.runIf(hasProgram('promtool'))('Prometheus rules', () => {
  test('fire and stay silent as their tests say', async () => {
    const said = await say('promtool', 'test', 'rules', join(root, 'deploy/prometheus-rules.test.yaml'))
    expect(said).toContain('SUCCESS')
    expect(said).not.toContain('FAILED')
  })
})

test('the Prometheus rules name metrics that exist', () => {
  const names = new Set(metricDefinitions.map(({ name }) => name))
  const used = read('deploy/prometheus-rules.yaml').match(/spanwatch_\w+/g) ?? []
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((name) => !names.has(name))).toEqual([])
})

test('the Dockerfile has no fault that its linter knows', async () => {
  const { validate } = await import('dockerfile-utils')
  const tellOf = (text: string) => validate(text).map(({ range }) => range.start.line + 1)
  expect(tellOf(read('Dockerfile'))).toEqual([])
  expect(tellOf(read('Dockerfile').replace('USER node', 'USR node'))).not.toEqual([])
})

test.each(['x64', 'arm64'])('the image keeps what draws the charts of a report, on %s', (cpu) => {
  const lock: { packages: Record<string, { optional?: true }> } = JSON.parse(read('package-lock.json'))
  const [install = ''] = /^npm ci .*$/m.exec(read('build/assemble')) ?? []
  const kept = Object.entries(lock.packages)
    .filter(([, { optional }]) => optional !== true || !install.includes('--omit=optional'))
    .map(([path]) => path)
  expect(kept).toContain(`node_modules/@resvg/resvg-js-linux-${cpu}-gnu`)
  expect(read('build/assemble')).not.toContain('node_modules/@resvg')
})

test('everything that is packed is let into the image', () => {
  const { files }: { files: string[] } = JSON.parse(read('package.json'))
  const open = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  const isOpen = (path: string) =>
    open.some((line) => path === line.slice(1) || path.startsWith(`${line.slice(1)}/`))
  // One that begins with an exclamation mark is left out.
  const packed = files.filter((path) => path !== 'dist' && !path.startsWith('!'))
  expect(packed.filter((path) => !isOpen(path))).toEqual([])
})

test('no debugger can be attached to a daemon by a signal', () => {
  expect(read('Dockerfile')).toMatch(/^ENTRYPOINT .*"--disable-sigusr1"/m)
  for (const unit of ['spanwatch.service', 'spanwatch@.service'])
    expect(read(`deploy/${unit}`)).toMatch(/^ExecStart=.* --disable-sigusr1 /m)
})

test('the compose file builds this Dockerfile, writes to the state alone and keeps to what the daemon needs', () => {
  const { services } = parse(read('deploy/compose.yaml')) as {
    services: { spanwatch: Record<string, unknown> }
  }
  expect(services.spanwatch).toMatchObject({ build: '..', read_only: true, cap_drop: ['ALL'] })
  expect(services.spanwatch['volumes']).toContain('state:/var/lib/spanwatch')
  // What on-failure does not start again: a daemon that ended well because its machine was started anew.
  expect(services.spanwatch['restart']).toBe('unless-stopped')
  expect(read('Dockerfile')).toContain('VOLUME /var/lib/spanwatch')
})
