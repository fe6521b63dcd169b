import { listEntriesSettling } from '../../breaks/entryStore.ts'
import type { Finding } from '../../bridge/finding.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { originChain, originLeg, type Transfer } from '../../bridge/transfer.ts'
import { listLeft } from '../../checks/escrow/owed/lossStore.ts'
import { createRelated } from '../../kernel/related.ts'
import { readWatermark } from '../../kernel/heads/heads.ts'
import { listUnreadRows } from '../../kernel/reads/quarantine.ts'
import type { EventContext } from '../../ledger/context.ts'
import { listQuestions } from '../../ledger/evidence/evidenceQueue.ts'
import { listKeysOf } from '../../ledger/transfers/named.ts'
import type { Sighting } from '../../ledger/sightings/sighting.ts'
import { listOpenArrivals } from '../../ledger/transfers/strays.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { doubtOrigin, zoneEvidence } from '../../meaning/doubtOrigin.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import { withTimes } from '../../store/requestNumbers.ts'
import { findPayouts, findRivals } from './findPayouts.ts'
import type { GateFinding, TransferFacts } from './gateFacts.ts'
import { readFindings } from './readFindings.ts'

/** More that arrived for one recipient, or left one escrow, is not looked through. */
const mostLooked = 50
/** More transfers of one transaction are not set beside each other. */
const mostSharing = 50
const mostUnread = 5
/** A row that is about a transfer may be first seen a little before its block's time. */
const earlyMs = 60_000

/** What is known of each of these transfers. */
export function readTransferFacts(
  parts: AppParts,
  keys: readonly string[],
  name: string,
  now: UnixMs,
): TransferFacts[] {
  const transfers = keys.flatMap((key) => parts.ledger.getTransfer(key) ?? [])
  const context = toContext(parts, transfers, now)
  return transfers.map((transfer) => readOne({ parts, context, name }, withTimes(parts.numbers, transfer, 0)))
}

interface Reading {
  readonly parts: AppParts
  readonly context: EventContext
  readonly name: string
}

function readOne({ parts, context, name }: Reading, transfer: Transfer): TransferFacts {
  const { db, ledger } = parts
  const { now } = context
  const origin = originLeg(transfer)
  const sightings = ledger.listSightings(transfer.key)
  const sharing = origin === null ? [] : context.related.sharing(origin.chain, origin.hash)
  const around = sharing.length > mostSharing ? null : readAround(parts, transfer, sightings)
  return {
    transfer,
    isFormerName: isFormerOrigin(transfer, sightings, name),
    payouts: around && findPayouts(transfer, { ...around, sharing }),
    questions: origin === null ? [] : listQuestions(db, origin.hash),
    rivals: sharing.length > mostSharing ? null : findRivals(transfer, sharing),
    detected: sharing.length > mostSharing ? null : detect(parts, transfer, context),
    action: doubtAction(parts, transfer, sharing, context),
    findings: readFindings({ ...parts, places: listPlaces(parts) }, transfer, now),
    standing: readStanding(parts, transfer, now),
    unreadRows: listUnreadRows(db, transfer.originAt - earlyMs, mostUnread),
    settledBy: listEntriesSettling(db, listKeysOf(db, transfer.key)),
  }
}

/** Where the bridge has stages, a withdrawal of which nothing is known is in none that may be paid. */
function readStanding(
  { config, stages }: AppParts,
  transfer: Transfer,
  now: UnixMs,
): TransferFacts['standing'] {
  const isStaged = config.bridge.stages.length > 0 && transfer.direction === 'ZoneToMain'
  return stages.standingOf(transfer, now) ?? (isStaged ? 'unknown' : null)
}

function listPlaces({ config: { bridge } }: AppParts): string[] {
  return [...new Set([...bridge.escrows.map(({ address }) => address), ...bridge.contracts])]
}

