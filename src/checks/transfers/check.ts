import type { Check } from '../../kernel/check.ts'
import { createRecordLookup, readControl } from '../../kernel/reads/recordLookup.ts'
import { createMissingRecords } from '../../ledger/transfers/missingRecords.ts'
import { batchMismatch } from './batchMismatch.ts'
import { batchUnresolved } from './batchUnresolved.ts'
import { transferDuplicate } from './duplicate.ts'
import { transferFailed } from './failed.ts'
import { transferLarge } from './large.ts'
import { transferMismatch } from './mismatch.ts'
import { transferOutOfOrder } from './outOfOrder.ts'
import { readMissing } from './pollMissing.ts'
import { createOpenTransfersPoll } from './pollOpen.ts'
import { openWalk, overlapMs, readOn, requestHistory } from './pollSweep.ts'
import { createTransfersPoll } from './pollTail.ts'
import { transferRewritten } from './rewritten.ts'
import { transferStalled } from './stalled.ts'
import { transferUnbacked } from './unbacked.ts'
import { transferUnknownToken } from './unknownToken.ts'
import { transferVanished } from './vanished.ts'

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
    const { config, cursors, db, ledger, list, state } = kernel
    const { poll } = config
    const missing = createMissingRecords(db, (key) => ledger.seenAt(key))
    const lookUp = createRecordLookup({
      ...kernel,
      readControl: () => readControl(ledger, missing.findControl()),
    })
    const walk = openWalk(kernel)
    const looked = { ...kernel, lookUp, missing, walk }
    list.rewind = (until) => requestHistory(walk, until)
    return {
      pollers: [
        { name: 'transfers', schedule: poll.transfers, run: createTransfersPoll(kernel, walk) },
        { name: 'openTransfers', schedule: poll.openTransfers, run: createOpenTransfersPoll(looked) },
        {
          name: 'sweep',
          schedule: poll.transfers,
          isBackground: true,
          run: (signal) => readOn(walk, signal),
        },
        {
          name: 'missing',
          schedule: poll.openTransfers,
          isBackground: true,
          run: (signal) => readMissing(looked, signal),
        },
      ],
      facts: () => ({}),
      start() {
        // Whatever the last run left unread lies between the newest complete reading and now.
        const { completeAt } = cursors.read().tail
        if (!state.isFirstStart && completeAt !== null) requestHistory(walk, completeAt - overlapMs)
      },
    }
  },
}
