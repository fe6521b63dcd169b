import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { openState } from '../../src/store/openState.ts'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import { shippedPoll } from '../support/incidents.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const second = 1_000
const minute = 60 * second

const still = 'traffic: { transfersPerMinute: 0, blockTransactions: 0 }\nhistory: { for: 1h, transfers: 0 }\n'
const of = (run: ScenarioRun, kind: string) => run.alerts().filter((alert) => alert.kind === kind)

describe('monitor.channel_dead', () => {
  /** A failure that is told to a channel that answers its first messages so, with another one beside it. */
  async function start(statuses: readonly number[]) {
    const [ops, spare] = [await createSlackInbox(), await createSlackInbox()]
    onTestFinished(() => Promise.all([ops.close(), spare.close()]).then(() => undefined))
    ops.respond(...statuses.map((status) => ({ kind: 'answer', status, body: 'no_service' }) as const))
    const channels = Object.entries({ ops, spare }).map(
      ([name, { url }]) => ({ name, type: 'slack', url: new Secret(url) }) as const,
    )
    const run = await runLeaping({
      scenario: `name: dead\n${still}timeline:\n  - { at: 20s, fault: transfer.failed, amount: "777.25", token: USDC }\n`,
      config: {
        poll: shippedPoll,
        channels,
        routes: [
          {
            match: null,
            channels: ['ops'],
            groupBy: ['rule'],
            groupWaitMs: 0,
            groupIntervalMs: minute,
            repeatMs: 14_400_000,
            continue: false,
          },
        ],
      },
    })
    const about = (inbox: typeof ops) => inbox.messages.filter(({ text }) => text.includes('777.25')).length
    return { run, spare, told: () => ({ ops: about(ops), spare: about(spare) }) }
  }

  test('a channel that refuses for good is told elsewhere, with what it refused', async () => {
    const { run, spare, told } = await start([404, 404])
    await run.untilTold('monitor.channel_dead', 3 * minute)
    await run.pass(minute)
    expect(told()).toEqual({ ops: 0, spare: 1 })
    expect(spare.messages.map(({ text }) => text).join('\n')).toContain('ops')
  })

  test('one that fails five times and then takes it is not', async () => {
    const { run, told } = await start([500, 502, 503, 500, 504])
    await run.pass(5 * minute)
    expect(of(run, 'monitor.channel_dead')).toEqual([])
    expect(told()).toEqual({ ops: 1, spare: 0 })
  })
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-worlds-'))
  onTestFinished(() => {
    for (const path of [folder, `${folder}-away`]) rmSync(path, { recursive: true, force: true })
  })
  return folder
}

describe('monitor.state_recovered', () => {
  /** A daemon that starts with the state of an earlier run. */
  async function start(prepare: (folder: string) => void) {
    const folder = makeFolder()
    const now = Date.now()
    const state = openState({ folder, since: now, now, reset: false })
    for (const page of [3, 4]) {
      const { cursors } = state
      cursors.write({ ...cursors.read(), sweep: { ...cursors.read().sweep, page } })
    }
    state.close()
    prepare(folder)
    return runLeaping({ scenario: `name: again\n${still}timeline: []\n`, config: { stateDir: folder } })
  }

  test('cursors that were broken are told, once', async () => {
    const run = await start((folder) => {
      for (const name of readdirSync(folder).filter((one) => one.startsWith('cursors')))
        writeFileSync(join(folder, name), '{"broken')
    })
    await run.pass(minute)
    expect(of(run, 'monitor.state_recovered')).toHaveLength(1)
  })

  test('rows of the ledger that cannot be read are told, once, and hold up nothing', async () => {
    const run = await runLeaping({ scenario: 'healthy' })
    await run.pass(3 * minute)
    const { db } = run.app.parts
    const count = () => Number(db.prepare('SELECT count(*) AS n FROM transfers').get()?.['n'])
    const before = count()
    db.prepare(
      `UPDATE transfers SET body = substr(body, 1, 9) WHERE key IN (
         SELECT key FROM transfers WHERE state = 'completed' ORDER BY origin_at DESC LIMIT 5)`,
    ).run()
    await run.pass(5 * minute)
    expect(count()).toBeGreaterThan(before)
    expect(run.alerts().map(({ kind }) => kind)).toEqual(['monitor.state_recovered'])
  })

  test('those of an earlier run are not', async () => {
    const run = await start(() => {})
    await run.pass(minute)
    expect(of(run, 'monitor.state_recovered')).toEqual([])
  })
})

describe('monitor.state_not_persisted', () => {
  async function start() {
    const folder = makeFolder()
    const scenario = `name: folder\n${still}timeline: []\n`
    return { folder, run: await runLeaping({ scenario, config: { stateDir: folder } }) }
  }

  test('a state folder that was removed under the daemon is told', async () => {
    const { folder, run } = await start()
    await run.pass(30 * second)
    renameSync(folder, `${folder}-away`)
    expect((await run.untilTold('monitor.state_not_persisted', minute)) - 30 * second).toBeLessThan(
      15 * second,
    )
  })

  test('files of it that can be made again are not', async () => {
    const { folder, run } = await start()
    await run.pass(30 * second)
    rmSync(join(folder, 'cursors.json'), { force: true })
    rmSync(join(folder, 'ballast'), { force: true })
    await run.pass(2 * minute)
    expect(of(run, 'monitor.state_not_persisted')).toEqual([])
  })
})

describe('monitor.rule_overflow', () => {
  const rules =
    'rules:\n  - { name: stalled, on: transfer.stalled, with: { after: 60s }, severity: critical }\n' +
    '  - { name: overflow, on: monitor.rule_overflow, severity: warning }\n'
  // All of one amount: of those that are found later, more than the least of the first would get places of their own.
  const start = (count: number) =>
    runLeaping({
      scenario: `name: overflow\n${still}timeline:\n  - { at: 5s, fault: transfer.stalled, direction: ZoneToMain, token: USDC, amount: "10000000", count: ${count}, spacing: 1ms }\n`,
      rules,
    })

  test('a rule that finds more than a thousand says how many more', async () => {
    const run = await start(1_001)
    await run.untilTold('monitor.rule_overflow', 10 * minute)
    await run.pass(minute)
    expect(of(run, 'transfer.stalled')).toHaveLength(1_000)
    expect(of(run, 'monitor.rule_overflow')).toMatchObject([{ subject: 'stalled', severity: 'warning' }])
  })

  test('one that finds a thousand is not told', async () => {
    const run = await start(1_000)
    await run.untilTold('transfer.stalled', 10 * minute)
    await run.pass(3 * minute)
    expect(of(run, 'transfer.stalled')).toHaveLength(1_000)
    expect(of(run, 'monitor.rule_overflow')).toEqual([])
  })
})
