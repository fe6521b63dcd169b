import { neutralDialect } from '../../src/clients/explorer/dialect.ts'
import type { AppConfig } from '../../src/kernel/settings.ts'

/** A configuration that says nothing of the bridge. */
export const noBridge: AppConfig['bridge'] = {
  contracts: [],
  events: [],
  escrows: [],
  operators: [],
  limits: [],
  probes: [],
  stages: [],
  tokens: [],
  challenge: { known: [], terminal: [] },
  fees: [],
}

const everySecond: AppConfig['poll'] = {
  transfers: '* * * * * *',
  openTransfers: '* * * * * *',
  evidence: '* * * * * *',
  challenges: '* * * * * *',
  heads: '* * * * * *',
  contracts: '* * * * * *',
  escrows: '* * * * * *',
  audit: '* * * * * *',
  sweepMs: 86_400_000,
}

/** Everything each second, nothing written, nobody told. */
export const plainConfig: AppConfig = {
  explorer: {
    baseUrl: 'http://127.0.0.1:9',
    chains: { main: 'MAINCHAIN', zone: 'ZONE_CHAIN' },
    dialect: neutralDialect,
    auth: null,
    pace: { maxRequestsPerSecond: 200, concurrency: 2 },
    timeoutMs: 2_000,
    links: { tx: { main: null, zone: null } },
  },
  preconf: null,
  canonical: null,
  zoneRpc: null,
  bridge: noBridge,
  poll: everySecond,
  reports: { daily: null, weekly: null, monthly: null },
  start: { from: { kind: 'now' } },
  rulesDir: '',
  stateDir: '',
  channels: [],
  routes: [],
  inhibit: [],
  http: null,
  canary: null,
  heartbeat: null,
  backups: null,
  retention: { transfersMs: 34_560_000_000, preconfMs: 604_800_000, auditMs: 95_040_000_000 },
}
