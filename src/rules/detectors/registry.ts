import type { FindingKind } from '../../bridge/finding.ts'
import { chainStalled } from './chainStalled.ts'
import { challengeChanged, challengeStuck } from './challenges.ts'
import { contractChanged } from './contractChanged.ts'
import type { Detector } from './detector.ts'
import { ledgerIncomplete } from './ledgerIncomplete.ts'
import { escrowDrift } from './escrowDrift.ts'
import { escrowUnjudged } from './escrowUnjudged.ts'
import { escrowForeignToken } from './escrowForeignToken.ts'
import { escrowShortfall } from './escrowShortfall.ts'
import { transferDuplicate } from './transferDuplicate.ts'
import { transferOutOfOrder } from './transferOutOfOrder.ts'
import { transferUnknownToken } from './transferUnknownToken.ts'
import { transferVanished } from './transferVanished.ts'
import { transferLarge } from './transferLarge.ts'
import { batchUnresolved } from './batchUnresolved.ts'
import { batchMismatch } from './batchMismatch.ts'
import { flowImbalance } from './flowImbalance.ts'
import { flowQuiet } from './flowQuiet.ts'
import { flowSurge } from './flowSurge.ts'
import { sourceSuspicious } from './sourceSuspicious.ts'
import { monitorPollOverdue } from './monitorPollOverdue.ts'
import { monitorRulesRejected } from './monitorRulesRejected.ts'
import { preconfGap } from './preconfGap.ts'
import { preconfKinds } from './preconfKinds.ts'
import { preconfStalled } from './preconfStalled.ts'
import { operatorLowBalance, operatorQuiet } from './operators.ts'
import { raisedKinds } from './raisedKinds.ts'
import { sourceDisagreement } from './sourceDisagreement.ts'
import { sourceNewWord } from './sourceNewWord.ts'
import { sourceDrift } from './sourceDrift.ts'
import { sourceRejected } from './sourceRejected.ts'
import { sourceUnavailable } from './sourceUnavailable.ts'
import { transferFailed } from './transferFailed.ts'
import { transferMismatch } from './transferMismatch.ts'
import { transferRewritten } from './transferRewritten.ts'
import { transferStalled } from './transferStalled.ts'
import { transferUnbacked } from './transferUnbacked.ts'

/** Every kind of finding that a rule can be written on, in the order in which documents list them. */
export const registry: readonly Detector[] = [
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
  chainStalled,
  flowSurge,
  flowQuiet,
  flowImbalance,
  ...preconfKinds,
  preconfStalled,
  preconfGap,
  escrowDrift,
  escrowShortfall,
  escrowUnjudged,
  escrowForeignToken,
  operatorLowBalance,
  operatorQuiet,
  challengeChanged,
  challengeStuck,
  sourceUnavailable,
  sourceRejected,
  sourceDrift,
  sourceSuspicious,
  sourceDisagreement,
  sourceNewWord,
  monitorPollOverdue,
  monitorRulesRejected,
  ...raisedKinds,
]

const byKind: ReadonlyMap<string, Detector> = new Map(registry.map((one) => [one.kind, one]))

export const kindNames: readonly FindingKind[] = registry.map(({ kind }) => kind)

/** Null for a kind that does not exist. */
export function findDetector(kind: string): Detector | null {
  return byKind.get(kind) ?? null
}

/** The detector of a kind that a loaded rule names. */
export function getDetector(kind: FindingKind): Detector {
  const detector = byKind.get(kind)
  if (!detector) throw new Error(`no detector of kind ${kind}`)
  return detector
}
