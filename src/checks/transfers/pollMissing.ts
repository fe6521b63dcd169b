import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import type { Agreement } from '../../bridge/agreement.ts'
import type { Finding } from '../../bridge/finding.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { isClean, isCleanOf } from '../../kernel/reads/hiddenRows.ts'
import { askEach, askInParts } from '../../kernel/reads/askInParts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Accusation, askQuorum } from '../../kernel/quorum.ts'
import { detailAccusation, recordAccusation } from '../../kernel/recordWord.ts'
import type { ExplorerReads } from '../../kernel/reads/reads.ts'
import type { RecordLookup } from '../../kernel/reads/recordLookup.ts'
import { isFailedDeposit } from '../../ledger/failedDeposits.ts'
import {
  type MissingRecord,
  type MissingRecords,
  neededReads,
} from '../../ledger/transfers/missingRecords.ts'
import { type AtRisk, valueFirst } from '../../ledger/sightings/valueFirst.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Walk } from './walk.ts'
import { toVanished } from './vanished.ts'

interface Missing
  extends Pick<
    Kernel,
    'blockListeners' | 'clock' | 'commit' | 'db' | 'explorers' | 'ledger' | 'reads' | 'stakes'
  > {
  /** The records of a main transaction. */
  readonly lookUp: RecordLookup
  readonly missing: MissingRecords
  /** The list was read from end to end: what it did not show wants a second look. */
  readonly walk: Pick<Walk, 'unscanned'>
}

/** One place in a question by hash is the control's. */
const batchSize = 19
/** Those known by their main hash alone cost a request each. */
const maxSingles = 3
/** How many that are due are ordered by what is at stake. */
const maxDue = 500
const neededMs = 600_000
const pauseMs = neededMs / (neededReads - 1)
/** What could not be asked comes again after this, ms. */
const putOffMs = pauseMs / 10
/** How seldom what was reported is read again, ms; it may come back. */
const restMs = 3_600_000
/** The readings of one run share their control question. */
const controlMs = 5_000

/**
 * Reads again, by hash, the records that a sweep of the list did not show. One that three reads over ten minutes do not
 * find, while each time a record that is known to be there was found, has vanished. A read whose control stays unanswered
 * is no read.
 */
export async function readMissing(deps: Missing, signal: AbortSignal): Promise<void> {
  const { missing, walk } = deps
  const span = walk.unscanned
  const scan = (now: UnixMs) => ((walk.unscanned = span && missing.scan(span, now)), [])
  if (span !== null) deps.commit({ mayWait: 'without-news', apply: scan })
  const waiting = missing.listDue(deps.clock.now(), maxDue).flatMap((entry) => {
    const transfer = deps.ledger.getTransfer(entry.key)
    const isSought = transfer && isStillMissing(entry, transfer) && !isReplaced(deps.ledger, transfer)
    return isSought ? [{ entry, transfer }] : drop(deps, entry)
  })
  const due = valueFirst(waiting, ({ transfer }) => toRisk(deps, transfer), waiting.length)
  const control = due.length > 0 ? missing.findControl() : null
  if (control === null) return
  const byZone = due.filter(({ transfer }) => transfer.zone !== null).slice(0, batchSize)
  const singles = due.filter(({ transfer }) => transfer.zone === null).slice(0, maxSingles)
  const putOff = (some: readonly Candidate[]) =>
    deps.commit({
      apply: (now) => (some.forEach(({ entry }) => deps.missing.save(entry, now + putOffMs)), []),
    })
  const ask = (some: readonly Candidate[]) => readByZone(deps, some, { control: control.zoneHash, signal })
  await askEach([
    () => askInParts(byZone, ask, putOff),
    ...singles.map((one) => () => askInParts([one], () => readByMain(deps, one, signal), putOff)),
  ])
}

interface Candidate {
  readonly entry: MissingRecord
  readonly transfer: Transfer
}

function toRisk({ stakes }: Missing, { token, amount, originAt }: Transfer): AtRisk {
  const share = stakes.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount)
  return { share, since: originAt, counts: true }
}

/** Neither shown since the first read that missed it, nor known from the chain alone, nor without a hash to ask by. */
function isStillMissing({ firstAt }: MissingRecord, transfer: Transfer): boolean {
  if (!transfer.isListed || (transfer.zone === null && transfer.main === null)) return false
  return firstAt === null || transfer.readAt < firstAt
}

/**
 * Without an id a deposit that the zone refused, and credits by another transaction later, has two records: the one of what was
 * refused makes room for the other.
 */
