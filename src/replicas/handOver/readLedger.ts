import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'
import { textOfHash } from '../../store/hash.ts'
import type { Actor } from '../../store/actor.ts'
import { formatKey, parseKey } from '../../ledger/transfers/transferRows.ts'
import { parseMatcher } from '../../alerts/matchers.ts'
import { handed, type Handed, type HandedAlert, type HandedBreak, type HandedTransfer } from './handed.ts'

/** Something that somebody did, or that was told, and by whom. */
export interface Found {
  readonly of: Handed
  readonly actor: Actor
}

/** The tables whose new rows say what one node alone knows. */
export const toldTables = ['outbox', 'audit_log', 'case_log', 'break_entries'] as const

type Row = Readonly<Record<string, SQLOutputValue>>

/** What a changed row says that others have to know, by names that they have as well; null for nothing. */
export function readRow(db: DatabaseSync, table: (typeof toldTables)[number], id: number): Found | null {
  switch (table) {
    case 'outbox':
      return readTold(db, id)
    case 'audit_log':
      return readAudit(db, id)
    case 'case_log':
      return readEscalated(db, id)
    case 'break_entries':
      return readEntry(db, id)
  }
}

function transferColumns(table: string): string {
  return `${textOfHash(`${table}.rec_id`)} AS id, ${textOfHash(`${table}.main_hash`)} AS main,
    ${textOfHash(`${table}.zone_hash`)} AS zone`
}

function toNames(row: Row): HandedTransfer {
  const name = (of: SQLOutputValue | undefined) => (of == null || of === '' ? null : String(of))
  return { id: name(row['id']), main: name(row['main']), zone: name(row['zone']) }
}

const nobody: Actor = { by: '', from: { via: 'api', address: null, role: null, session: null } }

function get(db: DatabaseSync, sql: string, ...values: (string | number | null)[]): Row | null {
  return db.prepare(sql).get(...values) ?? null
}

function toFound(of: unknown, actor: Actor = nobody): Found {
  return { of: handed.parse(of), actor }
}

const alertColumns = `a.fingerprint, a.rule, a.kind, a.subject, a.transfer_key, t.key AS known,
  ${transferColumns('t')}`

/** Its transfer, by the key of the one that it was joined into where it was. */
const joinTransfer = `LEFT JOIN aliases l ON l.key = CAST(substr(a.transfer_key, 2) AS INTEGER)
  LEFT JOIN transfers t ON t.key = COALESCE(l.transfer_key, CAST(substr(a.transfer_key, 2) AS INTEGER))`

/** Null for one of a transfer that the ledger does not hold: nobody could say which one it is. */
function nameAlert(row: Row): HandedAlert | null {
  const name = (column: string) => String(row[column])
  const { transfer_key: key, known } = row
  if (key !== null && known === null) return null
  return {
    fingerprint: name('fingerprint'),
    rule: name('rule'),
    kind: name('kind'),
    subject: name('subject'),
    transfer: key === null ? null : { key: name('transfer_key'), names: toNames(row) },
  }
}

function readTold(db: DatabaseSync, id: number): Found | null {
  const row = get(
    db,
    `SELECT o.channel, o.what, o.episode, o.change, o.sent_at, o.message_id, ${alertColumns},
       a.episode AS now, a.severity, a.material, c.turn, c.turn_at
     FROM outbox o JOIN alerts a ON a.id = o.alert_id ${joinTransfer}
     LEFT JOIN cases c ON c.id = COALESCE(o.case_id, (SELECT m.case_id FROM case_members m
       WHERE m.alert_id = o.alert_id AND m.episode = o.episode))
     WHERE o.id = ? AND o.state = 'sent' AND o.sent_at IS NOT NULL AND o.message_id IS NOT NULL`,
    id,
  )
  const alert = row && nameAlert(row)
  if (row === null || alert === null) return null
  const turn = row['turn'] === null ? null : Number(row['turn'])
  const isTurnSince = Number(row['turn_at']) > Number(row['sent_at'])
  return toFound({
    kind: 'told',
    at: row['sent_at'],
    alert,
    channel: row['channel'],
    what: row['what'],
    episode: row['episode'],
    change: row['change'],
    said:
      row['what'] === 'case' || row['episode'] === row['now']
        ? { severity: row['severity'], material: row['material'] }
        : null,
    turn: turn !== null && isTurnSince ? turn - 1 : turn,
    messageId: row['message_id'],
  })
}

