import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createRecordLookup, readControl } from '../../kernel/recordLookup.ts'
import { createMissingRecords } from '../../ledger/missingRecords.ts'
import { batchMismatch } from './batchMismatch.ts'
import { batchUnresolved } from './batchUnresolved.ts'
import { transferDuplicate } from './duplicate.ts'
import { transferFailed } from './failed.ts'
import { transferLarge } from './large.ts'
import { transferMismatch } from './mismatch.ts'
import { transferOutOfOrder } from './outOfOrder.ts'
import { createMissingPoll } from './pollMissing.ts'
import { createOpenTransfersPoll } from './pollOpen.ts'
import { createWalk } from './pollSweep.ts'
import { createTransfersPoll, overlapMs } from './pollTail.ts'
import { transferRewritten } from './rewritten.ts'
import { transferStalled } from './stalled.ts'
import { transferUnbacked } from './unbacked.ts'
import { transferUnknownToken } from './unknownToken.ts'
import { transferVanished } from './vanished.ts'

/** Failures older than this are no longer asked of E9. */
const evidenceMs = 86_400_000

/** The list of transfers, read at its tail, back in time, and again; and what is open, asked for by hash. */
export const transfers: Check = {
  name: 'transfers',
  kinds: [
    transferFailed,
    transferStalled,
    transferUnbacked,
    transferMismatch,
    transferRewritten,
    transferDuplicate,
    transferVanished,
    transferOutOfOrder,
    transferUnknownToken,
    transferLarge,
    batchUnresolved,
    batchMismatch,
  ],
  open(kernel) {
    const { cursors, ledger, list, state, trigger } = kernel
    const { poll } = kernel.config
    const requestDetails = () => trigger('openTransfers')
    const noteComplete = (startedAt: number) => {
      list.readAt = startedAt
    }
    const { missing, lookUp } = openMissing(kernel)
    const walk = createWalk({
      ...kernel,
      sweepMs: poll.sweepMs,
      requestDetails,
      requestWalk: () => trigger('sweep'),
      noteComplete,
      onSwept({ from, startedAt, firstNumber }) {
        list.sweptAt = startedAt
        missing.noteSweep({ from, until: startedAt, readBefore: firstNumber })
      },
    })
    list.rewind = (until) => walk.requestHistory(until)
    const tail = createTransfersPoll({
      ...kernel,
      noteComplete,
      listUnconfirmed: (records) => ledger.listUnconfirmed(records),
      requestSweep: walk.requestSweep,
      noteGap: walk.noteGap,
      requestDetails,
    })
    return {
      pollers: [
        { name: 'transfers', schedule: poll.transfers, run: tail },
        { name: 'openTransfers', schedule: poll.openTransfers, run: openPoll(kernel, lookUp) },
        { name: 'sweep', schedule: poll.transfers, isBackground: true, run: walk.run },
        { name: 'missing', schedule: poll.openTransfers, isBackground: true, run: missing.run },
      ],
      facts: () => ({}),
      start() {
        // Whatever the last run left unread lies between the newest complete reading and now.
        const { completeAt } = cursors.read().tail
        if (!state.isFirstStart && completeAt !== null) walk.requestHistory(completeAt - overlapMs)
      },
    }
  },
}

function openMissing(kernel: Kernel) {
  const { db, ledger, stakes } = kernel
  const records = createMissingRecords(db, (key) => ledger.seenAt(key))
  const lookUp = createRecordLookup({
    ...kernel,
    readControl: () => readControl(ledger, records.findControl()),
  })
  const missing = createMissingPoll({
    ...kernel,
    lookUp,
    missing: records,
    getTransfer: (key) => ledger.getTransfer(key),
    riskOf: ({ token, amount }) => stakes.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount),
  })
  return { missing, lookUp }
}

function openPoll(kernel: Kernel, lookUp: ReturnType<typeof createRecordLookup>) {
  const { clock, ledger } = kernel
  return createOpenTransfersPoll({
    ...kernel,
    lookUp,
    listDueChecks: (limit) => ledger.listDueChecks(clock.now(), limit),
    postponeChecks: (keys, soughtAt) => ledger.postponeChecks(keys, clock.now(), soughtAt),
    listWithoutEvidence: (limit) => ledger.listWithoutEvidence(clock.now() - evidenceMs, clock.now(), limit),
  })
}
