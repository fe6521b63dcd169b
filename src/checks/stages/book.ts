import type { Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { Standing } from '../../kernel/stages.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { StageSetting } from './readStageEvent.ts'
import { type Proposal, type Said, type StageRule, standingOf } from './stage.ts'
import {
  listProposals,
  listStageEvents,
  listStagesOf,
  newestStageId,
  type StoredStageEvent,
} from './store.ts'

interface Named {
  readonly stage: string
  readonly at: UnixMs
}

/** What was taken in of one transfer by its name, oldest first. */
export type StagesOf = (name: string) => readonly Named[]

/** Events of stages as they come, and where withdrawals stand by them. */
export interface StageBook {
  readonly db: Database
  readonly settings: readonly StageSetting[]
  readonly rules: readonly StageRule[]
  readonly words: Kernel['challengeWords']
  readonly stagesOf: StagesOf
  /** The same of the names that were asked for lately, with what came since. */
  readonly named: Map<string, readonly Named[]>
  proposals: Proposal[]
  removals: Proposal[]
  /** Up to which event of the ledger they were taken in. */
  lastId: number
  /** How many proposals and removals were taken in. */
  turns: number
  readonly hasWords: boolean
  /** Since when these stages are followed: of what left before, nothing is known. Infinity before that is known. */
  since: UnixMs
  /** What was judged, by the transfer's key, until time or an event changes it. */
  readonly known: Map<
    string,
    { readonly standing: Standing; readonly turns: number; readonly said: number; readonly readAt: UnixMs }
  >
}

/** So many proposals are looked through: older ones cover what was paid long ago. */
const mostProposals = 2_000
const mostKnown = 50_000
const mostNamed = 50_000
/** Before any event: an empty ledger has come to 0. */
const notRead = -1
/** A challenge's word comes without an event. */
const wordsMs = 30_000

/** @param stagesOf the ledger's word when left out */
export function openStageBook(
  {
    db,
    config,
    challengeWords,
  }: Pick<Kernel, 'db' | 'challengeWords'> & {
    readonly config: { readonly bridge: Pick<AppConfig['bridge'], 'stages'> }
  },
  stagesOf?: StagesOf,
): StageBook {
  const { stages: settings } = config.bridge
  const book: StageBook = {
    db,
    settings,
    rules: settings.filter(({ stage }) => stage !== 'removed').map(toRule),
    words: challengeWords,
    stagesOf: stagesOf ?? ((name) => listStagesOf(db, name, book.lastId)),
    named: new Map(),
    proposals: [],
    removals: [],
    lastId: notRead,
    turns: 0,
    hasWords: settings.some(({ challenge }) => challenge.length > 0),
    since: Infinity,
    known: new Map(),
  }
  return book
}

function toRule({ stage, event, challenge, lastsMs, everyMs }: StageSetting): StageRule {
  return { stage, isTold: event !== null || challenge.length > 0, lastsMs, everyMs }
}

/** Takes in what was saved since. */
export function readOn(book: StageBook): void {
  const { db } = book
  if (book.lastId === notRead) {
    takeIn(book, listProposals(db))
    book.lastId = newestStageId(db)
    book.named.clear()
    return
  }
  const news = listStageEvents(db, book.lastId)
  takeIn(book, news)
  book.lastId = news.at(-1)?.id ?? book.lastId
}

/** Some of what was taken in is no more: all of it is read again. */
export function readAnew(book: StageBook): void {
  Object.assign(book, { proposals: [], removals: [], lastId: notRead, turns: book.turns + 1 })
  book.named.clear()
  book.known.clear()
}

/** Events that were not taken in before. */
export function takeIn(book: StageBook, news: readonly StoredStageEvent[]): void {
  const proposals = book.proposals.length
  for (const event of news) sortIn(book, event)
  if (book.proposals.length > proposals)
    book.proposals = book.proposals.toSorted((a, b) => a.at - b.at).slice(-mostProposals)
}

function sortIn(book: StageBook, { stage, name, zoneHeight, hash, at }: StoredStageEvent): void {
  if (name !== '') {
    const known = book.named.get(name)
    if (known) book.named.set(name, [...known, { stage, at }])
  } else if (zoneHeight !== null) {
    book.turns += 1
    ;(stage === 'removed' ? book.removals : book.proposals).push({ stage, hash, zoneHeight, at })
  }
}

/**
 * Null where nothing can be said: it is no withdrawal on its way, it left before its stages were followed, or nothing says
 * how long a proposal takes.
 */
export function standingIn(book: StageBook, transfer: Transfer, now: UnixMs): Standing | null {
  const { direction, zone, main, key } = transfer
  if (book.rules.length === 0 || direction !== 'ZoneToMain' || main !== null || zone?.height == null)
    return null
  if (transfer.originAt < book.since) return null
  const known = book.known.get(key)
  const isOver = known !== undefined && known.standing.until !== null && now >= known.standing.until
  const said = namesOf(transfer).reduce((sum, name) => sum + stagesBy(book, name).length, 0)
  const isOld =
    known === undefined ||
    isOver ||
    known.turns !== book.turns ||
    known.said !== said ||
    (book.hasWords && now - known.readAt >= wordsMs)
  const standing = isOld ? judge(book, transfer, zone.height, now) : known.standing
  if (isOld) {
    if (book.known.size >= mostKnown) book.known.clear()
    book.known.set(key, { standing, turns: book.turns, said, readAt: now })
  }
  return standing.stage === 'left' && standing.until === null ? null : standing
}

function judge(book: StageBook, transfer: Transfer, zoneHeight: number, now: UnixMs): Standing {
  const said: Said = {
    named: namesOf(transfer).flatMap((name) => stagesBy(book, name)),
    proposals: book.proposals,
    removals: book.removals,
    wordOf: ({ hash }, stage) => {
      const words = book.settings.find((one) => one.stage === stage)?.challenge ?? []
      const known = words.length === 0 ? null : book.words.statusOf(hash)
      return known !== null && words.includes(known.status) ? known.since : null
    },
  }
  return standingOf({ at: transfer.originAt, zoneHeight }, book.rules, said, now)
}

function stagesBy({ named, stagesOf }: StageBook, name: string): readonly Named[] {
  const known = named.get(name)
  if (known) return known
  if (named.size >= mostNamed) named.clear()
  const read = stagesOf(name)
  named.set(name, read)
  return read
}

/** What events name it by. */
function namesOf({ id, zone }: Transfer): string[] {
  return [zone?.hash, id?.toLowerCase()].filter((name) => name !== undefined)
}

/** When the newest proposal came that still stands; null before one did. */
export function newestProposal({ proposals }: StageBook): UnixMs | null {
  return proposals.at(-1)?.at ?? null
}
