import { keptFinding } from '../alerts/findingJson.ts'
import { stands } from '../alerts/joining.ts'
import {
  compareDecimals,
  type Decimal,
  fromBaseUnits,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import { canonicalToken, heldAs, movedToken, type Wrapping } from '../bridge/movedToken.ts'
import { leftNothing, type Transfer } from '../bridge/transfer.ts'
import { toRisk } from '../cases/money.ts'
import { selectFlows, type StoredFlow } from '../checks/escrow/flows/flowRow.ts'
import { transactionOf } from '../checks/escrow/flows/gas.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { TokenBook } from '../ledger/lessons/tokenBook.ts'
import { readCountedAmount } from '../ledger/lessons/counted.ts'
import { formatKey, isOpenRow, parseKey } from '../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../lib/clock.ts'
import { mapInSteps, type Steps } from '../lib/steps.ts'
import type { Kinds } from '../rules/kinds.ts'
import { direction, transferState } from '../store/bridgeCodecs.ts'
import { hash, isHash } from '../store/hash.ts'
import { nameTextOf } from '../store/names.ts'
import { readWrapping } from '../store/wrapping.ts'
import type { Database } from '../store/database.ts'
import { bigintText, columns, instant, int, packed, type Read, text } from '../store/table.ts'
import { type Break, type BreakKind, breakKinds, sumKeyOf } from './break.ts'
import { type GivenBack, openGivenBack } from './givenBack.ts'

/** What breaks are read from: the ledger's own tables, so that nothing can drift from them. */
export interface BreakSources {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'getTransfer' | 'listSharing'>
  readonly kinds: Kinds
  /** By the addresses that movements bear. */
  readonly tokens: Pick<TokenBook, 'find'>
}

/** What is open longer is a break, whatever the rules say. */
const openMs = 86_400_000

/** Rows that are read of each source at once; beyond that it is said that there are more. */
const mostRead = 20_000
/** Of what came in nobody lost anything, and anybody can send as much as he likes. */
const mostInflows = 2_000

/** What does not reconcile as of now. */
export interface FoundBreaks {
  /** In no order. */
  readonly breaks: readonly Break[]
  /** There were more than are read at once. */
  readonly isCut: boolean
  /** By transfer that failed what of it was given back, token units: that is no break. */
  readonly givenBack: ReadonlyMap<string, Decimal>
}

export function* listBreaks(sources: BreakSources, now: UnixMs): Steps<FoundBreaks> {
  const { db } = sources
  // All rows are of one moment, or money would be named twice or not at all; what they say is read from them in steps.
  const open = `${openRows} AND t.state = ?2 ORDER BY t.origin_at LIMIT ?3`
  const rows = ['failed', 'pending', 'unbacked'].map((state) =>
    db.prepare(open).all(now - openMs, state, mostRead),
  )
  const accused = db.prepare(`${accusedRows} ORDER BY a.id DESC LIMIT ?`).all(mostRead)
  const left = selectFlows(db, unexplainedFlows, 'out', mostRead)
  const came = selectFlows(db, unexplainedFlows, 'in', mostInflows)
  yield
  const holding = openHolding(sources)
  const resting = yield* mapInSteps(rows.flat(), (row) => rested.read(row))
  const given = openGivenBack(holding)
  const rest = (yield* mapInSteps(resting, (row) => toOpen(holding, row, given))).flat()
  const told = yield* mapInSteps(accused, (row) => toAccused(holding, accusations.read(row)))
  const transfers = told.length === 0 ? rest : joinByKey([...rest, ...told.flat()])
  yield
  return {
    breaks: [...transfers, ...withoutTransfers(holding, [...left, ...came], transfers)],
    isCut: [...rows, accused, left].some(({ length }) => length >= mostRead) || came.length >= mostInflows,
    givenBack: given.known(),
  }
}

/** One break by its name; null when there is none of that name now. A transfer that was joined goes by its older key. */
export function findBreak(sources: BreakSources, name: string, now: UnixMs): Break | null {
  const key = parseKey(name)
  if (key !== null) return findTransfer(sources, key, now)
  const [escrow = '', token = '', hash = ''] = splitName(name)
  const flows = selectFlows(sources.db, `WHERE ${isHash('hash', '?1')} AND verdict = 'unexplained'`, hash)
  if (!flows.some((flow) => flow.escrow === escrow && flow.token === token)) return null
  const transfers = int
    .all(sources.db, `SELECT key FROM transfers WHERE ${isHash('main_hash', '?1')} LIMIT 1000`, hash)
    .flatMap((one) => findTransfer(sources, one, now) ?? [])
  return withoutTransfers(openHolding(sources), flows, transfers).find((one) => one.name === name) ?? null
}

/** Escrow, token and hash of a movement's name. */
export function splitName(name: string): readonly string[] {
  const [escrow = '', token = '', ...hash] = name.split(':')
  return [escrow, token === 'native' ? '' : token, hash.join(':')]
}

function findTransfer(sources: BreakSources, key: number, now: UnixMs): Break | null {
  const { db } = sources
  const known = int.get(db, 'SELECT transfer_key FROM aliases WHERE key = ?', key) ?? key
  const rows = rested.all(db, `${openRows} AND t.key = ?2`, now - openMs, known)
  const accused = accusations.all(db, `${accusedRows} AND a.transfer_key = ?`, formatKey(known))
  const holding = openHolding(sources)
  const [found = null] = joinByKey([
    ...rows.flatMap((row) => toOpen(holding, row, openGivenBack(holding))),
    ...accused.flatMap((row) => toAccused(holding, row)),
  ])
  return found
}

/** What tells which token the escrows hold for a transfer's. */
interface Holding extends BreakSources {
  readonly wrapping: Wrapping
  /** By the address that records name, each looked up once: there may be many transfers of it. */
  readonly moved: Map<string, string>
}

function openHolding(sources: BreakSources): Holding {
  return { ...sources, wrapping: readWrapping(sources.db), moved: new Map() }
}

function heldOf({ ledger, moved, wrapping }: Holding, key: string, address: string): string {
  const known = moved.get(address)
  if (known !== undefined) return known
  const token = ledger.getTransfer(key)?.token ?? { address }
  const held = heldAs(movedToken(token), wrapping)
  moved.set(address, held)
  return held
}

// A rule says when a transfer is open too long; the alert follows the transfer.
const openRows = `SELECT t.key, t.state, t.direction, ${nameTextOf('t.token')} AS token, t.main_hash, t.zone_hash, t.origin_at,
    t.destination_at, t.first_seen_at, t.flow FROM transfers t
  WHERE ${isOpenRow.replace('state', 't.state')} AND (t.state = 'failed' OR t.origin_at <= ?1 OR t.state = 'pending' AND EXISTS (
    SELECT 1 FROM alerts a WHERE a.transfer_key = 't' || t.key AND a.kind = 'transfer.stalled' AND a.state IN ('firing', 'recovering')))`

const rested = columns({
  key: int,
  state: transferState,
  direction,
  token: text,
  mainHash: hash.orNull(),
  zoneHash: hash.orNull(),
  originAt: instant,
  destinationAt: instant.orNull(),
  firstSeenAt: instant,
  flow: text.orNull(),
})

// In these words, or the planner does not see that the index of them answers.
const accusedRows = `SELECT a.kind, a.subject, a.active_at, a.finding, a.transfer_key FROM alerts a
  WHERE a.kind IN ('transfer.duplicate', 'transfer.unbacked', 'transfer.mismatch', 'batch.mismatch') AND a.state <> 'merged'`

const accusations = columns({
  kind: text,
  subject: text,
  activeAt: instant,
  finding: packed,
  transferKey: text.orNull(),
})

/** What the kind of an alert accuses a transfer of. */
export const accusedAs: Readonly<Record<string, BreakKind>> = {
  'transfer.duplicate': 'duplicate',
  'transfer.unbacked': 'unbacked',
  'transfer.mismatch': 'mismatch',
  'batch.mismatch': 'mismatch',
}

const unexplainedFlows = `INDEXED BY escrow_flows_told
  WHERE verdict = 'unexplained' AND direction = ? ORDER BY at DESC LIMIT ?`

const kindOf = { failed: 'failed', pending: 'stalled', unbacked: 'unbacked', completed: 'mismatch' } as const

function toOpen(holding: Holding, row: Read<typeof rested>, given: GivenBack): Break[] {
  const { key, state, mainHash } = row
  const name = formatKey(key)
  if (mayHaveLeftNothing(row)) {
    const transfer = holding.ledger.getTransfer(name)
    if (transfer !== null && leftNothing(transfer)) return []
  }
  const money = readMoney(holding, row)
  const back = row.direction === 'MainToZone' ? given.of(name, mainHash) : noAmount
  const amount = money.amount && subtractDecimals(money.amount, back)
  if (back.digits > 0n && amount !== null && amount.digits <= 0n) return []
  return [
    {
      name,
      kind: kindOf[state],
      direction: row.direction,
      token: canonicalToken(row.token),
      held: heldOf(holding, name, row.token),
      ...money,
      amount,
      since: sinceOf(row),
      mainHash,
      transferKey: name,
    },
  ]
}

/** What is unbacked counts from when it was paid, as the rule's finding does: an origin that is none says nothing. */
function sinceOf({ state, originAt, destinationAt, firstSeenAt }: Read<typeof rested>): UnixMs {
  return state === 'unbacked' ? Math.min(destinationAt ?? firstSeenAt, firstSeenAt) : originAt
}

/** By its row alone, so that of the others no transfer is read. */
function mayHaveLeftNothing({ state, direction: way, mainHash, zoneHash }: Read<typeof rested>): boolean {
  return state === 'failed' && (way === 'ZoneToMain' ? mainHash : zoneHash) === null
}

/** The amount as it is counted with the row, else as its records give it. */
function readMoney(
  { ledger, tokens }: BreakSources,
  { key, token, flow }: Read<typeof rested>,
): Pick<Break, 'amount' | 'inBaseUnits'> {
  const raw = flow === null ? null : bigintText.read(readCountedAmount(flow) ?? undefined)
  const { decimals } = tokens.find(token)
  if (raw !== undefined && raw !== null)
    return { amount: fromBaseUnits(raw, decimals ?? 0), inBaseUnits: decimals === null }
  return { amount: toDecimal(ledger.getTransfer(formatKey(key))?.amount ?? ''), inBaseUnits: false }
}

function toAccused(holding: Holding, row: Read<typeof accusations>): Break[] {
  const { kinds, tokens } = holding
  const finding = keptFinding(row)
  const kind = kinds.find(row.kind)
  const as = accusedAs[row.kind]
  const { transfer } = finding
  if (transfer === null || as === undefined || !stands({ finding, kind })) return []
  const risk = toRisk(kind, finding)
  const name = row.transferKey ?? transfer.key
  return [
    {
      name,
      kind: as,
      direction: transfer.direction,
      token: canonicalToken(transfer.token.address),
      held: heldOf(holding, name, transfer.token.address),
      ...toUnits(transfer, toDecimal(risk?.amount ?? transfer.amount ?? ''), tokens),
      since: finding.since,
      mainHash: transfer.main?.hash ?? null,
      transferKey: name,
    },
  ]
}

/** Sums of a token are in one unit: where the token is known by its base units alone, all of it is. */
function toUnits(
  { token, amountRaw }: Transfer,
  amount: Decimal | null,
  tokens: BreakSources['tokens'],
): Pick<Break, 'amount' | 'inBaseUnits'> {
  if (tokens.find(token.address).decimals !== null) return { amount, inBaseUnits: false }
  return { amount: amountRaw === null ? null : fromBaseUnits(amountRaw, 0), inBaseUnits: true }
}

/** Each transfer once: by the gravest that is said of it, and the most money. */
function joinByKey(found: readonly Break[]): Break[] {
  const byName = new Map<string, Break>()
  for (const one of found) {
    const known = byName.get(one.name)
    byName.set(one.name, known === undefined ? one : joinTwo(known, one))
  }
  return [...byName.values()]
}

function joinTwo(a: Break, b: Break): Break {
  const [first, second] = breakKinds.indexOf(a.kind) <= breakKinds.indexOf(b.kind) ? [a, b] : [b, a]
  // A record may name another token by now than the rule saw.
  if (sumKeyOf(first) !== sumKeyOf(second)) return first
  if (first.amount === null || second.amount === null)
    return { ...first, amount: first.amount ?? second.amount }
  return {
    ...first,
    amount: compareDecimals(first.amount, second.amount) >= 0 ? first.amount : second.amount,
  }
}

/** Movements as breaks, for what the transfers of the same transaction do not account for already: no money is counted twice. */
function withoutTransfers(
  { wrapping }: Holding,
  flows: readonly StoredFlow[],
  transfers: readonly Break[],
): Break[] {
  if (flows.length === 0) return []
  const named = Map.groupBy(
    transfers.filter(({ direction, inBaseUnits }) => direction === 'ZoneToMain' && !inBaseUnits),
    ({ mainHash, held }) => `${mainHash} ${held}`,
  )
  const groups = Map.groupBy(flows, ({ hash, token, direction }) => `${hash} ${token} ${direction}`)
  return [...groups.values()].flatMap((group) => {
    const [{ hash, token, direction: way } = { hash: '', token: '', direction: 'in' }] = group
    const payouts = way === 'out' ? (named.get(`${hash} ${heldAs(token, wrapping)}`) ?? []) : []
    let rest = sumDecimals(payouts.map(({ amount }) => amount ?? noAmount))
    return group
      .toSorted((a, b) => (a.escrow < b.escrow ? -1 : 1))
      .flatMap((flow) => {
        const all = amountOf(flow)
        const amount = compareDecimals(all, rest) > 0 ? subtractDecimals(all, rest) : noAmount
        rest = subtractDecimals(rest, subtractDecimals(all, amount))
        return amount.digits > 0n || all.digits === 0n
          ? [toMovement(flow, heldAs(token, wrapping), amount)]
          : []
      })
  })
}

function amountOf({ unexplained, outward, net }: StoredFlow): Decimal {
  const amount = unexplained ?? (outward.digits === 0n ? net : outward)
  return amount.digits < 0n ? subtractDecimals(noAmount, amount) : amount
}

function toMovement(flow: StoredFlow, held: string, amount: Decimal): Break {
  const { escrow, token, hash, at, fromHeight } = flow
  return {
    name: `${escrow}:${token || 'native'}:${hash}`,
    kind: flow.direction,
    direction: flow.direction === 'out' ? 'ZoneToMain' : 'MainToZone',
    token,
    held,
    inBaseUnits: false,
    amount,
    since: at,
    mainHash: fromHeight === null ? transactionOf(flow) : null,
    transferKey: null,
  }
}
