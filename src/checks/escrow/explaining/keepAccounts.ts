import { toBaseUnits } from '../../../bridge/decimal.ts'
import { asHeld, heldAs, movedToken } from '../../../bridge/movedToken.ts'
import type { Transfer } from '../../../bridge/transfer.ts'
import { fillFromZone } from '../../../ledger/deriving/fillFromZone.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { once } from '../../../lib/once.ts'
import { putNewest } from '../../../lib/putNewest.ts'
import { numberOf } from '../../../store/names.ts'
import { type Explaining, listExplaining } from './explain.ts'
import { selectFlows, type StoredFlow, listFlowsOf } from '../flows/flowRow.ts'
import { isGas } from '../flows/gas.ts'
import { readOwedStart } from '../owed/owedStore.ts'
import { listOwedKeysSince } from '../owed/owedLegs.ts'
import { countBacked, readSurplus } from '../owed/surplusStore.ts'
import { decimalsOf } from '../watched/watch.ts'
import { listTogether } from '../flows/wrapped.ts'
import {
  type AccountLeg,
  type AccountStart,
  countsOnZone,
  type Entry,
  gasDeltas,
  isAfter,
  isBacked,
  mainDeltas,
  type Moved,
  openingDeltas,
  zoneDeltas,
} from '../accounts/account.ts'
import { toAccountLeg } from './accountLeg.ts'
import { enteredAt, listAccounted, listEntered, readEntry, replaceEntry } from '../accounts/accountStore.ts'

/** A token whose accounts are kept. */
interface Kept {
  readonly token: string
  readonly decimals: number
  readonly start: AccountStart
}

/** Transfers changed, or ceased because they were joined into others: what they did is said anew. Inside their commit. */
export function accountTransfers(
  of: Explaining,
  { changed, ceased }: { readonly changed: readonly Transfer[]; readonly ceased: readonly string[] },
  now: UnixMs,
): void {
  const groups = new Map<string, { readonly token: string; readonly hash: string }>()
  const touch = (token: string, hash: string) => groups.set(`${token} ${hash}`, { token, hash })
  // Nearly all of a long history changes nothing.
  const accounted = listAccounted(of.db, [...ceased, ...changed.map(({ key }) => key)])
  const entered = once(() =>
    listEntered(
      of.db,
      changed.flatMap(({ main }) => main?.hash ?? []),
    ),
  )
  const tokens = new Map<string, Kept | null>()
  const keptOf = (token: string) => {
    const known = tokens.get(token)
    if (known !== undefined) return known
    const kept = readKept(of, token)
    tokens.set(token, kept)
    return kept
  }
  const replace = (key: string, ref: string, entry: Entry | null) => {
    if (entry === null && !accounted.has(key)) return
    const before = accounted.has(key) ? readEntry(of.db, ref) : null
    if (before?.mainHash) touch(before.token, before.mainHash)
    replaceEntry(of.db, ref, { before, entry }, now)
    if (entry) accounted.add(key)
  }
  const taken = readTaken(of)
  for (const key of ceased) for (const ref of refsOf(key)) replace(key, ref, null)
  for (const transfer of changed) {
    const token = movedToken(transfer.token)
    const kept = transfer.token.isUnknown ? null : keptOf(token)
    const isOver = kept !== null && wasOverBefore(transfer, kept.start)
    const leg = kept && !isOver ? toLeg(of, transfer, kept.decimals) : null
    const says = kept && leg && sayTaken(of, transfer, kept, leg)
    // Most of what is said of a transfer once it arrived changes nothing here.
    if (says !== null && taken.get(transfer.key) === says) continue
    if (says === null) taken.delete(transfer.key)
    else putNewest(taken, transfer.key, says, mostTaken)
    const { opening, zone } = kept && leg ? toEntries(transfer, kept, leg) : { opening: null, zone: null }
    const [openRef, zoneRef] = refsOf(transfer.key)
    replace(transfer.key, openRef, opening)
    replace(transfer.key, zoneRef, zone)
    const hash = transfer.main?.hash ?? null
    // It may have been entered by another block than the one that it is in by now.
    if (kept && hash !== null && (!isOver || entered().has(hash))) touch(token, hash)
  }
  for (const { token, hash } of groups.values()) accountMain(of, { kept: keptOf(token), hash }, now)
}

/** Both parts were there when accounts began: history is in what they began with, and changes none of them. */
function wasOverBefore({ main, zone, firstSeenAt }: Transfer, start: AccountStart): boolean {
  return main !== null && zone !== null && !isAfter(main, start) && (zone.time ?? firstSeenAt) <= start.time
}

