import type { Transfer } from '../../bridge/transfer.ts'
import { listCovered } from '../../kernel/running/coverage.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import { type Kept, type KeptGround, notKeptYet, type OpenKept } from '../../kernel/kept.ts'
import { createChallengeWords } from '../../kernel/stages.ts'
import { formatKey } from '../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber } from '../../store/meta.ts'
import { columns, instant, int } from '../../store/table.ts'
import { newestProposal, openStageBook, standingIn, takeIn } from './book.ts'
import { sinceName, type StagesPart } from './facts.ts'
import { listStageEvents } from './store.ts'

type Part = StagesPart & Pick<SharedFacts, 'listPending'>

/** By the events of stages, at the times of their blocks, and the withdrawals that were on their way then. */
export const stagesKept: Kept<Part> = {
  kinds: ['transfer.stage_overdue', 'transfer.prove_again', 'proposal.overdue'],
  docs: 'events of stages, and withdrawals on their way, as long as transfers are kept; never where `challenge` words begin a stage',
  open: openStages,
}

function openStages(ground: KeptGround): OpenKept<Part> {
  const { bridge, db } = ground
  const since = readMetaNumber(db, sinceName)
  const hasWords = bridge.stages.some(({ challenge }) => challenge.length > 0)
  const everyProposalMs = bridge.stages.find((one) => one.everyMs !== null)?.everyMs ?? null
  const shown = readNewestOnMain(db)
  const shownAt = (now: UnixMs): UnixMs | null => {
    const read = listCovered(db, 'contracts', { from: now - lateMs, until: now }).at(-1)
    return read === undefined || shown === null ? null : Math.min(now, read.until, shown)
  }
  let then = openThen(ground, since)
  return {
    everyMs: 60_000,
    since: () =>
      hasWords
        ? 'never: of the words of challenges that begin a stage the newest alone is kept'
        : bridge.stages.length === 0 || since === null
          ? notKeptYet
          : since,
    facts(now) {
      if (now < then.now) then = openThen(ground, since)
      then.advance(now)
      const { book, open } = then
      return {
        listPending: () => open.values(),
        stages: {
          since,
          shownUntil: shownAt(now),
          everyMs: everyProposalMs,
          newestProposalAt: newestProposal(book),
          standingOf: (transfer) => standingIn(book, transfer, now),
        },
      }
    },
  }
}

/** What was read longer ago says nothing of a moment. */
const lateMs = 3_600_000

/** The newest of what the main chain is known to have shown: beyond it, no event says nothing. */
function readNewestOnMain(db: Database): UnixMs | null {
  const newest = (sql: string) => instant.orNull().get(db, sql) ?? 0
  const at = Math.max(
    listHeads(db).find(({ chain }) => chain === 'main')?.blockTime ?? 0,
    newest('SELECT max(at) FROM stage_events'),
    newest("SELECT max(destination_at) FROM transfers WHERE direction = 'ZoneToMain'"),
    newest("SELECT max(origin_at) FROM transfers WHERE direction = 'MainToZone'"),
  )
  return at === 0 ? null : at
}

const withdrawals = columns({ key: int, originAt: instant, destinationAt: instant.orNull() })

/** What was known at a moment, which rises: events that were written by then, and withdrawals that were on their way. */
function openThen({ bridge, db, ledger }: KeptGround, since: UnixMs | null) {
  const events = listStageEvents(db, 0).toSorted((a, b) => a.at - b.at)
  const byName = Map.groupBy(events, ({ name }) => name)
  let until: UnixMs = 0
  const book = openStageBook({ db, config: { bridge }, challengeWords: createChallengeWords() }, (name) =>
    (byName.get(name) ?? []).filter(({ at }) => at <= until),
  )
  book.since = since ?? Infinity
  const left = withdrawals.all(
    db,
    `SELECT key, origin_at, destination_at FROM transfers
      WHERE direction = 'ZoneToMain' AND state IN ('pending', 'completed') AND origin_at >= ? ORDER BY origin_at`,
    since ?? Number.MAX_SAFE_INTEGER,
  )
  const open = new Map<number, Transfer>()
  const arrivals = new Map<number, UnixMs>()
  let [nextEvent, nextLeft] = [0, 0]
  return {
    book,
    open,
    now: 0,
    advance(now: UnixMs): void {
      this.now = now
      until = now
      const from = nextEvent
      while ((events[nextEvent]?.at ?? Infinity) <= now) nextEvent += 1
      takeIn(book, events.slice(from, nextEvent))
      for (const [key, at] of arrivals) {
        if (at > now) continue
        arrivals.delete(key)
        open.delete(key)
      }
      for (let row = left[nextLeft]; row !== undefined && row.originAt <= now; row = left[++nextLeft]) {
        if (row.destinationAt !== null && row.destinationAt <= now) continue
        const transfer = ledger.getTransfer(formatKey(row.key))
        if (transfer === null) continue
        open.set(row.key, { ...transfer, state: 'pending', main: null, destinationAt: null })
        if (row.destinationAt !== null) arrivals.set(row.key, row.destinationAt)
      }
    },
  }
}
