import type { Finding } from '../bridge/finding.ts'
import type { AlertRow } from './store/alertRows.ts'
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

/** Reads what `encodeFinding` wrote. @throws Error when it is something else */
export function decodeFinding(json: string): Finding {
  // Only encodeFinding writes this column: what has these has its shape but for the amounts.
  const finding = JSON.parse(json) as Omit<Finding, 'transfer'> & { transfer: StoredTransfer | null }
  const { kind, subject, facts, labels, evidence: notes, since } = finding
  if (
    typeof kind !== 'string' ||
    typeof subject !== 'string' ||
    typeof since !== 'number' ||
    !Array.isArray(notes)
  )
    throw new TypeError('expected a finding')
  if (Object(facts) !== facts || Object(labels) !== labels) throw new TypeError('expected facts and labels')
  if (finding.transfer === null) return { ...finding, transfer: null }
  const { amountRaw, evidence, ...transfer } = finding.transfer
  return {
    ...finding,
    transfer: { ...transfer, amountRaw: toBigInt(amountRaw), evidence: evidence.map(decodeEvidence) },
  }
}

type Kept = Pick<AlertRow, 'finding' | 'kind' | 'subject' | 'activeAt'>

/** An alert's finding as it was kept. One that cannot be read any more is what its row says of it: it stops nothing else. */
export function keptFinding({ finding, kind, subject, activeAt }: Kept): Finding {
  try {
    return decodeFinding(finding)
  } catch {
    const title = `${subject}: its details cannot be read`
    return { kind, subject, title, transfer: null, facts: {}, labels: {}, evidence: [], since: activeAt }
  }
}

/** For people: what is judged anew by each reading began no later than it was first found. */
export function sinceFirstFound(finding: Finding, { activeAt }: Pick<Kept, 'activeAt'>): Finding {
  return { ...finding, since: Math.min(finding.since, activeAt) }
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
