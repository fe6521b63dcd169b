import { keptFinding } from '../../alerts/findingJson.ts'
import {
  listAlertsOfTransfer,
  alertColumns,
  type AlertRow,
  alertTable,
} from '../../alerts/store/alertRows.ts'
import { alertIdOf } from '../../alerts/fingerprint.ts'
import { stands } from '../../alerts/joining.ts'
import type { Finding } from '../../bridge/finding.ts'
import { canonicalToken, movedToken } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { findCase } from '../../cases/store/caseRows.ts'
import { findCaseOf, spanKey } from '../../cases/store/caseMembers.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Kinds } from '../../rules/kinds.ts'
import type { Database } from '../../store/database.ts'
import { int } from '../../store/table.ts'
import type { GateFinding } from './gateFacts.ts'

export interface FindingSources {
  readonly db: Database
  readonly kinds: Kinds
  /** Addresses where the bridge's money is held. */
  readonly places: readonly string[]
}

/** More are not looked through: then it is said that they could not be. */
const mostLooked = 500
const mostOpen = 200

/** What is open about a transfer: of itself, of what shares a cause with it, and of no transfer alone; null for too many. */
export function readFindings(sources: FindingSources, transfer: Transfer, now: UnixMs): GateFinding[] | null {
  const { db } = sources
  const own = listAlertsOfTransfer(db, transfer.key)
  const tied = listTied(sources, transfer, now)
  const apart = listApart(db)
  if (own.length > mostOpen || tied === null || apart.length > mostOpen) return null
  const other = [...tied, ...apart.filter((row) => concerns(keptFinding(row), transfer))]
  const ownIds = new Set(own.map(({ id }) => id))
  const others = [...new Map(other.map((row) => [row.id, row])).values()].filter(({ id }) => !ownIds.has(id))
  return [
    ...own
      .filter((row) => counts(sources, row, transfer))
      .flatMap((row) => toGateFinding(sources, row, true)),
    ...others.flatMap((row) => toGateFinding(sources, row, false)),
  ]
}

/** A condition that holds or forms; an event that was not taken back. */
function counts({ kinds }: FindingSources, row: AlertRow, transfer: Transfer): boolean {
  if (row.nature === 'condition') return isActive(row)
  return stands({ finding: { ...keptFinding(row), transfer }, kind: kinds.find(row.kind) })
}

function isActive({ state }: AlertRow): boolean {
  return state === 'pending' || state === 'firing' || state === 'recovering'
}

/** Critical members, by what they hold or until when they count, of the cases that a transfer has a cause in common with. */
function listTied(sources: FindingSources, transfer: Transfer, now: UnixMs): AlertRow[] | null {
  const { db } = sources
  const sql = `SELECT DISTINCT s.case_id FROM case_spans s JOIN cases c ON c.id = s.case_id
    WHERE s.key IN (SELECT ${spanKey('value')} FROM json_each(?)) AND c.state IN ('open', 'acknowledged') LIMIT ?`
  const cases = int.all(db, sql, JSON.stringify(listCauses(sources, transfer)), mostOpen + 1)
  if (cases.length > mostOpen) return null
  const rows = cases.map((id) => listMembers(db, id, now))
  return rows.includes(null) ? null : rows.flatMap((members) => members ?? [])
}

/** As cases/listKeys.ts names causes: the transfer, its transactions, its recipient, and its token's escrows. */
function listCauses({ places }: FindingSources, transfer: Transfer): string[] {
  const { key, main, zone, targetAddress } = transfer
  const token = movedToken(transfer.token)
  return [
    `transfer:${key}`,
    ...[main, zone].flatMap((leg) => (leg === null ? [] : [`tx:${leg.hash.toLowerCase()}`])),
    `party:${targetAddress.toLowerCase()}`,
    ...places.map((place) => `escrow:${place.toLowerCase()}:${token}`),
  ]
}

function listMembers(db: Database, caseId: number, now: UnixMs): AlertRow[] | null {
  const of = 'SELECT alert_id, episode FROM case_members WHERE case_id = ?1 AND'
  const members = `SELECT * FROM (${of} until_at IS NULL LIMIT ?3) UNION ALL SELECT * FROM (${of} until_at > ?2 LIMIT ?3)`
  const count = int.get(db, `SELECT count(*) FROM (${members})`, caseId, now, mostLooked) ?? 0
  if (count >= mostLooked) return null
  const sql = `SELECT ${alertColumns} FROM (${members}) m JOIN alerts a ON a.id = m.alert_id AND a.episode = m.episode
    WHERE a.severity = 'critical' AND (a.nature = 'event' OR a.state IN ('pending', 'firing', 'recovering'))`
  return alertTable.all(db, sql, caseId, now, mostLooked)
}

/** Critical findings that are of no transfer: conditions that hold or form, and events whose case nobody has handled. */
function listApart(db: Database): AlertRow[] {
  const select = `SELECT ${alertColumns} FROM alerts a INDEXED BY alerts_apart
    WHERE a.transfer_key IS NULL AND a.severity = 'critical'`
  const isLive = `EXISTS (SELECT 1 FROM case_members m JOIN cases c ON c.id = m.case_id
    WHERE m.alert_id = a.id AND m.episode = a.episode AND c.state IN ('open', 'acknowledged'))`
  return [
    ...alertTable.all(
      db,
      `${select} AND a.nature = 'condition' AND a.state IN ('pending', 'firing', 'recovering') LIMIT ?`,
      mostOpen + 1,
    ),
    ...alertTable.all(
      db,
      `${select} AND a.nature = 'event' AND a.state IN ('new', 'delivered') AND ${isLive} LIMIT ?`,
      mostOpen + 1,
    ),
  ]
}

/** Whether a finding of no transfer may be about this one: not of another token or the other direction, nor of who pays and who is told. */
function concerns({ labels }: Finding, transfer: Transfer): boolean {
  if (labels.operator !== undefined || labels.channel !== undefined) return false
  if (labels.direction !== undefined && labels.direction !== transfer.direction) return false
  const tokens = [canonicalToken(transfer.token.address), movedToken(transfer.token)]
  return labels.token === undefined || tokens.includes(canonicalToken(labels.token))
}

/** Nothing of what somebody handled, nor of what paying ends. */
function toGateFinding({ db, kinds }: FindingSources, row: AlertRow, isOwn: boolean): GateFinding[] {
  const kind = kinds.find(row.kind)
  const caseId = findCaseOf(db, row.id)
  const of = caseId === null ? null : findCase(db, caseId)
  if (kind?.endsWhenPaid === true || of?.state === 'handled') return []
  const { title, facts, evidence } = keptFinding(row)
  return [
    {
      alert: alertIdOf(row.fingerprint),
      kind: row.kind,
      title,
      severity: row.severity,
      isForming: row.state === 'pending',
      accuses: isOwn && (kind?.accuses?.(facts) ?? false),
      isBlindness: /^(monitor|source|chain)\./.test(row.kind) && !isOwn,
      case: of === null ? null : `c${of.id}`,
      evidence,
    },
  ]
}
