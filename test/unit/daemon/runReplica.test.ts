import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrateBeside } from '../../../src/daemon/migrateBeside.ts'
import { runReplica } from '../../../src/daemon/runReplica.ts'
import { createScaledClock } from '../../../src/lib/clock.ts'
import { createLog, createSilentLog } from '../../../src/lib/log.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { type App, createApp } from '../../../src/monitor/createMonitor.ts'
import type { Replica } from '../../../src/monitor/options.ts'
import { portOf } from '../../../src/lib/portOf.ts'
import { findLedger } from '../../../src/replicas/ledgerFolder.ts'
import { migrations } from '../../../src/store/migrate.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { openDatabase } from '../../../src/store/database.ts'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import { plainConfig } from '../../support/appConfig.ts'
import { damages } from '../../support/damage.ts'
import { createOldLedger } from '../../support/oldLedger.ts'
import { until } from '../../support/startMonitor.ts'

/** A node that followed before, of a PostgreSQL that nobody reaches. */
function open(
  prepare: (ledger: string) => void = () => undefined,
  of: { readonly config?: Partial<AppConfig>; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-replica-'))
  const db = openDatabase(ledgerPath(stateDir))
  db.changes.become({ role: 'follower', epoch: 1, seq: 0, hash: new Uint8Array() })
  db.close()
  prepare(ledgerPath(stateDir))
  const scaled = createScaledClock(50)
  const wall = { asideMs: 0 }
  const clock = { ...scaled, now: () => scaled.now() + wall.asideMs }
  const stop = new AbortController()
  const log: string[] = []
  let opened: (app: App) => void = () => undefined
  const run = (onReady: (app: App) => void = () => undefined) => {
    opened = onReady
    const settings = {
      database: new Secret('postgres://nobody@127.0.0.1:9/spanwatch'),
      caFile: null,
      bridge: 'usdc',
      node: 'b',
    }
    const config = { ...plainConfig, stateDir, replicas: settings, ...of.config }
    return runReplica(
      {
        clock,
        log: createLog({ write: (line) => void log.push(line) }),
        write: () => undefined,
        random: () => 0.5,
      },
      {
        config,
        rules: [],
        version: 'test',
        ...(of.env && { env: of.env }),
        stop: stop.signal,
        onReload: () => () => undefined,
        onReady: (app) => opened(app),
      },
      {
        settings,
        rules: { current: () => [], attach: () => () => undefined, stop: () => undefined },
      },
    )
  }
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  return { run, stop: () => stop.abort(), log, wall, clock }
}

/** What a monitor writes into its ledger at its first start. */
function useOnce(ledger: string): void {
  const deps = {
    clock: createScaledClock(1),
    log: createSilentLog(),
    write: () => undefined,
    random: () => 0.5,
  }
  const config = { ...plainConfig, stateDir: dirname(ledger) }
  const replica: Replica = {
    role: { role: 'holder', epoch: 1 },
    wake: () => undefined,
    mayLeave: async () => ({ may: false, reason: 'nothing is sent' }),
    status: () => {
      throw new Error('nobody asks')
    },
    stop: async () => undefined,
  }
  const app = createApp(deps, { config, rules: [], version: 'test', replica })
  app.parts.db.changes.become({ role: 'follower', epoch: 1, seq: 0, hash: new Uint8Array() })
  app.parts.state.close()
}

test.each(['a zeroed header', 'overwritten pages'])(
  'a follower whose ledger is damaged (%s) waits for a copy of it and does not end',
  async (damage) => {
    const node = open(damages[damage])
    const ended = node.run()
    await until(() => node.log.filter((line) => line.includes('could not be built anew')).length > 1, 10_000)
    node.stop()
    await expect(ended).resolves.toBeUndefined()
  },
)

/** What systemd is told, by a program of its name. */
function openSystemd() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-systemd-'))
  const path = join(folder, 'systemd-notify')
  const said = join(folder, 'said')
  writeFileSync(path, `#!/bin/sh\necho "$1" >> ${said}\n`)
  chmodSync(path, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return {
    env: {
      NOTIFY_SOCKET: join(folder, 'socket'),
      PATH: `${folder}:/bin:/usr/bin`,
      WATCHDOG_USEC: '60000000',
    },
    said: () => (existsSync(said) ? readFileSync(said, 'utf8') : ''),
  }
}

async function findPort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)))
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}

