import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createProject, endProgram, type Program, type Project, startDaemon } from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'
import { runCommand } from '../unit/cli/testIo.ts'

// Nothing answers here: the outage itself is the alert that is operated on.
const nowhere = 'http://127.0.0.1:9'
const rules = `rules:
  - { name: outage, on: source.unavailable, severity: critical }
`

let inbox: Awaited<ReturnType<typeof createSlackInbox>>
let project: Project
let daemon: Program

beforeAll(async () => {
  inbox = await createSlackInbox({})
  project = createProject({
    url: nowhere,
    rules,
    channels: { ops: { type: 'slack', url: inbox.url }, backup: { type: 'console' } },
    routes: [
      {
        match: 'rule == "outage"',
        channels: ['ops'],
        groupBy: ['rule'],
        groupWait: '0s',
        groupInterval: '1s',
      },
      { channels: ['backup'] },
    ],
  })
  daemon = await startDaemon(project)
})

afterAll(async () => {
  await endProgram(daemon)
  await inbox.close()
  project.remove()
})

async function run(...args: string[]) {
  const [group = '', name = '', ...rest] = args
  const argv = [group, name, '-c', project.configPath, ...rest]
  const { exitCode: code, out: stdout } = await runCommand(argv, { env: { USER: 'ana' } })
  return { code, stdout, json: () => JSON.parse(stdout) }
}

/** On a busy machine a shipped rule on the monitor itself may fire beside it. */
async function findOutage(): Promise<{ readonly id: string }> {
  const listed: { id: string; rule: string }[] = (await run('alerts', 'list', '--open', '--json')).json()
  const outage = listed.find(({ rule }) => rule === 'outage')
  expect(outage).toBeDefined()
  return outage as { id: string }
}

// One story of one daemon: what a step finds is what the one before left.
describe('a day of operating', { shuffle: false }, () => {
  describe('beside a running daemon', () => {
    test('an alert is shown with its decisions, acknowledged, and the daemon knows', async () => {
      await until(() => inbox.messages.some(({ text }) => text.includes('outage')), 90_000)
      const alert = await findOutage()
      const acked = await run('alerts', 'ack', alert.id)
      expect([acked.code, acked.stdout]).toEqual([0, expect.stringContaining('acknowledged by ana')])
      const story = (await run('alerts', 'show', alert.id, '--json')).json()
      expect(story.ack.by).toBe('ana')
      const said = story.decisions.map(({ what }: { what: string }) => what)
      expect(said).toEqual(expect.arrayContaining(['fired', 'told firing', 'acknowledged']))
      expect(story.messages[0]).toMatchObject({ channel: 'ops', what: 'firing', state: 'sent' })
      expect((await run('alerts', 'show', alert.id)).stdout).toContain('told firing: first, to ops')
      expect((await run('alerts', 'show', '00000000')).code).toBe(1)
      expect(daemon.stderr()).toContain('"what":"acknowledged"')
    })

    test('its case is known by that, and is noted and given to somebody through the daemon', async () => {
      const alert = await findOutage()
      const { id } = (await run('alerts', 'show', alert.id, '--json')).json().case
      expect((await run('cases', 'show', id, '--json')).json()).toMatchObject({
        id,
        state: 'acknowledged',
        by: 'ana',
      })
      const noted = await run('cases', 'note', id, '--text', 'asked the operator', '--by', 'ben')
      expect([noted.code, noted.stdout]).toEqual([0, expect.stringContaining('acknowledged by ana')])
      const given = (await run('cases', 'assign', id, '--to', 'eve', '--json')).json()
      expect(given).toMatchObject({ id, assignee: 'eve', findings: [{ id: alert.id }] })
      expect(given.timeline).toContainEqual(expect.objectContaining({ what: 'noted', by: 'ben' }))
      expect((await run('cases', 'list')).stdout).toContain('assigned to eve')
    })

    test('a silence is added, listed, holds for routes, and is ended', async () => {
      const added = await run(
        'silences',
        'add',
        'kind=~source\\..*',
        '--for',
        '1h',
        '--comment',
        'maintenance',
        '--json',
      )
      expect(added.code).toBe(0)
      const { id } = added.json()
      expect((await run('silences', 'list')).stdout).toContain('by ana: maintenance')
      const routed = (await run('routes', 'test', 'rule=outage', '--json')).json()
      expect(routed).toMatchObject({ channels: [], silence: { id } })
      expect((await run('silences', 'expire', String(id))).code).toBe(0)
      expect((await run('routes', 'test', 'rule=outage', '--json')).json().channels).toEqual(['ops'])
      expect((await run('routes', 'test', 'rule=other', '--json')).json().channels).toEqual(['backup'])
      expect((await run('silences', 'expire', String(id))).code).toBe(2)
      expect((await run('silences', 'expire', '99')).code).toBe(1)
    })

    test.each([
      ['without an end', ['rule=x', '--comment', 'y']],
      ['that matches everything', ['rule=~.*', '--for', '1h', '--comment', 'y']],
      ['with a pattern that RE2 does not take', ['rule=~(?=a)', '--for', '1h', '--comment', 'y']],
    ])('a silence %s is refused with 2', async (_, args) => {
      const result = await run('silences', 'add', ...args)
      expect([result.code, result.stdout]).toEqual([2, ''])
    })

    test('a channel is tried, and a cursor rewound', async () => {
      const tried = await run('channels', 'test', 'ops', '--json')
      expect([tried.code, tried.json().result]).toEqual([0, 'ack'])
      expect(inbox.messages.at(-1)?.text).toContain('Test message of spanwatch')
      expect((await run('channels', 'test', 'opps')).code).toBe(1)
      expect((await run('cursors', 'rewind', '--to', 'genesis')).code).toBe(0)
      expect((await run('cursors', 'show', '--json')).json().history).toMatchObject({ until: 0, done: false })
      expect((await run('outbox', 'list', '--state', 'dead')).stdout).toBe('Nothing is dead.\n')
    })

    test('a page of another site changes nothing', async () => {
      const response = await fetch(`${(daemon as Program & { page: string }).page}/api/cursors/rewind`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
        body: '{"until":0}',
      })
      expect(response.status).toBe(403)
    })
  })

  describe('without a daemon', () => {
    test('the ledger itself is changed, and the next daemon keeps to it', async () => {
      expect(await endProgram(daemon)).toBe(0)
      expect(existsSync(join(project.folder, 'state', 'daemon.json'))).toBe(false)
      const added = await run('silences', 'add', 'rule=outage', '--for', '1h', '--comment', 'night', '--json')
      expect(added.code).toBe(0)
      const alert = await findOutage()
      expect((await run('alerts', 'ack', alert.id, '--by', 'ben')).code).toBe(0)
      expect((await run('outbox', 'retry', 'dead', '--json')).json()).toEqual({ count: 0 })
      expect((await run('outbox', 'drop', '1')).code).toBe(2)
      daemon = await startDaemon(project)
      expect((await run('silences', 'list', '--json')).json()).toHaveLength(1)
      expect((await run('alerts', 'show', alert.id, '--json')).json().ack.by).toBe('ben')
    })

    test('before a first start there is nothing to change', async () => {
      const empty = createProject({ url: nowhere })
      const result = await runCommand(['alerts', 'ack', 'abcd', '--by', 'x', '-c', empty.configPath])
      expect([result.exitCode, result.err]).toEqual([1, expect.stringContaining('start the daemon first')])
      empty.remove()
    })
  })
})
