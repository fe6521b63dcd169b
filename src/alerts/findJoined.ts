import type { Finding } from '../bridge/finding.ts'
import { asHeldFinding } from '../bridge/movedToken.ts'
import type { AlertRow } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import { keptFinding } from './findingJson.ts'
import type { Kinds } from '../rules/kinds.ts'
import {
  type Accusation,
  compareRanks,
  coverEscrow,
  coversTransfer,
  isLoss,
  isMovement,
  saysAllAtOnce,
  sawPayout,
} from './joining.ts'

interface ToldAlert extends Accusation {
  readonly alert: AlertRow
}

/** What was sent longer ago explains no loss of today. */
const memoryMs = 24 * 3_600_000

/** What was sent, and what its kinds say of it. */
export interface SentAlerts {
  readonly store: Pick<
    AlertStore,
    'listToldOfTransfers' | 'listJoinedOfTransfers' | 'listToldSince' | 'listKeysOfMainHash' | 'readWrapping'
  >
  readonly kinds: Kinds
}

/**
 * The alert that was already sent to a channel, accuses of the same thing, and says as much or more; null when this one
 * has to be sent by itself. Only what was sent to this very channel counts: what was silenced for it, or routed
 * elsewhere, covers nothing.
 * @param finding what is kept of the alert, where it was read already
 */
export function findJoined(
  sent: SentAlerts,
  alert: Pick<AlertRow, 'id' | 'kind' | 'subject' | 'severity' | 'transferKey' | 'activeAt' | 'finding'>,
  channel: string,
  finding?: Finding,
): AlertRow | null {
  const kind = sent.kinds.find(alert.kind)
  if (kind?.joins === undefined) return null
  const held = asHeldFinding(finding ?? keptFinding(alert), sent.store.readWrapping())
  const own: Accusation = { severity: alert.severity, finding: held, kind }
  if (alert.transferKey !== null) {
    const told = listTold(sent, sent.store.listToldOfTransfers([alert.transferKey], channel), alert.id)
    const above = highest(told.filter((one) => coversTransfer(one, own)))
    return above ?? findMovement(sent, own, alert.activeAt, channel)
  }
  const told = listTold(sent, listLosses(sent, own, alert.activeAt, channel), alert.id)
  const [largest] = coverEscrow(told, own)
  return told.find((one) => one === largest)?.alert ?? null
}

/** The movement at the escrow that was sent before its payout was judged. */
function findMovement(sent: SentAlerts, own: Accusation, activeAt: number, channel: string): AlertRow | null {
  if (!isLoss(own.kind)) return null
  const { store, kinds } = sent
  const movements = kinds.all.filter(isMovement).map(({ kind }) => kind)
  const rows = store.listToldSince({ kinds: movements, since: activeAt - memoryMs }, channel)
  const keys = store.listKeysOfMainHash(own.finding.transfer?.main?.hash ?? '')
  const beside = listTold(sent, store.listJoinedOfTransfers(keys, channel), -1)
  return listTold(sent, rows, -1).find((one) => sawPayout(one, own, beside))?.alert ?? null
}

function highest(told: readonly ToldAlert[]): AlertRow | null {
  return told.toSorted((a, b) => compareRanks(a.kind, b.kind))[0]?.alert ?? null
}

function listTold({ kinds, store }: SentAlerts, rows: readonly AlertRow[], except: number): ToldAlert[] {
  const wrapping = store.readWrapping()
  return rows
    .filter(({ id }) => id !== except)
    .map((alert) => {
      const finding = asHeldFinding(keptFinding(alert), wrapping)
      return { alert, severity: alert.severity, finding, kind: kinds.find(finding.kind) }
    })
}

/** What lacks in sum is explained by all losses of late, one movement by what is said of its transaction. */
function listLosses(
  { store, kinds }: SentAlerts,
  { finding, kind }: Accusation,
  activeAt: number,
  channel: string,
): AlertRow[] {
  if (kind?.joins?.of === 'escrow' && !isMovement(kind)) {
    const losses = kinds.all.filter(isLoss).map((one) => one.kind)
    return store.listToldSince({ kinds: losses, since: activeAt - memoryMs }, channel)
  }
  const hash = String(finding.facts['mainTxHash'] ?? '')
  return hash === '' ? [] : store.listToldOfTransfers(store.listKeysOfMainHash(hash), channel)
}

/** It says the same in the same words, of a lesser rule: there is nothing to add. */
export function addsNothing(
  { kinds }: Pick<SentAlerts, 'kinds'>,
  alert: Pick<AlertRow, 'kind'>,
  joined: Pick<AlertRow, 'kind'>,
): boolean {
  return alert.kind === joined.kind && saysAllAtOnce(kinds.find(alert.kind))
}
