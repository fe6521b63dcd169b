import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAbiItem } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createSilentLog } from '../../../src/lib/log.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { createApp } from '../../../src/monitor/createMonitor.ts'
import { noBridge, plainConfig } from '../../support/appConfig.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { listCodes, readDoc, readTable } from './markdown.ts'

const address = `0x${'1'.repeat(40)}`
const nowhere = new Secret('http://127.0.0.1:9')

/** Everything that can be watched. */
function createWatchful() {
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-pollers-'))
  const app = createApp(
    { clock: createSteppedClock(), log: createSilentLog(), write: () => {}, random: () => 0.5 },
    {
      config: {
        ...plainConfig,
        stateDir,
        preconf: { url: nowhere, intervalMs: 200 },
        canonical: {
          url: nowhere,
          others: [{ name: 'other', url: nowhere }],
          confirmations: 3,
          verifyAbove: '0',
          sample: 0,
        },
        zoneRpc: { url: nowhere, confirmations: 3, verifyAbove: '0', sample: 0, contracts: [address] },
        bridge: {
          ...noBridge,
          contracts: [address],
          escrows: [{ address, token: address, baseline: null }],
          operators: [{ address, minBalance: null }],
          limits: [
            {
              name: 'today',
              address,
              call: parseAbiItem('function used() view returns (uint256)'),
              args: [],
              max: 1n,
              decimals: 0,
            },
          ],
          tokens: [{ address, symbol: 'T', decimals: 6, zoneAddress: address }],
        },
        channels: [{ name: 'console', type: 'console' }],
        reports: {
          daily: { cron: '0 8 * * *', timezone: 'UTC', channel: 'console' },
          weekly: { cron: '0 8 * * 1', timezone: 'UTC', channel: 'console' },
          monthly: { cron: '0 8 1 * *', timezone: 'UTC', channel: 'console' },
        },
        canary: { cron: '0 9 * * *', timezone: 'UTC', channels: [] },
        backups: { everyMs: 3_600_000, keep: 24, maxBytes: 1_000_000, recover: false },
        heartbeat: { url: nowhere, everyMs: 60_000 },
      },
      rules: [],
      version: 'test',
    },
  )
  onTestFinished(async () => {
    await app.stop()
    rmSync(stateDir, { recursive: true, force: true })
  })
  return app
}

test('docs/architecture.md has every poller once, in the order of the checks', () => {
  const named = readTable(readDoc('docs/architecture.md'), 'poller', 'every').map(
    ([cell = '']) => listCodes(cell)[0],
  )
  expect(named).toEqual(
    createWatchful()
      .parts.runner.status()
      .map(({ poller }) => poller),
  )
})

test('what mails or copies has the time that a mail server or a disk takes, as what reads the past has', () => {
  const { parts } = createWatchful()
  const inBackground = parts.runner.status().filter(({ isBackground }) => isBackground)
  expect(inBackground.map(({ poller }) => poller)).toEqual(
    expect.arrayContaining(['report', 'reportWeek', 'reportMonth', 'backups', 'evidenceHistory', 'sweep']),
  )
})
