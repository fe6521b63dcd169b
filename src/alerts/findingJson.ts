import { describeTransfer } from '../bridge/describeTransfer.ts'
import type { Finding } from '../bridge/finding.ts'
import type { LegEvidence, TokenMove, Transfer } from '../bridge/transfer.ts'
import { toJson } from '../lib/toJson.ts'
import { pack } from '../store/pack.ts'
import { readPacked } from '../store/table.ts'
import { findingWords } from './findingWords.ts'
import type { StoredFinding } from './store/alertFindings.ts'
import type { AlertRow } from './store/alertRows.ts'

/** A finding as JSON. Amounts become decimal strings: JSON has no integers of their size. */
export function encodeFinding(finding: Finding): string {
  return toJson(withoutActions(finding))
}

/** A finding as an alert keeps it, in a quarter of the bytes. */
function packFinding(finding: Finding): Uint8Array<ArrayBuffer> {
  return pack(toStored(withoutActions(finding)), findingWords)
}

/** What an alert's row says of a finding. */
export function toFound(finding: Finding): StoredFinding {
  const { since, transfer, facts, isOver } = finding
  const error = facts['errorMessage'] ?? null
  return {
    finding: packFinding(finding),
    sinceAt: Math.round(since),
    direction: transfer?.direction ?? null,
    error: error === null ? null : String(error),
    isOver: isOver === true || null,
  }
}

function toStored(finding: Finding): unknown {
  const { transfer, title } = finding
  if (transfer === null) return finding
  const stored: StoredTransfer = {
    ...transfer,
    amountRaw: toText(transfer.amountRaw),
    evidence: transfer.evidence.map(({ amountRaw, moves, ...one }) => ({
      ...one,
      ...(amountRaw !== undefined && { amountRaw: toText(amountRaw) }),
      moves: moves?.map((move) => ({ ...move, amountRaw: toText(move.amountRaw) })) ?? null,
    })),
  }
  // Both hashes again, in most findings.
  return title === describeTransfer(transfer)
    ? { ...finding, title: undefined, transfer: stored }
    : { ...finding, transfer: stored }
}

function toText(amount: bigint | null): string | null {
  return amount === null ? null : amount.toString()
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

/** Reads what `packFinding` or `encodeFinding` wrote. @throws Error when it is something else */
export function decodeFinding(cell: AlertRow['finding']): Finding {
  // Only those two write this: what has these has its shape but for the amounts.
  const finding = readPacked(cell, findingWords) as PackedFinding | null | undefined
  const { kind, subject, facts, labels, evidence: notes, since } = finding ?? {}
  if (
    !finding ||
    typeof kind !== 'string' ||
    typeof subject !== 'string' ||
    typeof since !== 'number' ||
    !Array.isArray(notes)
  )
    throw new TypeError('expected a finding')
  if (Object(facts) !== facts || Object(labels) !== labels) throw new TypeError('expected facts and labels')
  const { title, transfer: stored, ...rest } = finding
  const transfer = stored && decodeTransfer(stored)
  return { ...rest, title: title ?? (transfer ? describeTransfer(transfer) : subject), transfer }
}

function decodeTransfer({ amountRaw, evidence, ...transfer }: StoredTransfer): Transfer {
  return { ...transfer, amountRaw: toBigInt(amountRaw), evidence: evidence.map(decodeEvidence) }
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

type PackedFinding = Omit<Finding, 'transfer' | 'title'> & {
  /** Left out, that of its transfer. */
  readonly title?: string
  readonly transfer: StoredTransfer | null
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
