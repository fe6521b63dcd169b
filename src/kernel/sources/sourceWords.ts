import type { Agreement } from '../../bridge/agreement.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { chain } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { flag, instant, jsonOf, table, text } from '../../store/table.ts'
import { type Difference, neededTimes, type Odd, type Standing } from './compareWords.ts'

/** What was asked of several sources, and about what. */
type Asked = Pick<Difference, 'chain' | 'what' | 'about'>

const common = {
  what: text,
  about: text,
  chain,
  isContradicted: flag,
  since: instant,
  at: instant,
}
const oneOf = 'SELECT * FROM source_words WHERE what = ? AND about = ? AND is_contradicted = ?'
const agreed = table('source_words', { ...common, body: jsonOf<Agreement>('by', 'silent') })
const contradicted = table('source_words', { ...common, body: jsonOf<Odd>('names', 'isTie', 'says') })

/** What asking all sources of a seat came to: who says it, and whether they contradict each other. */
export function noteWords(
  db: Database,
  asked: Asked,
  { agreement, odd }: { readonly agreement: Agreement | null; readonly odd: Odd | null },
  now: UnixMs,
): void {
  const { chain, what, about } = asked
  const since = contradicted.get(db, oneOf, what, about, 1)?.since ?? now
  settleWords(db, what, about)
  const row = { chain, what, about, at: now }
  if (agreement !== null)
    db.prepare(`INSERT ${agreed.into}`).run(
      ...agreed.values({ ...row, isContradicted: false, body: agreement, since: now }),
    )
  if (odd !== null)
    db.prepare(`INSERT ${contradicted.into}`).run(
      ...contradicted.values({ ...row, isContradicted: true, body: odd, since }),
    )
}

/** Whoever accused does so no more: nothing is left of what was said. */
export function settleWords(db: Database, what: string, about: string): void {
  const said = 'FROM source_words WHERE what = ? AND about = ?'
  // Mostly nothing was: what is written beside a commit saves all that waits for one.
  if (db.prepare(`SELECT 1 ${said}`).get(what, about)) db.prepare(`DELETE ${said}`).run(what, about)
}

export function isContradicted(db: Database, what: string, about: string): boolean {
  return contradicted.get(db, oneOf, what, about, 1) !== null
}

/** Who said what an accusation rests on; null where nobody was asked. */
export function readAgreement(db: Database, what: string, about: string): Agreement | null {
  return agreed.get(db, oneOf, what, about, 0)?.body ?? null
}

/** What sources contradict each other about, as it was asked last. */
export function listContradictions(db: Database): Standing[] {
  const sql = 'SELECT * FROM source_words WHERE is_contradicted = 1 ORDER BY at DESC LIMIT 200'
  // Whoever accuses has said it several times before the others are asked.
  return contradicted.all(db, sql).map(({ body, chain, what, about, since, at }) => ({
    chain,
    what,
    about,
    since,
    at,
    ...body,
    times: neededTimes,
  }))
}

export function purgeWords(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM source_words WHERE at < ?').run(before)
}
