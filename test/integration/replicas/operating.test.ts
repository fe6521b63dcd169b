import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../../../src/cli/io.ts'
import { type Clock, createSystemClock } from '../../../src/lib/clock.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { openConnections } from '../../../src/replicas/connect.ts'
import { listLacking } from '../../../src/replicas/rights.ts'
import { failuresEvery, openReplicaWorld, type ReplicaWorld, untilHeld } from '../../support/replicaWorld.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

async function until(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`did not hold within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const password = 'not-to-be-seen-anywhere'

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}, clock?: Clock) {
  const {
    exitCode: code,
    out: stdout,
    err: stderr,
  } = await runCommand(argv, { env, ...(clock && { clock }) })
  return { code, stdout, stderr }
}

/** Two nodes whose role has only the rights that `setup` prints. */
if (postgresBin === null) console.log('skipped: PostgreSQL is not installed: apt-get install postgresql')

describe.skipIf(postgresBin === null)('two nodes of a role with the least rights', { shuffle: false }, () => {
  let server: Postgres
  let world: ReplicaWorld
  let url: string
  let admin: Client

  const replicas = (...args: string[]) => {
    const [name = '', ...rest] = args
    return run(['replicas', name, '--database', '${DB}', '--bridge', 'least', ...rest], { DB: url })
  }
  const status = async () => JSON.parse((await replicas('status', '--json')).stdout)

  beforeAll(async () => {
    server = await startPostgres()
    const adminUrl = await server.createDatabase('least')
    const setup = await run(['replicas', 'setup', '--database', '${ADMIN}', '--role', 'watcher'], {
      ADMIN: adminUrl,
    })
    expect(setup).toMatchObject({ code: 0, stderr: 'The tables were made.\n' })
    admin = new Client({ connectionString: adminUrl })
    await admin.connect()
    await admin.query(setup.stdout.replace('…', password))
    url = `postgres://watcher:${password}@127.0.0.1:${server.port}/least`
    world = await openReplicaWorld({
      databases: [url, url],
      bridge: 'least',
      scenario: failuresEvery(3, 100),
      more: { start: { from: 'now' } },
    })
    world.nodes[0]?.start()
    await untilHeld(world)
    world.nodes[1]?.start()
    await until(async () => (await status()).problems.length === 0, 60_000)
  }, 120_000)

  afterAll(async () => {
    await world?.close()
    await admin?.end()
    await server?.stop()
  }, 60_000)

  test('run: nothing that they need is lacking, and nothing is refused', async () => {
    const role = openConnections({ database: new Secret(url) }, { most: 1, timeoutMs: 5_000 }, 'test')
    expect(await listLacking(role.query)).toEqual([])
    await role.close()
    for (const { program } of world.nodes) expect(program?.stderr()).not.toMatch(/permission denied|refused/)
  })

  test('check --online says that PostgreSQL answers, how, and that the rights are there; or which are not', async () => {
    const config = world.nodes[1]?.project.configPath ?? ''
    const line = async () => {
      const { stdout } = await run(['check', '-c', config, '--online'])
      return stdout.split('\n').find((text) => text.includes('replicas, PostgreSQL'))
    }
    expect(await line()).toContain('in the clear, tables of version 1, all rights that a node needs')
    await admin.query('REVOKE DELETE ON spanwatch.snapshots FROM watcher')
    expect(await line()).toContain('the role lacks DELETE on snapshots')
    await admin.query('GRANT DELETE ON spanwatch.snapshots TO watcher')
  })

  test('status says who watches, how far the other is, and that all is well', async () => {
    const { code, stdout, stderr } = await replicas('status')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^bridge +least\nholder +a, since /)
    expect(stdout).toMatch(/^a +holder +\S+ +\d+ /m)
    expect(stdout).toMatch(/^b +follower +\S+ +\d+ /m)
    expect(stdout).toContain('Another node can take over at once.')
    expect(await status()).toMatchObject({ bridge: 'least', holder: { node: 'a' }, epoch: 1, wanted: null })
  })

  test('promote: the other one watches, as it says, and the first follows', async () => {
    const { code, stdout } = await replicas('promote', 'b')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'b holds the lease, under epoch 2.\n' })
    await until(async () => (await status()).problems.length === 0, 20_000)
    expect(await status()).toMatchObject({ holder: { node: 'b' }, epoch: 2 })
  }, 60_000)

  test('demote: whoever watches makes room, and another one takes it', async () => {
    const { code, stdout } = await replicas('demote')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a holds the lease, under epoch 3.\n' })
    await until(async () => (await status()).problems.length === 0, 20_000)
  }, 60_000)

  test('rebuild: the follower begins anew and is in step again', async () => {
    const { code, stdout } = await replicas('rebuild', 'b')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'b builds its ledger anew; its log says how that goes.\n',
    })
    await until(() => world.nodes[1]?.program?.stderr().includes('somebody asked for it') === true, 10_000)
    await until(async () => (await status()).problems.length === 0, 30_000)
  }, 60_000)

  test('a command beside a node that follows is refused, and says who it is', async () => {
    const config = world.nodes[1]?.project.configPath ?? ''
    const retry = () => run(['outbox', 'retry', 'dead', '-c', config])
    // The node that was rebuilt shows its page a moment after its ledger is in step.
    await until(async () => (await retry()).code !== exitCodes.locked, 20_000)
    const { code, stderr } = await retry()
    expect(code).toBe(1)
    expect(stderr).toContain('This node (b) follows another one, which alone may change anything: a watches')
    const backfilled = await run(['backfill', '--from', '1h', '-c', config])
    expect(backfilled).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^This node follows another one/),
    })
  })

  test('rules that are edited on a follower hold there at once', async () => {
    const node = world.nodes[1]
    const reloads = () => node?.program?.stderr().split('rules reloaded').length ?? 0
    const before = reloads()
    node?.program?.kill('SIGHUP')
    await until(() => reloads() > before, 10_000)
  }, 20_000)

  test('a follower that is gone is said, refused as a holder, and forgotten; nobody is left to step down for', async () => {
    await world.nodes[1]?.stop()
    expect((await replicas('forget', 'b')).stderr).toMatch(/^b was seen \d+ s ago: stop it first\.\n$/)
    await admin.query("UPDATE spanwatch.nodes SET seen_at = seen_at - interval '10 s' WHERE node = 'b'")
    expect((await status()).problems).toEqual([
      expect.stringMatching(/^b has not been seen for \d+ s: it could not take over$/),
      'no other node is there: nobody takes over',
    ])
    expect((await replicas('demote')).stderr).toMatch(/^No other node is there/)
    expect((await replicas('promote', 'b')).stderr).toMatch(/^b has not been seen for \d+ s: start it first/)
    expect((await replicas('promote', 'c')).stderr).toBe('There is no node "c"; known are: a, b.\n')
    // What is asked of it waits for one that only starts again.
    let passedMs = 0
    const clock = {
      ...createSystemClock(),
      monotonicMs: () => passedMs,
      sleep: async (ms: number) => void (passedMs += ms),
    }
    const rebuilt = await run(
      ['replicas', 'rebuild', 'b', '--database', '${DB}', '--bridge', 'least'],
      { DB: url },
      clock,
    )
    expect(rebuilt.stderr).toBe('b has not heard of it within 30 s; it does as soon as it is there.\n')
    await admin.query("UPDATE spanwatch.nodes SET seen_at = seen_at - interval '30 s' WHERE node = 'b'")
    expect((await replicas('rebuild', 'b')).stderr).toMatch(/^b has not been seen for \d+ s: start it first/)
    expect((await status()).problems[0]).toMatch(/^b has not been seen for \d+ s: it could not take over/)
    expect((await replicas('forget', 'b')).code).toBe(0)
    expect((await status()).problems).toEqual(['no other node is there: nobody takes over'])
  }, 90_000)

  test('beside a node that was stopped nothing is lost: it is recorded for the others, and pushed at its next start', async () => {
    const node = world.nodes[0]
    await node?.stop()
    expect((await replicas('status')).code).toBe(1)
    expect((await status()).problems[0]).toMatch(
      /^no node holds the lease: nobody watches \(a did, until \d+ s ago\)$/,
    )
    const config = node?.project.configPath ?? ''
    const { head } = await status()
    const silenced = await run([
      'silences',
      'add',
      'rule=x',
      '--allow-unknown',
      '--for',
      '1h',
      '--comment',
      'test',
      '--by',
      'ana',
      '-c',
      config,
    ])
    expect(silenced).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['backfill', '--from', '1h', '-c', config])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^With replicas the node that watches reads: start it/),
    })
    node?.start()
    await until(async () => (await status()).head > head, 30_000)
    expect(node?.program?.stderr()).not.toContain('built anew')
  }, 60_000)

  test('the password stands in no answer and no log', async () => {
    const wrong = await run([
      'replicas',
      'status',
      '--database',
      url.replace('least', 'other'),
      '--bridge',
      'x',
    ])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('database "other" does not exist')
    const away = await run([
      'replicas',
      'status',
      '--database',
      `postgres://watcher:${password}@127.0.0.1:1/least`,
      '--bridge',
      'x',
    ])
    expect(away.code).toBe(3)
    const none = await run(['replicas', 'status', '--database', `mysql://x:${password}@h/d`, '--bridge', 'x'])
    expect(none.code).toBe(2)
    const all = [wrong, away, none].map(({ stdout, stderr }) => stdout + stderr)
    const logs = world.nodes.map(({ program }) => program?.stderr() ?? '')
    expect([...all, ...logs].filter((text) => text.includes(password))).toEqual([])
  }, 60_000)
})
