import { deriveDecimals } from '../../bridge/amount.ts'
import { canonicalToken, nativeDecimals } from '../../bridge/movedToken.ts'
import type { Observation } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { int, table, text } from '../../store/table.ts'
import { readWrapping } from '../../store/wrapping.ts'

export interface TokenSetting {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
}

/** Tokens are learned at most this many: names and addresses come from the chain, where anybody can make more. */
const maxLearnedTokens = 10_000

const tokens = table('tokens', { address: text, decimals: int })

/** What is known of tokens: by the configuration, else by records that give both amounts. */
export interface TokenBook {
  /**
   * `symbol` is null for a token that the configuration does not list; `decimals` is then what records taught. The native
   * currency is one token, however it is spelled.
   */
  find(address: string): { readonly symbol: string | null; readonly decimals: number | null }
  /** @returns whether a token became known */
  learn(answer: readonly Observation[], now: UnixMs): boolean
}

export function createTokenBook(db: Database, settings: readonly TokenSetting[]): TokenBook {
  const configured = new Map(settings.map((token) => [canonicalToken(token.address), token]))
  // The wrapper makes as much as is paid to it.
  const natives = ['', readWrapping(db).wrappedNative]
  let learned = readLearned(db)
  let rollbacks = db.rollbacks()
  // What was learned in a transaction that came to nothing is in no ledger: it is learned again.
  const dropUndone = () => {
    if (rollbacks !== db.rollbacks()) learned = readLearned(db)
    rollbacks = db.rollbacks()
  }
  return {
    find(address) {
      dropUndone()
      const own = canonicalToken(address)
      const token = configured.get(own)
      return (
        token ?? {
          symbol: null,
          decimals: natives.includes(own) ? nativeDecimals : (learned.get(own) ?? null),
        }
      )
    },
    learn(answer, now) {
      dropUndone()
      let isNews = false
      for (const { token: named, value, amountRaw } of answer) {
        const token = canonicalToken(named)
        if (learned.has(token) || configured.has(token) || learned.size >= maxLearnedTokens) continue
        if (token === '' || value === null || amountRaw === null) continue
        const decimals = deriveDecimals(value, amountRaw)
        if (decimals === null) continue
        learned.set(token, decimals)
        isNews = true
        db.prepare('INSERT OR IGNORE INTO tokens VALUES (?, ?, ?)').run(token, decimals, now)
      }
      return isNews
    },
  }
}

function readLearned(db: Database): Map<string, number> {
  const sql = 'SELECT address, decimals FROM tokens LIMIT ?'
  return new Map(
    tokens.all(db, sql, maxLearnedTokens).map(({ address, decimals }) => [address, decimals] as const),
  )
}

/** Decimals that records taught; null when none did. */
export function readDecimals(db: Database, address: string): number | null {
  return int.get(db, 'SELECT decimals FROM tokens WHERE address = ?', address)
}
