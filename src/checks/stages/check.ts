import type { Check, Panel } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { sayInstant } from '../../lib/sayTime.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { newestProposal, openStageBook, readAnew, readOn, type StageBook, standingIn } from './book.ts'
import { givenStages, noStages, sinceName, type StagesPart } from './facts.ts'
import { stagesKept } from './kept.ts'
import { transferStageOverdue } from './overdue.ts'
import { proposalOverdue } from './proposalOverdue.ts'
import { transferProveAgain } from './proveAgain.ts'
import { readStageEvent } from './readStageEvent.ts'
import { dropStageEvents, hasStageEvents, purgeStageEvents, saveStageEvents } from './store.ts'

const purgedAtOnce = 200
/** So many are named on the card; the findings name all. */
const named = 10

/** What a withdrawal passes before it can be claimed, by the events of the bridge's contracts. */
export const stages: Check<StagesPart> = {
  name: 'stages',
  kinds: [transferStageOverdue, transferProveAgain, proposalOverdue],
  given: givenStages,
  kept: stagesKept,
  open(kernel) {
    const { clock, config, db } = kernel
    const book = openStageBook(kernel)
    const { settings } = book
    if (settings.length === 0) return { pollers: [], facts: () => ({ stages: noStages }) }
    kernel.stages.follow({ standingOf: (transfer, now) => standingIn(book, transfer, now) })
    kernel.logListeners.add({
      take(logs) {
        const now = clock.now()
        saveStageEvents(
          db,
          logs.flatMap((log) => readStageEvent(settings, log, now) ?? []),
        )
      },
      goesBy: (contract, hash) => hasStageEvents(db, contract, hash),
      forget(contract, hash) {
        if (dropStageEvents(db, contract, hash)) readAnew(book)
      },
    })
    return {
      pollers: [],
      start() {
        book.since = db.transaction(() => noteSince(kernel))
      },
      facts(now) {
        readOn(book)
        return { stages: toFacts(kernel, book, now) }
      },
      prune: (now) => purgeStageEvents(db, now - config.retention.transfersMs, purgedAtOnce),
      panel: (now) => toPanel(kernel, book, now),
    }
  },
}

/** Since when these very stages are followed: of others nothing was kept. A time that has not come is now. */
function noteSince({ clock, config, db }: Pick<Kernel, 'clock' | 'config' | 'db'>): UnixMs {
  const name = JSON.stringify(config.bridge.stages.map(({ stage, event }) => [stage, event?.topic ?? null]))
  const now = clock.now()
  const since = readMetaNumber(db, sinceName)
  const isSame =
    db.prepare('SELECT 1 FROM meta WHERE name = ? AND value = ?').get('stages', name) !== undefined
  if (isSame && since !== null && since <= now) return since
  saveMeta(db, 'stages', name)
  saveMeta(db, sinceName, String(now))
  return now
}

type Parts = Pick<Kernel, 'horizons' | 'ledger'>

function toFacts({ horizons }: Parts, book: StageBook, now: UnixMs): StagesPart['stages'] {
  return {
    since: book.since,
    shownUntil: horizons.read().main,
    everyMs: book.rules.find(({ everyMs }) => everyMs !== null)?.everyMs ?? null,
    newestProposalAt: newestProposal(book),
    standingOf: (transfer) => standingIn(book, transfer, now),
  }
}

function toPanel({ ledger }: Parts, book: StageBook, now: UnixMs): Panel {
  const standing = Array.from(ledger.listPending({ direction: 'ZoneToMain', originAtOrBefore: now })).flatMap(
    (transfer) => {
      const one = standingIn(book, transfer, now)
      return one === null ? [] : [{ key: transfer.key, ...one }]
    },
  )
  const again = standing.filter(({ isAgain }) => isAgain).map(({ key }) => key)
  const newest = newestProposal(book)
  const more = again.length > named ? ` and ${again.length - named} more` : ''
  return {
    id: 'stages',
    title: 'Stages of withdrawals',
    lines: [
      { name: 'Newest proposal', value: newest === null ? 'none yet' : sayInstant(newest, now) },
      ...[...Map.groupBy(standing, ({ stage }) => stage)].map(([name, of]) => ({
        name: name === 'left' ? 'Not proposed yet' : `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`,
        value: String(of.length),
      })),
      {
        name: 'To be proven again',
        value: again.length === 0 ? 'none' : `${again.slice(0, named).join(', ')}${more}`,
      },
    ],
  }
}
