import type { Finding } from '../bridge/finding.ts'
import type { AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import { decodeFinding } from './findingJson.ts'
import { type Accusation, compareRanks, coverEscrow, coversTransfer, mayJoin, sawPayout } from './joining.ts'

interface ToldAlert extends Accusation {
  readonly alert: AlertRow
}

/** What was told of longer ago explains no loss of today. */
const memoryMs = 24 * 3_600_000
const lossKinds = ['transfer.unbacked', 'transfer.duplicate', 'transfer.mismatch', 'escrow.drift']

type JoinStore = Pick<
  AlertStore,
  'listToldOfTransfers' | 'listJoinedOfTransfers' | 'listToldSince' | 'listKeysOfMainHash'
>

/**
 * What a channel was told already that accuses of the same thing, and says as much or more; null when this alert has
 * to be told by itself. Only what this very channel was told counts: what was silenced for it, or routed elsewhere,
 * covers nothing.
 */
export function findJoined(
  store: JoinStore,
  alert: Pick<AlertRow, 'id' | 'kind' | 'severity' | 'transferKey' | 'activeAt' | 'finding'>,
  channel: string,
): AlertRow | null {
  if (!mayJoin(alert.kind)) return null
  const finding = decodeFinding(alert.finding)
  const own: Accusation = { severity: alert.severity, finding }
  if (alert.transferKey !== null) {
    const told = listTold(store.listToldOfTransfers([alert.transferKey], channel), alert.id)
    const above = highest(told.filter((one) => coversTransfer(one, own)))
    return above ?? findMovement(store, own, alert.activeAt, channel)
  }
  const told = listTold(listLosses(store, finding, alert.activeAt, channel), alert.id)
  const [largest] = coverEscrow(told, own)
  return told.find((one) => one === largest)?.alert ?? null
}

/** The movement at the escrow that was told before its payout was judged. */
function findMovement(store: JoinStore, own: Accusation, activeAt: number, channel: string): AlertRow | null {
  if (!lossKinds.includes(own.finding.kind)) return null
  const rows = store.listToldSince({ kinds: ['escrow.drift'], since: activeAt - memoryMs }, channel)
  const keys = store.listKeysOfMainHash(own.finding.transfer?.main?.hash ?? '')
  const beside = listTold(store.listJoinedOfTransfers(keys, channel), -1)
  return listTold(rows, -1).find((one) => sawPayout(one, own, beside))?.alert ?? null
}

function highest(told: readonly ToldAlert[]): AlertRow | null {
  return told.toSorted((a, b) => compareRanks(a.finding, b.finding))[0]?.alert ?? null
}

function listTold(rows: readonly AlertRow[], except: number): ToldAlert[] {
  return rows
    .filter(({ id }) => id !== except)
    .map((alert) => ({ alert, severity: alert.severity, finding: decodeFinding(alert.finding) }))
}

function listLosses(store: JoinStore, finding: Finding, activeAt: number, channel: string): AlertRow[] {
  if (finding.kind === 'escrow.shortfall')
    return store.listToldSince({ kinds: lossKinds, since: activeAt - memoryMs }, channel)
  const hash = String(finding.facts['mainTxHash'] ?? '')
  return hash === '' ? [] : store.listToldOfTransfers(store.listKeysOfMainHash(hash), channel)
}

/** It says the same in the same words, of a lesser rule: there is nothing to add. */
export function addsNothing(alert: Pick<AlertRow, 'kind'>, joined: Pick<AlertRow, 'kind'>): boolean {
  return alert.kind === joined.kind && alert.kind === 'transfer.stalled'
}
