import type { FactValue } from '../../bridge/finding.ts'
import type { Detector, FactType } from '../kind.ts'
import { type FindingScope, standardLabels, type TransferScope } from '../toFindingScope.ts'

const at = Date.UTC(2026, 0, 1)
const hash = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`

/** A finding of a kind with every name filled, to try a text on when it is loaded. */
export function createSampleScope(detector: Detector, ownLabels: readonly string[]): FindingScope {
  const samples: Record<FactType, FactValue> = { string: '1', int: 1, bool: true, dyn: 1 }
  const names = [...standardLabels, ...ownLabels]
  return {
    kind: detector.kind,
    age: 60_000,
    transfer: detector.hasTransfer ? sampleTransfer : null,
    facts: Object.fromEntries(Object.entries(detector.facts).map(([name, type]) => [name, samples[type]])),
    labels: Object.fromEntries(names.map((name) => [name, 'x'])),
    subjects: Object.fromEntries(detector.subjectNames.map((name) => [name, 'x'])),
  }
}

const sampleTransfer: TransferScope = {
  key: 't1',
  id: hash,
  direction: 'ZoneToMain',
  crossType: 'Withdraw',
  state: 'pending',
  status: 'success',
  amount: '1.5',
  amountRaw: '1500000',
  token: { address, symbol: 'USDC', name: 'USD Coin', label: 'USDC', type: 'ERC20', id: '' },
  mainTxHash: hash,
  zoneTxHash: hash,
  mainHeight: 1,
  zoneHeight: 1,
  source: address,
  target: address,
  from: address,
  to: address,
  originAt: at,
  destinationAt: at,
  firstSeenAt: at,
  updatedAt: at,
}
