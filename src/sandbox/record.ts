import { nth } from '../lib/nth.ts'
import type { UnixMs } from '../lib/clock.ts'
import { hashOf } from './hashes.ts'
import { zoneBlockTime, zoneHeightAt } from './heights.ts'
import { mixUnit } from './random.ts'
import type { Token } from './tokens.ts'
import { directionAt, getTransfer, legTime, isOrdinary, type Leg, type Transfer } from './transfers.ts'
import type { CrossRecord } from './transferSpec.ts'
import { toUnits } from './units.ts'
import { listLagMs, reachedAt, type World } from './world.ts'

const cachedRecords = 50_000

/** What the list says of a transfer now (E3, E12). The far side is empty until that chain and the list have come so far. */
export function recordOf(world: World, number: number): CrossRecord {
  const cached = world.recordCache.get(number)
  if (cached) return cached
  const record = makeRecord(world, number)
  // With both sides shown nothing changes any more, unless a scenario says so.
  const isFinal = record.mainTxHash !== '' && record.zoneTxHash !== '' && isOrdinary(world, number)
  if (isFinal) {
    if (world.recordCache.size >= cachedRecords) world.recordCache.clear()
    world.recordCache.set(number, record)
  }
  return record
}

/** The rows that the list shows of a transfer: one, or one for each item of a batch. */
export function rowsOf(world: World, number: number): CrossRecord[] {
  const record = recordOf(world, number)
  if (world.answers.batches === 'record' || record.crossType !== 'BatchWithdraw') return [record]
  const { items, key, token } = getTransfer(world, number)
  return items.map((item, place) => ({
    ...record,
    id: record.id === '' ? '' : hashOf(world.seed ^ (place + 1), 'crossId', key),
    tokenId: item.tokenId,
    value: toUnits(item.amountRaw, token.decimals),
    valueRaw: item.amountRaw.toString(),
  }))
}

/** Whether the record of an ordinary transfer shows its zone leg by now: as `recordOf` would, without making it. */
export function showsZoneLeg(world: World, number: number): boolean {
  const at = zoneBlockTime(world, zoneHeightAt(world, legTime(world, number, 'zone')))
  if (at > reachedAt(world, 'zone')) return false
  const isOrigin = directionAt(world, number) === 'ZoneToMain'
  const lag = isOrigin ? 0 : listLagMs(world, nth(world.keys, number), 1)
  return at + lag <= reachedAt(world, 'list')
}

function makeRecord(world: World, number: number): CrossRecord {
  const transfer = getTransfer(world, number)
  const main = isShown(world, transfer, 'main') ? transfer.main : null
  const zone = isShown(world, transfer, 'zone') ? transfer.zone : null
  const record: CrossRecord = {
    ...crossing(transfer),
    ...legFields(world, main, zone),
    ...parties(world, transfer),
    ...amountFields(world, transfer),
    updateTime: String(updatedAt(world, transfer, main, zone)),
    blockHeight: String(
      (transfer.direction === 'MainToZone' ? (zone ?? main) : (main ?? zone))?.height ?? '',
    ),
  }
  for (const patch of transfer.special.patches ?? []) {
    if (patch.at <= reachedAt(world, 'list'))
      Object.assign(record, { updateTime: String(patch.at) }, patch.fields)
  }
  return record
}

/** Whether the record shows a leg: its block is there, and the list has caught up with it. */
function isShown(world: World, transfer: Transfer, chain: 'main' | 'zone'): boolean {
  const leg = transfer[chain]
  if (!leg || leg.at > reachedAt(world, chain)) return false
  return leg.at + fillLag(world, transfer, chain) <= reachedAt(world, 'list')
}

function fillLag(world: World, transfer: Transfer, chain: 'main' | 'zone'): number {
  const isOrigin = (transfer.direction === 'MainToZone') === (chain === 'main')
  return isOrigin ? 0 : listLagMs(world, transfer.key, 1)
}

function crossing(transfer: Transfer) {
  const failed = transfer.special.zoneError !== undefined || transfer.special.mainFailed === true
  const legs = [transfer.main, transfer.zone].filter((leg) => leg !== null).length
  return {
    id: transfer.id,
    txType: transfer.direction,
    crossType: transfer.crossType,
    status: failed && legs > 0 ? '0x0' : '0x1',
  }
}

function legFields(world: World, main: Leg | null, zone: Leg | null) {
  return {
    mainTxHash: main?.hash ?? '',
    mainBlockHeight: String(main?.height ?? ''),
    mainBlockTime: String(main?.at ?? ''),
    zoneTxHash: zone?.hash ?? '',
    zoneBlockHeight: String(zone?.height ?? ''),
    zoneBlockTime: String(zone?.at ?? ''),
    zoneBlockHash: zone ? hashOf(world.seed, 'zoneBlock', zone.height) : '',
  }
}

function parties(world: World, transfer: Transfer) {
  const { bridge, signer } = world.contracts
  const deposit = transfer.direction === 'MainToZone'
  return {
    from: deposit ? transfer.sourceAddress : signer,
    to: bridge,
    sourceAddress: transfer.sourceAddress,
    targetAddress: transfer.targetAddress,
    zoneEventIndex: transfer.zoneEventIndex,
  }
}

function amountFields(world: World, transfer: Transfer) {
  return {
    value: toUnits(transfer.amountRaw, transfer.token.decimals),
    valueRaw: transfer.amountRaw.toString(),
    tokenContractAddress: nameToken(world, transfer.token),
    tokenType: transfer.token.type === 'NATIVE' ? '' : transfer.token.type,
    tokenId: transfer.tokenId,
    tokenName: transfer.tokenName,
    batchDetail: batchDetail(world, transfer),
  }
}

/** The address of a token that records name. */
export function nameToken({ answers }: Pick<World, 'answers'>, token: Token): string {
  return answers.recordTokens === 'zone' ? token.zoneAddress : token.address
}

/** No sample of it is public: some records carry a list of items, some parallel lists, or as a scenario says. */
function batchDetail(world: World, transfer: Transfer): string {
  const { items, key } = transfer
  if (items.length === 0) return ''
  const drawn = mixUnit(key, 0xba7c4) < 0.5 ? 'objects' : 'lists'
  const form = world.answers.batchDetail === 'mixed' ? drawn : world.answers.batchDetail
  const objects = JSON.stringify(
    items.map((item) => ({ tokenId: item.tokenId, amount: item.amountRaw.toString() })),
  )
  switch (form) {
    case 'objects':
      return objects
    case 'quoted':
      return JSON.stringify(objects)
    case 'plain':
      return items.map((item) => `${item.amountRaw} of ${item.tokenId}`).join(' and ')
    case 'lists':
      return JSON.stringify({
        tokenIds: items.map((item) => item.tokenId),
        amounts: items.map((item) => item.amountRaw.toString()),
      })
    default:
      return form satisfies never
  }
}

function updatedAt(world: World, transfer: Transfer, main: Leg | null, zone: Leg | null): UnixMs {
  const deposit = transfer.direction === 'MainToZone'
  const [origin, destination] = deposit ? [main, zone] : [zone, main]
  if (destination) return destination.at + listLagMs(world, transfer.key, 1)
  return (origin?.at ?? world.originAt[transfer.number] ?? 0) + listLagMs(world, transfer.key, 0)
}
