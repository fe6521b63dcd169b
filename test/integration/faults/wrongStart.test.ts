import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveStart } from '../../../src/daemon/resolveStart.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import type { StartFrom } from '../../../src/kernel/settings.ts'
import { createLog } from '../../../src/lib/log.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { plainConfig } from '../../support/appConfig.ts'
import { createFakeExplorer } from '../../support/fakeExplorer.ts'

const day = 86_400_000
const minute = 60_000

async function setUp(aheadMs: number) {
  const api = await createFakeExplorer()
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-start-'))
  onTestFinished(async () => {
    await api.close()
    rmSync(stateDir, { recursive: true, force: true })
  })
  const machine = createSystemClock()
  const clock = { ...machine, now: () => machine.now() + aheadMs }
  const config = { ...plainConfig, stateDir, explorer: { ...plainConfig.explorer, baseUrl: api.url } }
  const deps = {
    clock,
    log: createLog({ write: () => undefined }),
    write: () => undefined,
    random: () => 0.5,
  }
  const start = (options: { from?: StartFrom; resetState?: boolean } = {}) =>
    resolveStart(deps, {
      config: { ...config, start: { from: options.from ?? config.start.from } },
      resetState: options.resetState ?? false,
    }).then((resolved) => resolved.start.from)
  return { api, stateDir, start }
}

test('F106: a first start by a clock that is two days ahead begins where everybody else is', async () => {
  const { start } = await setUp(2 * day)
  const from = await start()
  expect(from.kind).toBe('ago')
  const ms = from.kind === 'ago' ? from.ms : 0
  // A day is what a start looks back over.
  expect(Math.abs(ms - 3 * day)).toBeLessThan(minute)
})

test.each([
  { title: 'right', aheadMs: 0 },
  { title: 'a minute ahead', aheadMs: minute },
  { title: 'a day behind', aheadMs: -day },
])('a first start by a clock that is $title stays as it is', async ({ aheadMs }) => {
  const { start } = await setUp(aheadMs)
  expect(await start()).toEqual({ kind: 'now' })
})

test.each([
  { title: 'its blocks are late and its own clock is right', ownMs: 0, blocksMs: -2 * day },
  { title: 'its own clock is late and its blocks are not', ownMs: -2 * day, blocksMs: 0 },
])('of one explorer that contradicts itself nothing follows: $title', async ({ ownMs, blocksMs }) => {
  const { api, start } = await setUp(0)
  api.now = () => Date.now() + blocksMs
  api.intercept = (_, response) => (
    response.setHeader('date', new Date(Date.now() + ownMs).toUTCString()), false
  )
  expect(await start()).toEqual({ kind: 'now' })
})

test('an explorer that does not answer keeps nothing from starting', async () => {
  const { api, start } = await setUp(2 * day)
  api.intercept = (_, response) => (response.writeHead(500).end(), true)
  expect(await start()).toEqual({ kind: 'now' })
})

test('a ledger that is set aside begins anew at the height that is written, another one goes on', async () => {
  const { api, stateDir, start } = await setUp(0)
  const at = Date.now() - 5 * day
  api.now = () => at
  writeFileSync(ledgerPath(stateDir), '')
  const from: StartFrom = { kind: 'height', chain: 'main', height: 1 }
  expect(await start({ from })).toEqual({ kind: 'now' })
  const anew = await start({ from, resetState: true })
  expect(anew.kind === 'ago' && Math.abs(anew.ms - 5 * day) < minute).toBe(true)
})