function mainRef(token: string, hash: string): string {
  return `main:${token}:${hash}`
}

function refsOf(key: string): readonly [opening: string, zone: string] {
  return [`open:${key}`, `zone:${key}`]
}

function readKept({ db, watch }: Pick<Explaining, 'db' | 'watch'>, moved: string): Kept | null {
  const token = heldAs(moved, watch.bridge)
  const start = readOwedStart(db, token)
  const decimals = decimalsOf(watch, token)
  return start === null || decimals === null ? null : { token, decimals, start }
}

/** Transfers that are remembered: as many as are asked about at once. */
const mostTaken = 500

/** What accounts took each of the newest transfers for. What came to nothing they did not take. */
function readTaken({ db, watch: { taken } }: Pick<Explaining, 'db' | 'watch'>): Map<string, string> {
  const rollbacks = db.rollbacks()
  if (taken.rollbacks !== rollbacks) {
    taken.rollbacks = rollbacks
    taken.of.clear()
  }
  return taken.of
}

/** All that accounts rest on of a transfer; null where others say what it is: whether an origin was paid before. */
function sayTaken({ watch }: Explaining, transfer: Transfer, kept: Kept, leg: AccountLeg): string | null {
  if (transfer.claim !== undefined) return null
  const { main, zone, firstSeenAt } = transfer
  const { token, amount, amountRaw } = fillFromZone(transfer, watch.learned)
  return JSON.stringify([kept, leg, main, zone, firstSeenAt, token, amount, amountRaw], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  )
}

function toEntries(transfer: Transfer, { token, start }: Kept, leg: AccountLeg) {
  const common = { token, height: null, mainHash: leg.main?.hash ?? null }
  const opening = openingDeltas(leg, start)
  const zone = countsOnZone(leg, start) ? zoneDeltas(leg) : null
  const [openRef, zoneRef] = refsOf(transfer.key)
  // What was on its way when accounts began may have left weeks before.
  const zoneAt = enteredAt(Math.max(leg.zoneAt ?? 0, start.time), transfer.firstSeenAt)
  return {
    opening: opening && { ...common, ref: openRef, at: start.time, deltas: opening },
    zone: zone && { ...common, ref: zoneRef, at: zoneAt, deltas: zone },
  }
}

function toLeg(of: Explaining, transfer: Transfer, decimals: number): AccountLeg {
  const { learned, mostKept } = of.watch
  const surplus = readSurplus(of.db, transfer.key)
  return toAccountLeg(transfer, {
    decimals,
    isShared: isAmongOthers(of, transfer),
    surplus,
    learned,
    mostKept,
  })
}

/** Whether others were taken or credited in its zone transaction: a second payout of the same was not. */
function isAmongOthers({ db, ledger }: Explaining, { zone }: Transfer): boolean {
  if (zone === null) return false
  const sharing = ledger.listKeysSharing('zone', [zone.hash])
  const keys = sharing?.get(zone.hash) ?? []
  // Null when they are too many to be listed.
  return sharing === null || (keys.length > 1 && countBacked(db, keys) > 1)
}

/** What a main transaction moved of a token, or what is thought of it, changed. Belongs inside the commit that did it. */
export function accountFlows(
  of: Explaining,
  flows: readonly Pick<StoredFlow, 'escrow' | 'token' | 'hash'>[],
  now: UnixMs,
): void {
  const isGap = ({ hash }: Pick<StoredFlow, 'hash'>) => hash.startsWith('balance:')
  const groups = Map.groupBy(
    flows.filter((flow) => !isGap(flow) && !isGas(flow)),
    ({ token, hash }) => `${token} ${hash}`,
  )
  for (const [first] of groups.values())
    if (first) accountMain(of, { kept: readKept(of, first.token), hash: first.hash }, now)
  for (const flow of flows.filter(isGap)) accountGap(of, flow, now)
  for (const flow of flows.filter(isGas)) accountGas(of, flow, now)
}

