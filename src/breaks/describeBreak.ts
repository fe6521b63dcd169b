import { keptFinding } from '../alerts/findingJson.ts'
import { listAlertsOfTransfer } from '../alerts/store/alertRows.ts'
import { formatDecimal } from '../bridge/decimal.ts'
import type { Direction } from '../bridge/observation.ts'
import { originChain, originLeg, type Transfer, type TransferState } from '../bridge/transfer.ts'
import { spanKey } from '../cases/store/caseMembers.ts'
import { findCase } from '../cases/store/caseRows.ts'
import { listFlowsOf } from '../checks/escrow/flows/flowRow.ts'
import { cleanText } from '../lib/text.ts'
import { describeProof } from '../meaning/describeEvidence.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { int } from '../store/table.ts'
import { type Break, type BreakKind } from './break.ts'
import { accusedAs, type BreakSources, splitName } from './readBreaks.ts'
import type { Settlement } from './settle.ts'

/** A break as it is shown: JSON-safe, amounts as exact decimal strings. Texts may come from the chain. */
export interface ShownBreak {
  readonly name: string
  readonly kind: BreakKind
  readonly direction: Direction
  readonly isOpen: boolean
  readonly token: { readonly address: string; readonly symbol: string | null; readonly name: string }
  /** The token's decimals are not known: amounts are in base units. */
  readonly inBaseUnits: boolean
  /** What the chains show; null when no record says how much. */
  readonly amount: string | null
  /** What is left of it; null as well. */
  readonly left: string | null
  /** By hand, and the entries that did. */
  readonly settled: string
  readonly entries: readonly string[]
  readonly remark: string | null
  readonly since: UnixMs
  /** Of a transfer. */
  readonly state: TransferState | null
  readonly transferKey: string | null
  readonly mainHash: string | null
  readonly zoneHash: string | null
  readonly source: string
  readonly target: string
  /** Of a movement. */
  readonly escrow: string | null
  readonly height: number | null
  readonly evidence: string
  readonly caseId: string | null
}

/** All that is known of a break. */
export function describeBreak(sources: BreakSources, of: Break, is: Settlement): ShownBreak {
  const { db, tokens } = sources
  const common = {
    name: of.name,
    kind: of.kind,
    direction: of.direction,
    isOpen: is.isOpen,
    inBaseUnits: of.inBaseUnits,
    amount: of.amount && formatDecimal(of.amount),
    left: is.left && formatDecimal(is.left),
    settled: formatDecimal(is.settled),
    entries: is.entries.map((id) => `e${id}`),
    remark: is.remark,
    since: of.since,
    transferKey: of.transferKey,
    mainHash: of.mainHash,
    caseId: findCaseOf(db, of),
  }
  const symbol = tokens.find(of.token).symbol
  return of.transferKey === null
    ? { ...common, ...describeMovement(db, of), token: { address: of.token, symbol, name: '' } }
    : { ...common, ...describeTransferOf(sources, of, of.transferKey, symbol) }
}

function describeTransferOf(
  { db, ledger }: BreakSources,
  { kind, token }: Break,
  key: string,
  symbol: string | null,
) {
  const transfer = ledger.getTransfer(key)
  return {
    token: { address: token, symbol, name: cleanText(transfer?.token.name ?? '', 80) },
    state: transfer?.state ?? null,
    zoneHash: transfer?.zone?.hash ?? null,
    source: cleanText(transfer?.sourceAddress ?? '', 100),
    target: cleanText(transfer?.targetAddress ?? '', 100),
    escrow: null,
    height: null,
    evidence: transfer === null ? '' : cleanText(sayEvidence(db, kind, transfer), 300),
  }
}

function sayEvidence(db: Database, kind: BreakKind, transfer: Transfer): string {
  const alert = listAlertsOfTransfer(db, transfer.key).findLast((one) => accusedAs[one.kind] === kind)
  const finding = alert && keptFinding(alert)
  const others = finding?.facts['otherHashes']
  if (kind === 'duplicate' && typeof others === 'string' && others !== '')
    return `the same origin was paid by ${others} too`
  const note = finding?.evidence[0]
  if (note) return `${note.source}: ${note.says}`
  if (kind === 'failed') return sayFailure(transfer)
  const proof = originLeg(transfer) === null ? 'no origin is known' : `origin ${describeProof(transfer)}`
  const far = originChain(transfer.direction) === 'main' ? 'zone' : 'main'
  return transfer.state === 'pending' && transfer[far] === null ? `no ${far} transaction; ${proof}` : proof
}

function sayFailure(transfer: Transfer): string {
  const chain = originChain(transfer.direction)
  const error = transfer.evidence.find(({ errorMessage }) => errorMessage !== '')?.errorMessage
  const why = error === undefined ? '' : `: ${error}`
  return transfer.originProof === 'failed'
    ? `the ${chain} transaction itself failed${why}`
    : `the record has status 0x0${why}`
}

function describeMovement(db: Database, of: Break) {
  const [escrow = '', token = '', hash = ''] = splitName(of.name)
  const flow = listFlowsOf(db, hash, token).find((one) => one.escrow === escrow)
  const party = cleanText(flow?.party ?? '', 100)
  return {
    state: null,
    zoneHash: null,
    source: of.kind === 'out' ? escrow : party,
    target: of.kind === 'out' ? party : escrow,
    escrow,
    height: flow?.height ?? null,
    evidence: cleanText(flow?.reason ?? '', 300),
  }
}

/** The case that its alerts were put into last; what ties alerts says which (cases/listKeys.ts). */
export function findCaseOf(
  db: Database,
  { name, transferKey, mainHash }: Pick<Break, 'name' | 'transferKey' | 'mainHash'>,
): string | null {
  const keys =
    transferKey === null
      ? [`subject:escrow.drift:${name}`, ...(mainHash === null ? [] : [`tx:${mainHash}`])]
      : [`transfer:${transferKey}`]
  for (const key of keys) {
    const sql = `SELECT case_id FROM case_spans WHERE key = ${spanKey('?1')} ORDER BY from_at DESC LIMIT 1`
    const id = int.get(db, sql, key)
    const row = id === null ? null : findCase(db, id)
    if (row !== null) return `c${row.id}`
  }
  return null
}
