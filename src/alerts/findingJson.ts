import type { Finding } from '../bridge/finding.ts'
import type { LegEvidence, TokenMove, Transfer } from '../bridge/transfer.ts'

/** A finding as the ledger keeps it. Amounts become decimal strings: JSON has no integers of their size. */
export function encodeFinding(finding: Finding): string {
  return JSON.stringify(withoutActions(finding), (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** What a zone transaction does is kept with its evidence, and would fill an alert. */
function withoutActions(finding: Finding): Finding {
  const { transfer } = finding
  if (!transfer?.evidence.some(({ action }) => action !== undefined)) return finding
  return { ...finding, transfer: { ...transfer, evidence: transfer.evidence.map(withoutAction) } }
}

function withoutAction(one: LegEvidence): LegEvidence {
  const copy: LegEvidence & { action?: string } = { ...one }
  delete copy.action
  return copy
}

/** Reads what `encodeFinding` wrote. */
export function decodeFinding(json: string): Finding {
  // Only encodeFinding writes this column, so the text has its shape but for the amount.
  const finding = JSON.parse(json) as Omit<Finding, 'transfer'> & { transfer: StoredTransfer | null }
  if (finding.transfer === null) return { ...finding, transfer: null }
  const { amountRaw, evidence, ...transfer } = finding.transfer
  return {
    ...finding,
    transfer: { ...transfer, amountRaw: toBigInt(amountRaw), evidence: evidence.map(decodeEvidence) },
  }
}

/** An alert's finding, for people: what is judged anew by each reading began no later than it was first found. */
export function readFinding({ finding, activeAt }: { finding: string; activeAt: number }): Finding {
  const kept = decodeFinding(finding)
  return { ...kept, since: Math.min(kept.since, activeAt) }
}

type StoredEvidence = Omit<LegEvidence, 'amountRaw' | 'moves'> & {
  readonly amountRaw?: string | null
  readonly moves: readonly (Omit<TokenMove, 'amountRaw'> & { readonly amountRaw: string | null })[] | null
}
type StoredTransfer = Omit<Transfer, 'amountRaw' | 'evidence'> & {
  readonly amountRaw: string | null
  readonly evidence: readonly StoredEvidence[]
}

function decodeEvidence({ amountRaw, moves, ...rest }: StoredEvidence): LegEvidence {
  return {
    ...rest,
    amountRaw: toBigInt(amountRaw ?? null),
    moves: moves?.map((move) => ({ ...move, amountRaw: toBigInt(move.amountRaw) })) ?? null,
  }
}

function toBigInt(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}
