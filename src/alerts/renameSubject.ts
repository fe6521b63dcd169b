import type { UnixMs } from '../lib/clock.ts'
import type { AlertRow } from './store/alertRows.ts'
import { type EngineContext, note } from './engineContext.ts'
import { fingerprintOf } from './fingerprint.ts'

/**
 * Two transfers turned out to be one: the alerts of `from` follow it to `to`. What was told stays told. Where both had
 * an alert of one rule, the survivor's goes on and counts as told wherever one of them was.
 */
export function renameSubject(context: EngineContext, from: string, to: string, now: UnixMs): void {
  for (const row of context.store.listAlertsOfTransfer(from)) {
    const fingerprint = fingerprintOf(row.rule, { kind: row.kind, subject: to })
    const survivor = context.store.findAlert(fingerprint)
    if (survivor) merge(context, row, survivor.id, now)
    else context.store.renameAlert(row.id, { fingerprint, subject: to, transferKey: to })
    note(context, row, { what: 'renamed', reason: `its transfer ${from} was joined into ${to}` }, now)
  }
}

function merge(context: EngineContext, row: AlertRow, survivorId: number, now: UnixMs): void {
  const { store } = context
  store.deleteUnsentOf(row.id)
  store.moveTold(row.id, survivorId)
  store.moveHeld(row.id, survivorId)
  store.updatePhase(row.id, { ...row, state: 'merged' }, now)
  for (const group of store.listGroupsOf(row.id)) store.removeMember(group.key, row.id)
}