function toHttp(port: number): { readonly config: Partial<AppConfig> } {
  return { config: { http: { host: '127.0.0.1', port, token: null, publicUrl: null } } }
}

async function ask(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: answer.status, text: await answer.text() }
}

test('a node that waits for a copy of the ledger says that it is alive: no probe and no watchdog ends it', async () => {
  const systemd = openSystemd()
  const port = await findPort()
  const node = open(damages['a zeroed header'], { env: systemd.env, ...toHttp(port) })
  const ended = node.run()
  await until(() => node.log.some((line) => line.includes('could not be built anew')), 10_000)
  await until(() => systemd.said().includes('WATCHDOG=1'), 10_000)
  expect(systemd.said()).toMatch(/^--ready/)
  expect((await ask(port, '/assets/icon.svg')).status).toBe(200)
  expect(await ask(port, '/readyz')).toEqual({
    status: 503,
    text: '{"ok":false,"reasons":["the ledger is built anew"]}',
  })
  expect((await ask(port, '/')).status).toBe(503)
  node.stop()
  await ended
})

test('a node whose ledger is of an older version says that it is alive, and why it has no page', async () => {
  const port = await findPort()
  const node = open((ledger) => {
    rmSync(ledger)
    const db = createOldLedger(ledger, migrations.length - 1)
    db.exec("INSERT INTO replica_head VALUES ('follower', 1, 0, x'')")
    db.close()
  }, toHttp(port))
  const ended = node.run()
  await until(() => node.log.some((line) => line.includes('there is no page until it is taken over')), 10_000)
  await until(() => node.log.some((line) => line.includes('cannot be followed')), 10_000)
  expect((await ask(port, '/assets/icon.svg')).status).toBe(200)
  expect((await ask(port, '/healthz')).status).toBe(200)
  expect(await ask(port, '/readyz')).toEqual({
    status: 503,
    text: '{"ok":false,"reasons":["what was committed elsewhere has not been taken over yet"]}',
  })
  node.stop()
  await ended
})

test('an older ledger is migrated by whoever takes over, in a thread of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-replica-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  createOldLedger(ledgerPath(folder), migrations.length - 1).close()
  const deps = {
    clock: createScaledClock(1),
    log: createSilentLog(),
    write: () => undefined,
    random: () => 0.5,
  }
  const options = {
    config: { ...plainConfig, stateDir: folder },
    rules: [],
    version: 'test',
    stop: new AbortController().signal,
    onReload: () => () => undefined,
  }
  await migrateBeside({ deps, options })
  expect(findLedger(folder)?.version).toBe(migrations.length)
})

test.each([-864_000_000_000, -3_600_000, 3_600_000, 864_000_000_000])(
  'a follower whose clock is %i ms from that of whoever wrote its ledger has a page',
  async (asideMs) => {
    const node = open(useOnce)
    node.wall.asideMs = asideMs
    let isReady = false
    const ended = node.run(() => (isReady = true))
    await until(() => isReady, 10_000)
    node.stop()
    await expect(ended).resolves.toBeUndefined()
  },
)

test('since when PostgreSQL is away is told by the clock that ages are counted by, whatever is set meanwhile', async () => {
  const node = open(useOnce)
  let opened: App | null = null
  const ended = node.run((app) => {
    opened = app
    node.wall.asideMs = 3_600_000
  })
  const since = () => opened?.parts.replica?.().unreachable?.since ?? null
  await until(() => since() !== null, 10_000)
  expect((opened as App | null)?.parts.clock.now()).toBeGreaterThanOrEqual(since() ?? Infinity)
  node.stop()
  await ended
})
