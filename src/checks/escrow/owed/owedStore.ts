import { countsSince, leastChange, type OwedStart } from './owed.ts'
import { type Accounts, accountsJson } from '../accounts/readAccounts.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { bigintText, columns, flag, instant, int, type Read, table, text } from '../../../store/table.ts'
import { listLegs, numberOfKey, ofToken } from './legStore.ts'

/** A token whose escrows are watched: when counting began, and the newest judgement. Amounts in base units. */
export interface EscrowToken {
  readonly token: string
  /** `ERC20`, `ERC1155`, as records say; '' when none did. */
  readonly type: string
  readonly start: OwedStart | null
  readonly baseline: bigint | null
  /** What the escrows hold together, by the newest reading. */
  readonly holdings: bigint | null
  readonly holdingsAt: UnixMs | null
  /** The newest judgement: what is owed, and what had left but was not judged yet, at the same block. */
  readonly judged: {
    readonly owed: bigint
    readonly holdings: bigint
    readonly openOut: bigint
    readonly height: number
    readonly at: UnixMs
  } | null
  /** Account by account, at the block of the judgement. */
  readonly accounts: Accounts | null
  /** Nothing but the first balance says what was owed when counting began. */
  readonly isAssumed: boolean
  /** False where nothing ever came to rest, as far as was seen: nothing is held there, or owed. */
  readonly isHeld: boolean
}

export const tokens = table('escrow_tokens', {
  token: text,
  type: text,
  startHeight: int.orNull(),
  startTime: instant.orNull(),
  baseline: bigintText.orNull(),
  total: bigintText,
  holdings: bigintText.orNull(),
  holdingsAt: instant.orNull(),
  owed: bigintText.orNull(),
  judgedHoldings: bigintText.orNull(),
  openOut: bigintText.orNull(),
  judgedHeight: int.orNull(),
  judgedAt: instant.orNull(),
  accounts: accountsJson.orNull(),
  isAssumed: flag.from('assumed'),
  isHeld: flag.orNull().from('held'),
})

export function listEscrowTokens(db: Database): EscrowToken[] {
  return tokens.all(db, 'SELECT * FROM escrow_tokens ORDER BY token').map(toToken)
}

export function readEscrowToken(db: Database, token: string): EscrowToken | null {
  const row = tokens.get(db, 'SELECT * FROM escrow_tokens WHERE token = ?', token)
  return row && toToken(row)
}

const starts = columns({
  height: int.orNull().from('start_height'),
  time: instant.orNull().from('start_time'),
})

/** Where counting of a token began; null while it did not. */
export function readOwedStart(db: Database, token: string): OwedStart | null {
  const sql = 'SELECT start_height, start_time FROM escrow_tokens WHERE token = ?'
  const { height = null, time = null } = starts.get(db, sql, token) ?? {}
  return time === null ? null : { height, time }
}

export function noteEscrowToken(db: Database, token: string, type: string): void {
  db.prepare(
    `INSERT INTO escrow_tokens (token, type, total) VALUES (?, ?, '0')
     ON CONFLICT (token) DO UPDATE SET type = excluded.type WHERE excluded.type <> '' AND type <> excluded.type`,
  ).run(token, type)
}

/** Where counting begins; what is known of the token already is counted from there. */
export function startOwed(db: Database, token: string, start: OwedStart, baseline: bigint): void {
  noteEscrowToken(db, token, '')
  let total = 0n
  for (const leg of listLegs(db, ofToken, token)) {
    if (!countsSince(leg, start)) continue
    db.prepare('UPDATE escrow_legs SET counted = 1 WHERE key = ?').run(numberOfKey(leg.key))
    total += leastChange(leg)
  }
  db.prepare(
    'UPDATE escrow_tokens SET start_height = ?, start_time = ?, baseline = ?, total = ? WHERE token = ?',
  ).run(start.height, start.time, baseline.toString(), total.toString(), token)
}

export function noteAssumed(db: Database, token: string, isAssumed: boolean): void {
  const sql = 'UPDATE escrow_tokens SET assumed = ?1 WHERE token = ?2 AND assumed <> ?1'
  db.prepare(sql).run(flag.write(isAssumed), token)
}

/** What once came to rest may do so again, however long ago that was. */
export function noteHeld(db: Database, token: string, isHeld: boolean): void {
  const sql = 'UPDATE escrow_tokens SET held = ?1 WHERE token = ?2 AND held IS NOT ?1 AND held IS NOT 1'
  db.prepare(sql).run(flag.write(isHeld), token)
}

/** What shares are taken of: where nothing ever came to rest, nothing there is no measure of anything. */
export function measuredBy({ isHeld }: Pick<EscrowToken, 'isHeld'>, amount: bigint | null): bigint | null {
  return !isHeld && amount === 0n ? null : amount
}

export function saveHoldings(db: Database, token: string, holdings: bigint, at: UnixMs): void {
  noteEscrowToken(db, token, '')
  db.prepare('UPDATE escrow_tokens SET holdings = ?, holdings_at = ? WHERE token = ?').run(
    holdings.toString(),
    at,
    token,
  )
}

export function saveOwedJudgement(
  db: Database,
  token: string,
  judged: NonNullable<EscrowToken['judged']>,
  accounts: Accounts | null = null,
): void {
  db.prepare(
    `UPDATE escrow_tokens SET owed = ?, open_out = ?, judged_height = ?, judged_at = ?, judged_holdings = ?, accounts = ?
      WHERE token = ?`,
  ).run(
    judged.owed.toString(),
    judged.openOut.toString(),
    judged.height,
    judged.at,
    judged.holdings.toString(),
    accounts && accountsJson.write(accounts),
    token,
  )
}

function toToken(row: Read<typeof tokens>): EscrowToken {
  const {
    token,
    type,
    startHeight,
    startTime,
    baseline,
    holdings,
    holdingsAt,
    judgedAt,
    accounts,
    isAssumed,
    isHeld,
  } = row
  return {
    token,
    type,
    start: startTime === null ? null : { height: startHeight, time: startTime },
    baseline,
    holdings,
    holdingsAt,
    accounts,
    isAssumed,
    isHeld: isHeld ?? true,
    judged:
      judgedAt === null
        ? null
        : {
            owed: row.owed ?? 0n,
            holdings: row.judgedHoldings ?? 0n,
            openOut: row.openOut ?? 0n,
            height: row.judgedHeight ?? 0,
            at: judgedAt,
          },
  }
}
