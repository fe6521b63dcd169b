import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runReplica } from '../../../src/daemon/runReplica.ts'
import { createScaledClock } from '../../../src/lib/clock.ts'
import { createLog } from '../../../src/lib/log.ts'
import { Secret } from '../../../src/lib/secret.ts'
import type { App } from '../../../src/monitor/createMonitor.ts'
import { ledgerPath } from '../../../src/store/openState.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { plainConfig } from '../../support/appConfig.ts'
import { damages } from '../../support/damage.ts'
import { until } from '../../support/startMonitor.ts'

/** A node that followed before, of a PostgreSQL that nobody reaches. */
function open(prepare: (ledger: string) => void = () => undefined) {
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
    const config = { ...plainConfig, stateDir, replicas: settings }
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
