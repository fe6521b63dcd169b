import type { Facts } from './facts.ts'
import { createKinds } from '../rules/kinds.ts'
import { chains } from './chains/check.ts'
import { flow } from './flow/check.ts'
import { challenges } from './challenges/check.ts'
import { sources } from './sources/check.ts'
import { operators } from './operators/check.ts'
import { contractChanged } from './contracts/changed.ts'
import { ledgerIncomplete } from './audit/incomplete.ts'
import { escrowDrift } from './escrow/drift.ts'
import { escrowUnjudged } from './escrow/unjudged.ts'
import { escrowForeignToken } from './escrow/foreignToken.ts'
import { escrowShortfall } from './escrow/shortfall.ts'
import { transferDuplicate } from './transfers/duplicate.ts'
import { transferOutOfOrder } from './transfers/outOfOrder.ts'
import { transferUnknownToken } from './transfers/unknownToken.ts'
import { transferVanished } from './transfers/vanished.ts'
import { transferLarge } from './transfers/large.ts'
import { batchUnresolved } from './transfers/batchUnresolved.ts'
import { batchMismatch } from './transfers/batchMismatch.ts'
import { monitorPollOverdue } from './monitor/pollOverdue.ts'
import { monitorRulesRejected } from './monitor/rulesRejected.ts'
import { preconfGap } from './preconf/gap.ts'
import { preconfKinds } from './preconf/kinds.ts'
import { preconfStalled } from './preconf/stalled.ts'
import { raisedKinds } from './monitor/kinds.ts'
import { sourceDisagreement } from './evidence/disagreement.ts'
import { transferFailed } from './transfers/failed.ts'
import { transferMismatch } from './transfers/mismatch.ts'
import { transferRewritten } from './transfers/rewritten.ts'
import { transferStalled } from './transfers/stalled.ts'
import { transferUnbacked } from './transfers/unbacked.ts'

/** Every kind of finding that a rule can be written on, in the order in which documents list them. */
export const kinds = createKinds<Facts>([
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
  ledgerIncomplete,
  contractChanged,
  ...chains.kinds,
  ...flow.kinds,
  ...preconfKinds,
  preconfStalled,
  preconfGap,
  escrowDrift,
  escrowShortfall,
  escrowUnjudged,
  escrowForeignToken,
  ...operators.kinds,
  ...challenges.kinds,
  ...sources.kinds,
  sourceDisagreement,
  monitorPollOverdue,
  monitorRulesRejected,
  ...raisedKinds,
])

/** The checks in the order in which their hooks run inside a commit. */
export const checks = [sources, chains, flow, operators, challenges] as const
