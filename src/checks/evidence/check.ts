import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createRecordLookup, readControl } from '../../kernel/recordLookup.ts'
import type { Poller } from '../../kernel/runner.ts'
import { listKnownHashes } from '../../ledger/evidence.ts'
import { takeHeldJudgements } from '../../ledger/learned.ts'
import { toTeaching } from '../../ledger/learnMoney.ts'
import { releaseLessons } from '../../ledger/openLessons.ts'
import { isLearned } from '../../meaning/openLessons.ts'
import { maxSharing } from './confirmMoves.ts'
import { sourceDisagreement } from './disagreement.ts'
import { createEarlierPayoutsPoll } from './earlierPayouts.ts'
import { createEvidencePoll, sources } from './poll.ts'
import { createDisputesPoll } from './pollDisputes.ts'
import { createReceiptsPoll } from './pollReceipts.ts'
import { createEvidenceReads } from './reads.ts'
import { lookForOrigins } from './unnamedOrigins.ts'

/** Second sources: what they say of each leg, of what happens now, and, when there is time, of what is long over. */
export const evidence: Check = {
  name: 'evidence',
  kinds: [sourceDisagreement],
  open: (kernel) => ({ pollers: listPollers(kernel), facts: () => ({}) }),
}

function listPollers(kernel: Kernel): Poller[] {
  const { canonical: rpc } = kernel.rpcs
  const schedule = kernel.config.poll.evidence
  const asked = { ...kernel, reads: createEvidenceReads(kernel.explorer) }
  const lookUp = createRecordLookup({
    ...kernel,
    readControl: () => readControl(kernel.ledger, findListed(kernel)),
  })
  const parts = [
    {
      name: 'evidence',
      isLate: false,
      others: [
        (signal: AbortSignal) => lookForOrigins({ ...kernel, lookUp }, signal),
        // Asks the past whether it paid already what is paid now.
        createEarlierPayoutsPoll({ ...kernel, evidence: asked.reads }),
        async () => judgeHeld(kernel),
        createDisputesPoll(kernel),
      ],
    },
    { name: 'evidenceHistory', isLate: true, others: [] },
  ]
  // By themselves: the second source must not wait for the first.
  const receipts = [
    { name: 'receipts', isLate: false },
    { name: 'receiptHistory', isLate: true },
  ]
  return [
    ...parts.map((part) => ({ name: part.name, schedule, run: createEvidencePoll(asked, part) })),
    ...(rpc === null
      ? []
      : receipts.map((part) => ({
          name: part.name,
          schedule,
          run: createReceiptsPoll({ ...kernel, rpc }, part),
        }))),
  ]
}

/** Judges again what had to wait for more to be learned. */
function judgeHeld({ db, clock, commit, config, ledger, learned }: Kernel): void {
  const teaching = toTeaching({ learned, bridge: config.bridge })
  const riskOf = (key: string) => {
    const transfer = ledger.getTransfer(key)
    return transfer === null ? 0 : ledger.riskOf(transfer)
  }
  db.transaction(() => {
    releaseLessons(db, (lesson) => isLearned(lesson, teaching), clock.now())
    const judge = takeHeldJudgements(db, clock.now(), maxSharing, riskOf)
    if (judge.length > 0) commit({ judge })
  })
}

/** A main transaction that was asked of lately and whose record is listed. */
function findListed({ db, ledger }: Kernel): { readonly mainHash: string } | null {
  const mainHash = listKnownHashes(db, 'main', sources.main).find((hash) =>
    ledger.listSharing('main', hash, 1).some((transfer) => transfer.isListed),
  )
  return mainHash === undefined ? null : { mainHash }
}
