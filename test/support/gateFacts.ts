import type { Transfer } from '../../src/bridge/transfer.ts'
import type { GateFacts, GateFinding, TransferFacts } from '../../src/web/gate/gateFacts.ts'
import { hash } from './records.ts'

export const gateNow = 1_800_000_000_000
const minute = 60_000

/** A withdrawal that left five minutes ago, is proven, and was not paid. */
export const payable: Transfer = {
  key: 't1',
  id: 'w1',
  direction: 'ZoneToMain',
  crossType: 'Withdraw',
  state: 'pending',
  status: 'success',
  confirmedStatus: 'success',
  isListed: true,
  firstStatus: 'success',
  main: null,
  zone: { chain: 'zone', hash: hash('zone'), height: 5_000, time: gateNow - 5 * minute },
  zoneEventIndex: '0',
  from: '0xf0',
  to: '0xf1',
  sourceAddress: `0x${'aa'.repeat(20)}`,
  targetAddress: `0x${'bb'.repeat(20)}`,
  token: { address: `0x${'cc'.repeat(20)}`, symbol: 'USDC', name: '', type: 'ERC20', id: '', decimals: 6 },
  amountRaw: 1_500_000n,
  amount: '1.5',
  recordDecimals: 6,
  batchDetail: null,
  updateTime: null,
  originAt: gateNow - 5 * minute,
  destinationAt: null,
  firstSeenAt: gateNow - 5 * minute,
  changedAt: gateNow - 5 * minute,
  readAt: gateNow - 5_000,
  evidence: [
    {
      chain: 'zone',
      hash: hash('zone'),
      source: 'E9',
      at: gateNow - 4 * minute,
      status: 'success',
      errorMessage: '',
      moves: null,
    },
  ],
  originProof: 'proven',
  rewrites: [],
  ambiguous: 0,
}

export const knownTransfer: TransferFacts = {
  transfer: payable,
  isFormerName: false,
  payouts: [],
  questions: [],
  rivals: [],
  detected: [],
  action: null,
  findings: [],
  standing: null,
  unreadRows: [],
  settledBy: [],
}

/** Everything was looked at, and nothing speaks against paying. */
export const clearFacts: GateFacts = {
  now: gateNow,
  name: hash('zone'),
  asked: { token: null, amount: null, amountRaw: null, recipient: null },
  monitor: { judgedAt: gateNow - 1_000, unchecked: null, isUnsaved: false, failingRules: [] },
  sources: {
    coverage: [{ source: 'explorer', lastGoodAt: gateNow - 1_000, staleAfterMs: 15_000 }],
    rejected: [],
    pollers: [
      {
        poller: 'transfers',
        intervalMs: 5_000,
        startedAt: gateNow - 60 * minute,
        lastSuccessAt: gateNow - 2_000,
        lastError: null,
      },
    ],
    aside: [],
    lacks: [],
    listLag: null,
  },
  reach: {
    horizons: {
      main: gateNow - 10_000,
      zone: gateNow - 2_000,
      list: gateNow - 65_000,
      returnedAt: null,
      lateMs: null,
      lacksSince: null,
    },
    heads: [
      { chain: 'main', height: 900, blockTime: gateNow - 10_000, advancedAt: gateNow, readAt: gateNow },
      { chain: 'zone', height: 5_100, blockTime: gateNow - 2_000, advancedAt: gateNow, readAt: gateNow },
    ],
    confirmations: 3,
    settleMs: 60_000,
    clockLeadMs: 0,
    watchedSince: gateNow - 24 * 60 * minute,
    forgottenUntil: null,
    walk: null,
  },
  transfers: [knownTransfer],
}

export const criticalFinding: GateFinding = {
  alert: 'a1b2c3d4',
  kind: 'escrow.drift',
  title: 'money left the escrow',
  severity: 'critical',
  isForming: false,
  accuses: false,
  isBlindness: false,
  case: 'c1',
  evidence: [],
}