function isReplaced(ledger: Kernel['ledger'], gone: Transfer): boolean {
  if (!isFailedDeposit(gone) || gone.id !== null || gone.main === null) return false
  const alike = ledger
    .listSharing('main', gone.main.hash, mostOfTransaction)
    .filter((one) => contentOf(one) === contentOf(gone))
  const refused = alike.filter(isFailedDeposit)
  const credited = alike.filter((one) => one.state === 'completed' && one.firstSeenAt > gone.firstSeenAt)
  return credited.length >= refused.length
}

function contentOf({ direction, token, amount, amountRaw, targetAddress }: Transfer): string {
  return [direction, token.address, token.id, amountRaw ?? amount, targetAddress].join('|')
}

/** What was reported as gone is judged again: it is back, and that corrects what was sent. */
function drop(deps: Missing, { key, reads }: MissingRecord): [] {
  deps.commit({
    judge: reads >= neededReads ? [key] : [],
    apply: () => (deps.missing.remove(key), []),
  })
  return []
}

async function readByZone(
  deps: Missing,
  candidates: readonly Candidate[],
  { control, signal }: { readonly control: string; readonly signal: AbortSignal },
): Promise<void> {
  const hashes = new Set(candidates.flatMap(({ transfer }) => transfer.zone?.hash ?? []))
  const read = await deps.reads.details([...hashes, control], { priority: 'sweep', signal })
  const shown = new Set(read.records.map(({ zoneHash }) => zoneHash))
  // A row that was set aside may be the one that is looked for.
  const wouldShow = isCleanOf(read, [...hashes, control])
  const isAnswered = ({ zone }: Transfer) => shown.has(control) && wouldShow(zone?.hash ?? '')
  const isShown = ({ zone }: Transfer) => shown.has(zone?.hash ?? '')
  const accuse = ({ zone }: Transfer) => detailAccusation(deps, zone?.hash ?? '', control)
  await settle(deps, candidates, { answer: read, isAnswered, isShown, accuse }, signal)
}

async function readByMain(deps: Missing, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { main, targetAddress, sourceAddress } = candidate.transfer
  const hash = main?.hash ?? ''
  const wanted = { hash, addresses: [targetAddress, sourceAddress] }
  const read = await deps.lookUp(wanted, { priority: 'sweep', signal, checkedWithinMs: controlMs })
  const isShown = () => read.records.some(({ mainHash }) => mainHash === hash)
  const isAnswered = () => read.isAnswer && isClean(read)
  const accuse = () => recordAccusation(deps, hash)
  await settle(deps, [candidate], { answer: read, isAnswered, isShown, accuse }, signal)
}

async function settle(
  deps: Missing,
  candidates: readonly Candidate[],
  read: {
    readonly answer: Awaited<ReturnType<ExplorerReads['details']>>
    isAnswered(transfer: Transfer): boolean
    isShown(transfer: Transfer): boolean
    /** How others are asked of a record that is gone. */
    accuse(transfer: Transfer): Accusation<Explorer>
  },
  signal: AbortSignal,
): Promise<void> {
  const agreed = new Map<string, Agreement | null>()
  for (const { entry, transfer } of candidates) {
    if (!read.isAnswered(transfer) || read.isShown(transfer) || entry.reads + 1 !== neededReads) continue
    const seat = { name: 'explorer', seat: deps.explorers } as const
    agreed.set(entry.key, await askQuorum(deps, seat, read.accuse(transfer), signal))
  }
  const back = candidates.filter(
    ({ entry, transfer }) => entry.reads >= neededReads && read.isShown(transfer),
  )
  deps.commit({
    answers: [read.answer.records],
    bad: read.answer.bad,
    judge: back.map(({ entry }) => entry.key),
    apply: (now) =>
      candidates.flatMap(({ entry, transfer }) => {
        if (read.isShown(transfer)) deps.missing.remove(entry.key)
        else if (read.isAnswered(transfer))
          return noteMiss(
            deps,
            { entry, transfer },
            { readAt: read.answer.requestedAt, now, agreement: agreed.get(entry.key) },
          )
        else deps.missing.save(entry, now + putOffMs)
        return []
      }),
  })
}

function noteMiss(
  { missing }: Missing,
  of: Candidate,
  {
    readAt,
    now,
    agreement,
  }: {
    readonly readAt: UnixMs
    readonly now: UnixMs
    /** Null where sources contradict each other: then it is no reading. */
    readonly agreement: Agreement | null | undefined
  },
): Finding[] {
  if (agreement === null) {
    missing.save(of.entry, now + pauseMs)
    return []
  }
  // Numbers of requests order readings; the pauses between them are by the clock.
  const firstAt = of.entry.firstAt ?? readAt
  const missed = { ...of.entry, reads: of.entry.reads + 1, firstAt, lastAt: readAt }
  const isGone = missed.reads >= neededReads
  missing.save(missed, now + (isGone ? restMs : pauseMs))
  return isGone ? [toVanished(of.transfer, { ...missed, agreement })] : []
}