const auditRow = z.object({
  at: z.number(),
  who: z.string(),
  via: z.enum(['cli', 'page', 'api', 'slack']).catch('api'),
  address: z.string().nullable(),
  role: z.string().nullable(),
  session: z.string().nullable(),
  what: z.string(),
  about: z.string(),
  about_id: z.string(),
  detail: z.string(),
})
type AuditRow = z.output<typeof auditRow>

function readAudit(db: DatabaseSync, id: number): Found | null {
  const found = get(db, 'SELECT * FROM audit_log WHERE id = ?', id)
  if (found === null) return null
  const row = auditRow.parse(found)
  switch (row.about) {
    case 'alert':
      return row.what === 'acknowledged' ? readAlertAck(db, row) : null
    case 'case':
      return readCaseWork(db, row)
    case 'silence':
      return readSilence(db, row)
    default:
      return null
  }
}

function actorOf({ who, via, address, role, session }: Omit<AuditRow, 'detail'>): Actor {
  return { by: who, from: { via, address, role, session } }
}

function readAlertAck(db: DatabaseSync, row: AuditRow): Found | null {
  const found = get(
    db,
    `SELECT ${alertColumns}, a.episode FROM alerts a ${joinTransfer}
     WHERE a.fingerprint >= ?1 AND a.fingerprint < ?1 || 'g' ORDER BY a.acked_at IS ?2 DESC LIMIT 1`,
    row.about_id,
    row.at,
  )
  const alert = found && nameAlert(found)
  if (!alert) return null
  return toFound({ kind: 'alert', at: row.at, alert, episode: found['episode'] }, actorOf(row))
}

const verbs: Readonly<Record<string, 'ack' | 'assign' | 'note' | 'handle' | 'reopen'>> = {
  acknowledged: 'ack',
  assigned: 'assign',
  noted: 'note',
  handled: 'handle',
  'opened again': 'reopen',
}

function readCaseWork(db: DatabaseSync, row: AuditRow): Found | null {
  const verb = verbs[row.what]
  const id = Number(/^c(\d+)$/.exec(row.about_id)?.[1])
  const about = verb === undefined ? null : readCase(db, id)
  if (verb === undefined || about === null) return null
  const log = get(
    db,
    'SELECT text FROM case_log WHERE case_id = ? AND at = ? AND what = ? ORDER BY id DESC LIMIT 1',
    id,
    row.at,
    row.what,
  )
  // The audit log keeps the beginning of a long text.
  const text = String(log?.['text'] ?? row.detail)
  const isOfTurnBefore = row.at < about.turnAt && (verb === 'ack' || verb === 'handle')
  return toFound(
    {
      kind: 'case',
      at: row.at,
      do: isOfTurnBefore ? 'seen' : verb,
      text: isOfTurnBefore ? `${row.what}: ${text}` : textOf(verb, text),
      ...about.known,
    },
    actorOf(row),
  )
}

function textOf(verb: (typeof verbs)[string], text: string): string | null {
  if (verb === 'ack') return null
  if (verb !== 'assign') return text
  return text === 'to nobody' ? null : text.replace(/^to /, '')
}

function readEscalated(db: DatabaseSync, id: number): Found | null {
  const row = get(db, "SELECT case_id, at, text FROM case_log WHERE id = ? AND what = 'escalated'", id)
  const about = row && readCase(db, Number(row['case_id']))
  if (!about) return null
  return toFound({ kind: 'case', at: row['at'], do: 'escalated', text: row['text'], ...about.known })
}

const mostMembers = 1_000

