import type { EvidenceNote } from '../../bridge/finding.ts'
import type { GateCode, GateFinding, GateQuestion, GateReason } from './gateFacts.ts'

type Say = (code: GateCode, says: string, evidence?: readonly EvidenceNote[]) => GateReason

/** The question cannot be answered yet. */
export function waitFor(question: GateQuestion): Say {
  return (code, says, evidence = []) => ({ level: 'wait', question, code, says, evidence })
}

/** The answer speaks against paying. */
export function suspectOf(question: GateQuestion): Say {
  return (code, says, evidence = []) => ({ level: 'suspect', question, code, says, evidence })
}

/** A finding speaks against paying, or, while it forms or says that something cannot be seen, leaves the question open. */
export function reasonOf(
  question: GateQuestion,
  { kind, title, alert, case: of, isForming, isBlindness, evidence }: GateFinding,
): GateReason {
  const named = [...(alert === '' ? [] : [`alert ${alert}`]), ...(of === null ? [] : [`case ${of}`])]
  const says = named.length === 0 ? title : `${title} (${named.join(', ')})`
  return { level: isForming || isBlindness ? 'wait' : 'suspect', question, code: kind, says, evidence }
}