function accountMain(
  of: Explaining,
  { kept, hash }: { readonly kept: Kept | null; readonly hash: string },
  now: UnixMs,
): void {
  if (kept === null) return
  const { token, decimals, start } = kept
  const ref = mainRef(token, hash)
  const { flows, net } = listTogether(of.db, { hash, token }, of.watch.bridge)
  const explaining = listExplaining(of, hash).filter(
    (one) => one.main?.hash === hash && !one.token.isUnknown && movedToken(one.token) === token,
  )
  const legs = explaining.map((one) => toLeg(of, one, decimals))
  const place = flows[0] ? { height: flows[0].height, time: flows[0].at } : placeOf(legs)
  const moved = toMoved(flows, toBaseUnits(net, decimals))
  const counts = place !== null && place.height !== null && moved !== null && isAfter(place, start)
  const isEmpty = flows.length === 0 && !legs.some(isBacked)
  const seenAt = Math.min(
    now,
    ...flows.map((flow) => flow.seenAt),
    ...explaining.map((one) => one.firstSeenAt),
  )
  const entry =
    !counts || isEmpty
      ? null
      : {
          ref,
          token,
          mainHash: hash,
          height: place.height,
          at: enteredAt(place.time ?? now, seenAt),
          deltas: mainDeltas(moved, legs),
        }
  replaceEntry(of.db, ref, { before: readEntry(of.db, ref), entry }, now)
}

function placeOf(legs: readonly AccountLeg[]) {
  return legs.find(({ main }) => main !== null && main.height !== null)?.main ?? null
}

/** What all escrows moved together; null when it cannot be said in base units. */
function toMoved(flows: readonly StoredFlow[], net: bigint | null): Moved | null {
  if (net === null) return null
  const has = (...words: readonly string[]) => flows.some(({ verdict }) => words.includes(verdict))
  const verdict =
    flows.length === 0
      ? 'none'
      : has('open', 'unjudged')
        ? 'open'
        : has('unexplained')
          ? 'unexplained'
          : has('refund')
            ? 'refund'
            : 'explained'
  return { net, verdict }
}

/** A balance changed by what no listed movement makes. */
function accountGap(of: Explaining, flow: Pick<StoredFlow, 'escrow' | 'token' | 'hash'>, now: UnixMs): void {
  const kept = readKept(of, flow.token)
  const ref = `gap:${flow.escrow}:${flow.token}:${flow.hash}`
  const known = listFlowsOf(of.db, flow.hash, flow.token).find(({ escrow }) => escrow === flow.escrow)
  const rest = known?.unexplained && kept ? toBaseUnits(known.unexplained, kept.decimals) : null
  const isMissing = known?.verdict === 'unexplained' && rest !== null
  const before = readEntry(of.db, ref)
  if (!isMissing) return replaceEntry(of.db, ref, { before, entry: null }, now)
  const { token, height, at, direction } = known
  const deltas =
    direction === 'out' ? { escrow: -(rest ?? 0n), lost: -(rest ?? 0n) } : { escrow: rest, found: rest }
  const entry = { ref, token, height, at, mainHash: null, deltas }
  replaceEntry(of.db, ref, { before, entry }, now)
}

/** What an escrow paid for a transaction that it sent itself. */
function accountGas(of: Explaining, flow: Pick<StoredFlow, 'escrow' | 'token' | 'hash'>, now: UnixMs): void {
  const kept = readKept(of, flow.token)
  const ref = `${flow.hash}:${flow.escrow}:${flow.token}`
  const known = listFlowsOf(of.db, flow.hash, flow.token).find(({ escrow }) => escrow === flow.escrow)
  const moved = known && kept ? toMoved([known], toBaseUnits(known.net, kept.decimals)) : null
  const before = readEntry(of.db, ref)
  if (!known || !kept || !moved || !isAfter({ ...known, time: known.at }, kept.start))
    return replaceEntry(of.db, ref, { before, entry: null }, now)
  const at = enteredAt(known.at, known.seenAt)
  const place = { ref, token: kept.token, mainHash: null, height: known.height, at }
  replaceEntry(of.db, ref, { before, entry: { ...place, deltas: gasDeltas(moved) } }, now)
}

/** Counting began: what is under way, and what happened since, is entered. Belongs inside the commit that did it. */
export function openAccounts(of: Explaining, token: string, now: UnixMs): void {
  const { db, ledger } = of
  const start = readOwedStart(db, token)
  if (start === null) return
  const keys = new Set(listOwedKeysSince(db, token, start))
  const held = (transfer: Transfer) => asHeld(transfer, of.watch.bridge)
  for (const transfer of ledger.listPending({ direction: null, originAtOrBefore: now }))
    if (movedToken(held(transfer).token) === token) keys.add(transfer.key)
  const changed = [...keys].flatMap((key) => ledger.getTransfer(key) ?? []).map(held)
  accountTransfers(of, { changed, ceased: [] }, now)
  const since = selectFlows(
    db,
    `WHERE token = ${numberOf('?')} AND at >= ?`,
    token,
    start.time - startOverlapMs,
  )
  accountFlows(of, since, now)
}

/** A block's time may be before that of the reading that was made of it. */
const startOverlapMs = 600_000
