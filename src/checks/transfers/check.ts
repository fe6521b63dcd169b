import type { AppConfig } from '../../kernel/settings.ts'
import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ContractReads } from '../../kernel/contractReads.ts'
import { createContractsPolls } from '../contracts/check.ts'
import { createMissingPoll } from './pollMissing.ts'
import { createOpenTransfersPoll } from './pollOpen.ts'
import type { Commit, ExplorerReads } from '../../kernel/reads.ts'
import { type ControlRecord, createRecordLookup } from '../../kernel/recordLookup.ts'
import type { Poller } from '../../kernel/runner.ts'
import { intervalOf } from '../../kernel/schedule.ts'
import { createTransfersPoll, overlapMs } from './pollTail.ts'
import { createWalk } from './pollSweep.ts'
import type { CursorFile } from '../../store/cursors.ts'
import type { Database } from '../../store/database.ts'
import { readHeight } from '../../kernel/heads.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createMissingRecords } from '../../ledger/missingRecords.ts'
import type { EscrowWatch } from '../escrow/watch.ts'

export interface PollerDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly db: Database
  readonly ledger: Ledger
  readonly reads: ExplorerReads
  readonly contractReads: ContractReads
  readonly commit: Commit
  readonly cursors: CursorFile
  readonly config: Pick<AppConfig, 'poll' | 'bridge'>
  /** What was final before this is history, not news. */
  readonly tellSince: UnixMs
  readonly startedAt: UnixMs
  readonly watch: Pick<EscrowWatch, 'riskOf'>
  trigger(poller: string): void
  /** A pass of the sweep over the list ended that began at this time. */
  noteSwept?(startedAt: UnixMs): void
}

export interface Pollers {
  readonly list: readonly Poller[]
  /** Walks from the newest page back to the newest reading that was complete, with an overlap. */
  reopenHistory(): void
  /** Walks from the newest page back to a time. */
  rewind(until: UnixMs): void
  /** When the newest complete reading of the list's tail began, with or without news; null before the first. */
  listReadAt(): UnixMs | null
}

/** Failures older than this are no longer asked of E9. */
const evidenceMs = 86_400_000

export function createPollers(deps: PollerDeps): Pollers {
  const { clock, cursors, ledger, db } = deps
  const { poll } = deps.config
  const requestDetails = () => deps.trigger('openTransfers')
  const records = createMissingRecords(db, (key) => ledger.seenAt(key))
  const lookUp = createRecordLookup({
    ...deps,
    readControl: () => readControl(ledger, records.findControl()),
  })
  const missing = createMissingPoll({
    ...deps,
    lookUp,
    missing: records,
    getTransfer: (key) => ledger.getTransfer(key),
    riskOf: ({ token, amount }) => deps.watch.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount),
  })
  let listReadAt: UnixMs | null = null
  const noteComplete = (startedAt: UnixMs) => {
    listReadAt = startedAt
  }
  const walk = createWalk({
    ...deps,
    sweepMs: poll.sweepMs,
    requestDetails,
    requestWalk: () => deps.trigger('sweep'),
    noteComplete,
    onSwept: ({ from, startedAt, firstNumber }) => {
      deps.noteSwept?.(startedAt)
      missing.noteSweep({ from, until: startedAt, readBefore: firstNumber })
    },
  })
  const reopenHistory = () => {
    const { tail, history } = cursors.read()
    walk.requestHistory(tail.completeAt === null ? history.until : tail.completeAt - overlapMs)
  }
  const transfers = createTransfersPoll({
    ...deps,
    noteComplete,
    listUnconfirmed: (records) => ledger.listUnconfirmed(records),
    requestSweep: walk.requestSweep,
    noteGap: (leftAt) => walk.noteGap(leftAt),
    requestDetails,
  })
  const openTransfers = createOpenTransfersPoll({
    ...deps,
    lookUp,
    listDueChecks: (limit) => ledger.listDueChecks(clock.now(), limit),
    postponeChecks: (keys, soughtAt) => ledger.postponeChecks(keys, clock.now(), soughtAt),
    listWithoutEvidence: (limit) => ledger.listWithoutEvidence(clock.now() - evidenceMs, clock.now(), limit),
  })
  const readMainHeight = () => readHeight(db, 'main')
  const { bridge } = deps.config
  const contracts = createContractsPolls({
    ...deps,
    ...bridge,
    reads: deps.contractReads,
    blocks: deps.reads,
    readMainHeight,
    listReadAt: () => listReadAt,
    requestRun: () => deps.trigger('contracts'),
  })
  return {
    list: [
      { name: 'transfers', schedule: poll.transfers, run: transfers },
      { name: 'openTransfers', schedule: poll.openTransfers, run: openTransfers },
      { name: 'sweep', schedule: poll.transfers, isBackground: true, run: walk.run },
      ...(bridge.contracts.length === 0
        ? []
        : [
            { name: 'contracts', schedule: poll.contracts, run: contracts.contracts },
            { name: 'contractHistory', schedule: poll.contracts, isBackground: true, run: contracts.history },
          ]),
      { name: 'missing', schedule: poll.openTransfers, isBackground: true, run: missing.run },
    ],
    reopenHistory,
    rewind: (until) => walk.requestHistory(until),
    listReadAt: () => listReadAt,
  }
}

/** A completed record as the question whose answer is known. */
export function readControl(
  ledger: Pick<Ledger, 'listSharing'>,
  known: { readonly mainHash: string } | null,
): ControlRecord | null {
  const transfer = known && ledger.listSharing('main', known.mainHash, 1)[0]
  return transfer?.main ? { mainHash: transfer.main.hash, address: transfer.targetAddress } : null
}

export interface Intervals {
  readonly openTransfers: number
  readonly byEndpoint: Readonly<Record<string, number>>
}

/** How often each endpoint is meant to be asked, ms. */
export function intervalsOf(poll: AppConfig['poll']): Intervals {
  const transfers = intervalOf(poll.transfers)
  const openTransfers = intervalOf(poll.openTransfers)
  const heads = intervalOf(poll.heads)
  const evidence = intervalOf(poll.evidence)
  const contracts = intervalOf(poll.contracts)
  return {
    openTransfers,
    byEndpoint: {
      E3: transfers,
      'E3 by hash': Math.min(openTransfers, 10_000),
      E5: heads,
      E6: intervalOf(poll.escrows),
      E8: intervalOf(poll.escrows),
      E10: Math.max(30_000, intervalOf(poll.escrows)),
      E9: openTransfers,
      E11: heads,
      E12: openTransfers,
      E14: openTransfers,
      ...Object.fromEntries(['E2', 'E13', 'E15', 'E16', 'E21'].map((id) => [id, evidence])),
      E17: contracts,
      E19: contracts,
    },
  }
}
