import { toFound } from '../../../src/alerts/findingJson.ts'
import { insertAlert } from '../../../src/alerts/store/alertRows.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { createBreakOperations } from '../../../src/breaks/operations.ts'
import { type BreakQuery, readBreakList } from '../../../src/breaks/listBreaks.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { createTokenBook } from '../../../src/ledger/lessons/tokenBook.ts'
import type { Actor } from '../../../src/store/actor.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { toHashCell } from '../../../src/store/hash.ts'
import { nameNumber } from '../../../src/store/names.ts'
import { hash, toRecord } from '../../support/records.ts'

export const start = Date.parse('2026-11-01T00:00:00Z')
export const day = 86_400_000
export const usdc = `0x${'cc'.repeat(20)}`
export const dai = `0x${'dd'.repeat(20)}`
export const escrow = `0x${'ee'.repeat(20)}`
export const ana: Actor = { by: 'ana', from: { via: 'cli', address: null, role: null, session: null } }

const everything: BreakQuery = {
  token: null,
  min: null,
  minAgeMs: null,
  state: 'open',
  sort: 'age',
  limit: 1_000,
  offset: 0,
}

interface Move {
  readonly hash: string
  readonly amount: string
  readonly direction: 'out' | 'in'
  readonly token?: string
  readonly at?: number
  readonly escrow?: string
}

/** A ledger that a test fills by hand, with what people do about it; a day and an hour after `start`. */
export function createWorld() {
  const db = openDatabase(':memory:')
  const tokens = [
    { address: usdc, symbol: 'USDC', decimals: 6 },
    { address: dai, symbol: 'DAI', decimals: 18 },
    { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
  ]
  const ledger = createLedger(db, { tokens, openIntervalMs: 10_000 })
  const clock = { at: start + day + 3_600_000, now: () => clock.at }
  const sources = { db, ledger, kinds, tokens: createTokenBook(db, tokens) }
  const operations = createBreakOperations({
    db,
    ledger,
    tokens,
    clock,
    following: new Set(['ops']),
    after: [],
  })
  let answers = 0

  /** @returns its key */
  const record = (id: string, overrides: Partial<Observation> = {}): string => {
    answers += 1
    const legs = { mainHash: hash(`m${id}`), zoneHash: hash(`z${id}`), mainTime: start, zoneTime: start }
    const given = toRecord({
      id,
      token: usdc,
      value: null,
      ...legs,
      requestedAt: start + answers,
      ...overrides,
    })
    db.transaction(() => ledger.recordAnswer([given], start + answers))
    return ledger.listTransfers({ hash: id })[0]?.key ?? ''
  }

  /** What a rule says of a transfer. */
  const accuse = (key: string, kind: string, facts: Finding['facts'] = {}) => {
    const transfer = ledger.getTransfer(key)
    const finding: Finding = {
      kind,
      subject: key,
      title: key,
      transfer,
      facts,
      labels: {},
      evidence: [{ source: 'E9', at: start, says: `${kind} it is` }],
      since: start,
    }
    insertAlert(db, {
      fingerprint: `${kind} ${key}`,
      rule: kind,
      kind,
      nature: kind === 'transfer.stalled' ? 'condition' : 'event',
      severity: 'critical',
      labels: '{}',
      subject: key,
      transferKey: key,
      state: kind === 'transfer.stalled' ? 'firing' : 'delivered',
      episode: 1,
      activeAt: start,
      firedAt: start,
      keepSince: null,
      resolvedAt: null,
      resolvedReason: null,
      ...toFound(finding),
      refreshedAt: start,
      material: '[]',
      amountRank: '',
      runbook: null,
      changedAt: start,
    })
  }

  /** @returns its name */
  const move = ({
    hash,
    amount,
    direction,
    token = usdc,
    at = start,
    escrow: place = escrow,
  }: Move): string => {
    const sign = direction === 'out' ? '' : '-'
    const net = direction === 'out' ? `-${amount}` : amount
    const row = [nameNumber(db, place), nameNumber(db, token), toHashCell(hash)]
    db.prepare('DELETE FROM escrow_flows WHERE escrow = ? AND token = ? AND hash = ?').run(...row)
    db.prepare(
      `INSERT INTO escrow_flows (escrow, token, hash, height, at, seen_at, net, outward, party, verdict, direction, unexplained,
        reason, checks) VALUES (?, ?, ?, 1, ?, ?, ?, ?, '0xdd', 'unexplained', ?, ?, 'no transfer names it', 1)`,
    ).run(...row, at, at, net, `${sign}${amount}`, direction, amount)
    return `${place}:${token}:${hash}`
  }

  /** A movement gives a part of a failed deposit back. */
  const giveBack = ({ hash, deposit, amount }: { hash: string; deposit: string; amount: string }) => {
    move({ hash, amount, direction: 'out' })
    const cell = toHashCell(hash)
    db.prepare("UPDATE escrow_flows SET verdict = 'refund' WHERE hash = ?").run(cell)
    db.prepare("INSERT INTO refunds SELECT id, ?, '', ? FROM escrow_flows WHERE hash = ?").run(
      deposit,
      amount,
      cell,
    )
  }

  const explain = (of: string) =>
    void db.prepare("UPDATE escrow_flows SET verdict = 'explained' WHERE hash = ?").run(toHashCell(of))

  return {
    db,
    ledger,
    clock,
    sources,
    operations,
    record,
    accuse,
    move,
    explain,
    giveBack,
    list: (query: Partial<BreakQuery> = {}) =>
      readBreakList(sources, { ...everything, ...query }, clock.now()),
    close: () => db.close(),
  }
}

/** A withdrawal that left the zone. */
export const pending = (amountRaw: bigint, more: Partial<Observation> = {}): Partial<Observation> => ({
  status: 'unknown',
  amountRaw,
  mainHash: null,
  mainHeight: null,
  mainTime: null,
  ...more,
})

/** A payout that names no origin. */
export const unbacked = (amountRaw: bigint, more: Partial<Observation> = {}): Partial<Observation> => ({
  amountRaw,
  zoneHash: null,
  zoneHeight: null,
  zoneTime: null,
  ...more,
})