/** A case by its alerts; one that was merged is the one that it goes on as. */
function readCase(db: DatabaseSync, id: number) {
  const row = get(
    db,
    `WITH RECURSIVE line (id) AS (SELECT ?1 UNION SELECT c.merged_into FROM line JOIN cases c ON c.id = line.id
       WHERE c.state = 'merged' AND c.merged_into IS NOT NULL)
     SELECT c.id, c.turn, c.turn_at, c.turn_money, c.worst_alert FROM line JOIN cases c ON c.id = line.id
     WHERE c.state <> 'merged' LIMIT 1`,
    id,
  )
  if (row === null) return null
  const members = db
    .prepare(
      `SELECT ${alertColumns} FROM case_members m JOIN alerts a ON a.id = m.alert_id ${joinTransfer}
       WHERE m.case_id = ? AND a.state <> 'merged' GROUP BY a.id ORDER BY a.id = ? DESC, MAX(m.rank) DESC LIMIT ${mostMembers}`,
    )
    .all(Number(row['id']), Number(row['worst_alert']))
    .map(nameAlert)
    .filter((one) => one !== null)
  if (members.length === 0) return null
  const money: unknown = JSON.parse(String(row['turn_money']))
  return { turnAt: Number(row['turn_at']), known: { members, turn: row['turn'], money } }
}

const silenceTransfer = z
  .object({ key: z.string(), untilOver: z.boolean(), kinds: z.array(z.unknown()) })
  .nullable()

function readSilence(db: DatabaseSync, row: AuditRow): Found | null {
  const silence = get(db, 'SELECT * FROM silences WHERE id = ?', Number(row.about_id))
  if (silence === null) return null
  const { author, comment, created_at: createdAt } = silence
  const name = { at: row.at, author, comment, createdAt }
  if (row.what === 'ended') return toFound({ kind: 'silence end', ...name }, actorOf(row))
  if (row.what !== 'made') return null
  const matchers = z.array(z.string()).parse(JSON.parse(String(silence['matchers'])))
  const of = silence['transfer'] === null ? null : JSON.parse(String(silence['transfer']))
  const transfer = silenceTransfer.parse(of)
  const keys = [...matchers.flatMap(keysIn), ...(transfer === null ? [] : [transfer.key])]
  return toFound(
    {
      kind: 'silence',
      ...name,
      matchers,
      startsAt: silence['starts_at'],
      endsAt: silence['ends_at'],
      keys: Object.fromEntries(keys.flatMap((key) => toEntry(key, readTransfer(db, key)))),
      transfer,
    },
    actorOf(row),
  )
}

function toEntry(key: string, transfer: HandedTransfer | null): [string, HandedTransfer][] {
  return transfer === null ? [] : [[key, transfer]]
}

/** The key of a transfer that a matcher asks for. */
function keysIn(text: string): string[] {
  const parsed = parseMatcher(text)
  if (!parsed.ok || parsed.matcher.label !== 'transfer') return []
  return parseKey(parsed.matcher.value.toLowerCase()) === null ? [] : [parsed.matcher.value.toLowerCase()]
}

function readTransfer(db: DatabaseSync, key: string): HandedTransfer | null {
  const row = get(
    db,
    `SELECT ${transferColumns('t')} FROM transfers t WHERE t.key = COALESCE((SELECT transfer_key FROM aliases WHERE key = ?1), ?1)`,
    parseKey(key) ?? -1,
  )
  return row && toNames(row)
}

function readEntry(db: DatabaseSync, id: number): Found | null {
  const row = get(db, 'SELECT * FROM break_entries WHERE id = ?', id)
  if (row === null) return null
  const of = listSettled(db, Number(row['undoes'] ?? id))
  if (of === null) return null
  const verb = row['undoes'] !== null ? 'undo' : row['what'] === 'matched' ? 'match' : 'write off'
  const actor = actorOf(auditRow.omit({ detail: true }).parse({ ...row, about: '', about_id: '' }))
  return toFound({ kind: 'break', at: row['at'], do: verb, reason: row['reason'], of }, actor)
}

/** What an entry settles, of a matching the payout first; null where a transfer of it is gone. */
function listSettled(db: DatabaseSync, entry: number): HandedBreak[] | null {
  const rows = db
    .prepare('SELECT name, transfer_key FROM break_shares WHERE entry_id = ? ORDER BY part DESC, name')
    .all(entry)
  const settled = rows.map(({ name, transfer_key: key }): HandedBreak | null => {
    if (key === null) return { movement: String(name) }
    const transfer = readTransfer(db, formatKey(Number(key)))
    return transfer && { transfer }
  })
  const known = settled.filter((one) => one !== null)
  return known.length === rows.length && known.length > 0 ? known : null
}
