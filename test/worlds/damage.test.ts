import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { damages } from '../support/damage.ts'
import { toWire } from '../support/fakeExplorer.ts'
import { startProgram } from '../support/realMonitor.ts'
import { createOwnDaemon } from '../support/ownDaemon.ts'
import { until } from '../support/startMonitor.ts'

async function setUp(context: Pick<TestContext, 'onTestFinished'>, backups?: object) {
  const own = await createOwnDaemon(context, {
    records: Array.from({ length: 50 }, () => toWire()),
    project: { ...(backups && { more: { backups } }) },
  })
  const { inbox, project, running } = own
  return {
    ...own,
    state: join(project.folder, 'state'),
    path: join(project.folder, 'state', 'ledger.sqlite'),
    told: () => inbox.messages.filter(({ text }) => text.includes('the ledger is damaged')),
    startAnyway: () => {
      const program = startProgram(['run', '-c', project.configPath])
      running.push(program)
      return program
    },
  }
}

test.concurrent('F84: a ledger that is damaged under the daemon ends it with 2, after the channels were told', async (context) => {
  const { path, start, told } = await setUp(context)
  const daemon = await start()
  damages['overwritten pages']?.(path)
  expect(await daemon.ended).toBe(2)
  expect(told()).toHaveLength(1)
  expect(told()[0]?.text).toMatch(/Restore it from a backup/)
  expect(daemon.stderr()).toMatch(/--reset-state/)
  expect(daemon.stderr()).not.toContain('this is a bug')
}, 120_000)

test.concurrent('F84: a daemon that finds its ledger damaged at the start tells it once, however often it is started', async (context) => {
  const { path, start, startAnyway, told } = await setUp(context)
  const daemon = await start()
  daemon.kill('SIGKILL')
  await daemon.ended
  damages['a zeroed header']?.(path)
  for (let round = 0; round < 2; round += 1) {
    const program = startAnyway()
    expect(await program.ended).toBe(2)
    expect(program.stderr()).toMatch(/--reset-state/)
    expect(program.stderr()).not.toContain('    at ')
  }
  await until(() => told().length > 0)
  expect(told()).toHaveLength(1)
}, 120_000)

test.concurrent('F86: with backups.recover a damaged ledger is replaced by its newest backup, and repeats are marked', async (context) => {
  const { state, path, start, told, addFailure, naming } = await setUp(context, { recover: true })
  // Its own start alone began anew: what is put back later is not set aside.
  const daemon = await start('--reset-state')
  const backups = () => readdirSync(state).includes('backups') && readdirSync(join(state, 'backups'))
  await until(() => JSON.stringify(backups()).includes('.sqlite"'))
  const before = addFailure()
  await until(() => naming(before).length === 1)
  damages['overwritten pages']?.(path)
  // The next look at the whole file comes after a hundred times what the last one took: a busy machine makes that minutes.
  await until(() => told().length === 1, 150_000)
  expect(told()[0]?.text).toMatch(/goes on from the backup of 20/)
  await until(() => naming(before).length === 2)
  expect(naming(before)[0]?.text).not.toContain('may have been sent before')
  expect(naming(before)[1]?.text).toContain('may have been sent before')
  const after = addFailure()
  await until(() => naming(after).length === 1)
  expect(daemon.isRunning()).toBe(true)
  expect(readdirSync(state).filter((name) => name.includes('.damaged-')).length).toBeGreaterThan(0)
}, 240_000)

test.concurrent('SIGUSR1 opens no debugger, whatever the process was started with', async (context) => {
  const { start } = await setUp(context)
  const daemon = await start()
  daemon.kill('SIGUSR1')
  const answers = () => fetch(`${daemon.page}/healthz`).then(({ ok }) => ok)
  await until(() => daemon.isRunning())
  expect(await answers().catch(() => null)).not.toBeNull()
  expect(daemon.stderr()).not.toContain('Debugger')
}, 60_000)
