import type { Finding } from '../bridge/finding.ts'
import { putIntoCase } from './caseOf.ts'
import { type EngineContext, note } from './engineContext.ts'
import { keptFinding } from './findingJson.ts'
import { fingerprintOf } from './fingerprint.ts'
import { joinGroups } from './groupTimers.ts'
import { goesOn } from './mutes.ts'
import type { AlertHead, AlertRow } from './store/alertRows.ts'

/**
 * Two transfers turned out to be one: the alerts of `from` follow it to `to`. What was sent stays sent. Where both had
 * an alert of one rule, the survivor's goes on and counts as sent wherever one of them was. A condition that is over
 * gives nothing to a survivor; what is left to be sent of it is sent.
 */
export function renameSubject(context: EngineContext, from: string, to: string): void {
  const { store } = context
  for (const row of store.listAlertsOfTransfer(from)) {
    const fingerprint = fingerprintOf(row.rule, { kind: row.kind, subject: to })
    const survivor = store.findAlert(fingerprint)
    const isOver = row.state === 'resolved' || row.state === 'inactive'
    putIntoCase(context, row, renamed(row, to))
    if (survivor === null) store.renameAlert(row.id, { fingerprint, subject: to, transferKey: to })
    else if (isOver) store.renameAlert(row.id, { ...row, transferKey: to })
    else merge(context, row, survivor)
    note(context, row, { what: 'renamed', reason: `its transfer ${from} was joined into ${to}` }, context.now)
  }
}

/** Its finding, of the transfer that it goes on as: the keys of both lead to one case. */
function renamed(row: AlertRow, to: string): Finding {
  const finding = keptFinding(row)
  return finding.transfer === null ? finding : { ...finding, transfer: { ...finding.transfer, key: to } }
}

function merge(context: EngineContext, row: AlertRow, survivor: AlertHead): void {
  const { store, now } = context
  store.deleteUnsentOf(row.id)
  store.retireMember(row.id, now)
  const takesOver = goesOn(row) && !goesOn(survivor)
  const present = { ...survivor, ...phaseOf(row), episode: survivor.episode + 1 }
  if (takesOver) store.updatePhase(survivor.id, present, now)
  store.moveTold(row.id, survivor.id)
  store.moveHeld(row.id, survivor.id)
  store.updatePhase(row.id, { ...row, state: 'merged' }, now)
  store.moveMember(row.id, survivor.id)
  if (!takesOver) return
  if (survivor.ackedAt !== null) store.clearAck(survivor.id)
  putIntoCase(context, present, renamed(row, survivor.subject))
  joinGroups(context, present)
}

/** Where the life of one stands, for the other to go on from there. */
function phaseOf({ state, activeAt, firedAt, keepSince, resolvedAt }: AlertRow) {
  return { state, activeAt, firedAt, keepSince, resolvedAt, resolvedReason: null }
}