/** As a commit judges; the present is that of the question. */
function toContext(parts: AppParts, transfers: readonly Transfer[], now: UnixMs): EventContext {
  const { config, db, horizons, learned, tellSince } = parts
  const clockAheadMs = parts.clockAheadMs()
  return {
    now,
    tellSince,
    bridge: config.bridge,
    related: createRelated(parts, transfers),
    learned,
    clockAheadMs,
    watermark: readWatermark(db, clockAheadMs),
    horizons: horizons.read(),
    settleMs: parts.settleMs(),
  }
}

/** What lies around a transfer that may have paid it; null for too much. */
function readAround({ db, ledger }: AppParts, transfer: Transfer, sightings: readonly Sighting[]) {
  const { targetAddress: address, direction } = transfer
  const strays = address === '' ? [] : listOpenArrivals(db, { address, direction }, mostLooked + 1)
  const leaving =
    direction === 'ZoneToMain' && transfer.token.isUnknown !== true
      ? listLeft(db, movedToken(transfer.token), transfer.originAt, mostLooked + 1)
      : []
  if (strays.length > mostLooked || leaving.length > mostLooked) return null
  return {
    named: listNamedPayouts(transfer, sightings),
    strays: strays.flatMap((key) => ledger.getTransfer(key) ?? []),
    leaving,
  }
}

/** Every destination that a record ever named. */
function listNamedPayouts({ direction }: Transfer, sightings: readonly Sighting[]) {
  const isFromZone = originChain(direction) === 'zone'
  return sightings.flatMap(({ mainHash, zoneHash, source, firstAt }) => {
    const hash = isFromZone ? mainHash : zoneHash
    return hash === null ? [] : [{ hash, source: source === 'chain' ? 'E19' : source, at: firstAt }]
  })
}

/** Whether the hash that was asked for was named as the origin once, and is not now. */
function isFormerOrigin(transfer: Transfer, sightings: readonly Sighting[], name: string): boolean {
  const wanted = name.trim().toLowerCase()
  if (transfer.main?.hash === wanted || transfer.zone?.hash === wanted) return false
  const isFromZone = originChain(transfer.direction) === 'zone'
  return sightings.some(({ mainHash, zoneHash }) => (isFromZone ? zoneHash : mainHash) === wanted)
}

/** What the kinds that accuse find now; a rule may be switched off, or narrowed, and the gate is not. */
function detect({ kinds }: AppParts, transfer: Transfer, context: EventContext): GateFinding[] | null {
  try {
    return kinds.all.flatMap((kind) => {
      if (kind.from !== 'transfer' || kind.accuses === undefined) return []
      const found = kind.detect(transfer, kind.params.parse({}), context)
      return found === null || found.isOver === true ? [] : [toDetected(found)]
    })
  } catch {
    return null
  }
}

function toDetected({ kind, title, evidence }: Finding): GateFinding {
  return {
    alert: '',
    kind,
    title,
    severity: 'critical',
    isForming: false,
    accuses: true,
    isBlindness: false,
    case: null,
    evidence,
  }
}

/** Of a withdrawal the zone's own words have to say that it is one. */
function doubtAction(
  { learned }: AppParts,
  transfer: Transfer,
  sharing: readonly Transfer[],
  { bridge, related }: EventContext,
): TransferFacts['action'] {
  const doubt = doubtOrigin(transfer, sharing, { ...toMoneySettings(bridge, learned, related), learned })
  if (doubt !== null) {
    const says = `the zone transaction is "${doubt.kind}" and ${doubt.says}`
    return { isOther: true, says, source: doubt.by.source, at: doubt.by.at }
  }
  const by = transfer.direction === 'ZoneToMain' ? zoneEvidence(transfer) : null
  const kind = by?.actionType ?? ''
  if (by === null || kind === '' || learned.meansWithdrawal(kind)) return null
  const says = `too few withdrawals of the kind "${kind}" were seen to know that it is one`
  return { isOther: false, says, source: by.source, at: by.at }
}
