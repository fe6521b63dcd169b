import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../unit/cli/testIo.ts'

/** Starts `spanwatch sandbox`, and gives what it printed. */
async function startSandbox(...words: string[]): Promise<string> {
  const stop = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  const printed = await new Promise<string>((resolve) => {
    ended = runCommand(['sandbox', '--scenario', 'healthy', ...words], { stop: stop.signal, onOut: resolve })
  })
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return printed
}

async function checkOnline(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-sandbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'spanwatch.yaml')
  writeFileSync(path, text)
  return await runCommand(['check', '--online', '-c', path])
}

test.each([
  ['as it is', []],
  ['with access headers', ['--auth']],
  ['in other words', ['--dialect', 'alpha,beta']],
  ['with headers in other words', ['--auth', '--dialect', 'alpha,beta,ACME']],
  ['with other names of chains', ['--chains', 'FIRST,second-chain']],
])('what the sandbox prints, %s, is a whole configuration that check --online accepts', async (_, words) => {
  const { exitCode, out, err } = await checkOnline(await startSandbox(...words))
  expect([exitCode, err]).toEqual([0, ''])
  expect(out).toContain('of sources and channels all answer.')
  const missing = /^not watched, and what to write\n(.*?)\n\n/ms.exec(out)?.[1] ?? ''
  const settings = [...missing.matchAll(/^ {2}(\S+):/gm)].map(([, name]) => name)
  expect(settings.length).toBeGreaterThan(0)
  for (const watched of ['escrows', 'tokens', 'contracts', 'operators'].map((name) => `bridge.${name}`))
    expect(settings).not.toContain(watched)
  expect(settings).not.toContain('preconf')
  expect(settings).not.toContain('canonical')
})

test.each([
  ['a wrong chain name', ['--chains', 'FIRST,SECOND'], /chains: .*/, 'chains: { main: OTHER, zone: SECOND }'],
  ['no access headers', ['--auth'], /^ {2}auth: .*$/m, ''],
  ['words of another dialect', ['--dialect', 'alpha,beta'], /^ {2}dialect:\n(?: {4}.*\n)+/m, ''],
])('%s is noticed by check --online', async (_, words, right, wrong) => {
  const printed = await startSandbox(...words)
  const { exitCode, out } = await checkOnline(printed.replace(right, wrong))
  expect([exitCode, out]).toEqual([3, expect.stringContaining('failed')])
})

test.each([
  ['--dialect', 'alpha', 'expected two different words in small letters'],
  ['--dialect', 'alpha,alpha', 'expected two different words'],
  ['--chains', 'ONE', 'expected two different names, such as MAINCHAIN,ZONE_CHAIN, got "ONE"'],
  ['--chains', 'A,B C', 'expected two different names'],
])('%s %s is refused', async (option, value, problem) => {
  const { exitCode, err } = await runCommand(['sandbox', option, value])
  expect([exitCode, err]).toEqual([2, expect.stringContaining(problem)])
})
