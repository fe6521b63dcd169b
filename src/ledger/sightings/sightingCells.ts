import type { Observation } from '../../bridge/observation.ts'
import { type Sighting, hashCount } from './sighting.ts'

/**
 * Equal content has an equal digest; times of reading and of update are not content, but for a detail that lacks a leg: one
 * from before the payout and one that took it back are alike else, and how long the leg has been gone could not be told.
 */
export function sightingDigest(sighting: Content & Pick<Observation, 'updateTime'>): string {
  const cells = toCells(sighting)
  if (sighting.source === 'E12' && hashCount(sighting) < 2 && sighting.updateTime !== null)
    cells.push(sighting.updateTime)
  // Written only where there is something: the digests of all other sightings are older than it.
  if (sighting.unsaid) cells.push(sighting.unsaid)
  return JSON.stringify(cells)
}

type Cell = string | number | boolean | null

type Content = Omit<Observation, 'requestedAt' | 'updateTime'>

/** What the digest is made of, and what is stored: never to be put in another order. */
function toCells(of: Content): Cell[] {
  return [
    of.source,
    of.id,
    of.direction,
    of.crossType,
    of.status,
    of.mainHash,
    of.mainHeight,
    of.mainTime,
    of.zoneHash,
    of.zoneHeight,
    of.zoneTime,
    of.from,
    of.to,
    of.sourceAddress,
    of.targetAddress,
    of.value,
    of.amountRaw?.toString() ?? null,
    of.token,
    of.tokenType,
    of.tokenId,
    of.tokenName,
    of.zoneEventIndex,
    of.zoneBlockHash,
    of.batchDetail,
    of.pushHeight,
    of.logIndex ?? null,
  ]
}

/** A compact JSON form for the store, without nulls at its end; `decodeSighting` reads it back. */
export function encodeSighting(sighting: Sighting): Cell[] {
  const { updateTime, firstAt, lastAt, twin, besides, unsaid } = sighting
  const cells = [updateTime, firstAt, lastAt, twin ? 1 : 0, besides, ...toCells(sighting)]
  if (unsaid) cells.push(unsaid)
  // What a record hardly ever says stands at the end.
  return cells.slice(0, cells.findLastIndex((cell) => cell !== null) + 1)
}

export function decodeSighting(cells: readonly Cell[]): Sighting {
  const at = (place: number) => cells[place] ?? null
  const amountRaw = at(21)
  const sighting = {
    source: at(5),
    id: at(6),
    direction: at(7),
    crossType: at(8),
    status: at(9),
    mainHash: at(10),
    mainHeight: at(11),
    mainTime: at(12),
    zoneHash: at(13),
    zoneHeight: at(14),
    zoneTime: at(15),
    from: at(16),
    to: at(17),
    sourceAddress: at(18),
    targetAddress: at(19),
    value: at(20),
    amountRaw: amountRaw === null ? null : BigInt(String(amountRaw)),
    token: at(22),
    tokenType: at(23),
    tokenId: at(24),
    tokenName: at(25),
    zoneEventIndex: at(26),
    zoneBlockHash: at(27),
    batchDetail: at(28),
    updateTime: cells[0] === null ? null : Number(cells[0]),
    pushHeight: at(29),
    firstAt: Number(cells[1]),
    lastAt: Number(cells[2]),
    twin: cells[3] === 1,
    besides: Number(cells[4]),
  }
  // The cells were written by encodeSighting from a Sighting, column by column.
  return { ...sighting, logIndex: at(30), ...unsaidOf(at(31)) } as unknown as Sighting
}

function unsaidOf(cell: Cell): { readonly unsaid?: string } {
  return cell === null ? {} : { unsaid: String(cell) }
}
