import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findingText } from '../../test/support/readFinding.ts'
import type { AppConfig } from '../../src/kernel/settings.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { shippedPoll } from '../../test/support/incidents.ts'
import { noBridge } from '../../test/support/appConfig.ts'
import { type Monitor, startMonitor } from '../../test/support/startMonitor.ts'
import { createChance } from './chain.ts'
import type { Bridge } from './createBridge.ts'
import { zoneContractOf } from './answerZoneRpc.ts'
import { type Served, type ServedClock, serveBridge } from './serve.ts'
import { type Service } from './endpoints.ts'

export const plainService: Service = {
  words: { path: ['chain', 'zone'], field: ['main', 'zone'], direction: ['Main', 'Zone'] },
  manner: {},
  asSampled: true,
  mixedCase: false,
  throttled: 0,
  lags: [],
  faults: [],
  frozen: [],
}

/** Another deployment: its own words, the documented spellings, addresses in mixed case. */
export const oddService: Service = {
  ...plainService,
  words: { path: ['acme', 'az'], field: ['acme', 'az'], direction: ['Acme', 'AZ'] },
  asSampled: false,
  mixedCase: true,
}

export interface Watched {
  readonly monitor: Monitor
  readonly served: Served
  alerts(): WatchedAlert[]
  /** Ends the daemon as kill -9 does, and starts it again on what that leaves. */
  kill(): Promise<void>
  stop(): Promise<void>
}

interface WatchedAlert {
  readonly id: number
  readonly kind: string
  readonly subject: string
  readonly severity: string
  readonly state: string
  /** When it was first found. */
  readonly at: number
  /** The finding as stored, in lower case. */
  readonly text: string
}

export interface WatchOptions {
  /** The daemon's. */
  readonly clock: Clock
  /** The service's. */
  readonly served: ServedClock
  readonly service?: Service
  readonly secondSource?: boolean
  readonly zoneNode?: boolean
  /** That node shows the logs of each withdrawal, too. */
  readonly zoneLogs?: boolean
  readonly fees?: boolean
  /** Neither contracts nor escrows are configured. */
  readonly isBare?: boolean
  /** Requests a second; the shipped ones when left out. */
  readonly pace?: number
  readonly preconfMs?: number
  readonly poll?: AppConfig['poll']
}

/** The whole daemon, as shipped, before a bridge. */
export async function watchBridge(bridge: Bridge, options: WatchOptions): Promise<Watched> {
  const service = options.service ?? plainService
  const served = await serveBridge(bridge.chain, service, options.served, createChance('throttle'))
  const { chain, style } = bridge
  const [path, field, direction] = [service.words.path, service.words.field, service.words.direction]
  const words = ([main, zone]: readonly [string, string]) => ({ main, zone })
  const fungible = chain.tokens.filter(({ type }) => type !== 'ERC1155')
  const start = (stateDir: string) =>
    startMonitor({
      stateDir,
      url: served.url,
      clock: options.clock,
      timeoutMs: 60_000,
      pace: { maxRequestsPerSecond: options.pace ?? 4, concurrency: 8 },
      config: {
        explorer: {
          baseUrl: served.url,
          chains: { main: 'MAINCHAIN', zone: 'ZONE_CHAIN' },
          dialect: {
            path: words(path),
            field: words(field),
            direction: words(direction),
            headerPrefix: 'SVC',
          },
          auth: null,
          pace: { maxRequestsPerSecond: options.pace ?? 4, concurrency: 8 },
          timeoutMs: 60_000,
          links: { tx: { main: null, zone: null } },
        },
        preconf: { url: new Secret(served.rpcUrl), intervalMs: options.preconfMs ?? 1_000 },
        canonical: options.secondSource
          ? { url: new Secret(served.canonicalUrl), verifyAbove: '0', sample: 1, confirmations: 3 }
          : null,
        zoneRpc:
          options.zoneNode || options.zoneLogs
            ? {
                url: new Secret(served.zoneNodeUrl),
                verifyAbove: '0',
                sample: 1,
                confirmations: 3,
                contracts: options.zoneLogs ? [zoneContractOf(chain)] : [],
              }
            : null,
        bridge: {
          ...noBridge,
          contracts: options.isBare ? [] : [chain.bridge],
          escrows: (options.isBare ? [] : fungible).map(({ address }) => ({
            address: chain.escrow,
            token: address,
            baseline: null,
          })),
          tokens: chain.tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
          fees:
            options.fees && style.fee > 0
              ? fungible.map(({ address }) => ({ token: address, direction: 'ZoneToMain', max: '300' }))
              : [],
        },
        poll: options.poll ?? shippedPoll,
      },
    })
  let stateDir = makeFolder()
  let monitor = await start(stateDir)
  return {
    get monitor() {
      return monitor
    },
    served,
    alerts: () =>
      monitor.app.parts.db
        .prepare('SELECT id, kind, subject, severity, state, active_at, finding FROM alerts ORDER BY id')
        .all()
        .map((row) => ({
          id: Number(row['id']),
          kind: String(row['kind']),
          subject: String(row['subject']),
          severity: String(row['severity']),
          state: String(row['state']),
          at: Number(row['active_at']),
          text: `${String(row['subject'])} ${findingText(row['finding'])}`.toLowerCase(),
        })),
    async kill() {
      const left = makeFolder()
      // In one turn of the event loop: no commit is half made, and whatever comes later is lost.
      cpSync(stateDir, left, { recursive: true })
      await monitor.stop()
      rmSync(stateDir, { recursive: true })
      stateDir = left
      monitor = await start(left)
    },
    async stop() {
      await monitor.stop()
      rmSync(stateDir, { recursive: true })
      await served.close()
    },
  }
}

const makeFolder = () => mkdtempSync(join(tmpdir(), 'spanwatch-bridge-'))
