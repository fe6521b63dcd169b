import type { Sighting } from '../sightings/sighting.ts'
import { direction, transferState } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { instant, table, text } from '../../store/table.ts'
import { readCounted } from '../lessons/counted.ts'
import { knownOf } from '../sightings/knownTexts.ts'

const columns = table('transfers', {
  direction,
  state: transferState,
  originAt: instant,
  destinationAt: instant.orNull(),
  firstSeenAt: instant,
  readAt: instant,
  flow: text.orNull(),
})

/**
 * What stands in for sightings that cannot be read any more: what the other columns of their row say, as the list would. What a
 * record says of it when it is read next joins it, under the same key.
 */
export function standIn(db: Database, key: number): Sighting {
  const row = db.prepare('SELECT * FROM transfers WHERE key = ?').get(key) ?? {}
  const of = columns.read(row)
  const { originAt, destinationAt } = of
  const [id = '', zoneHash = '', mainHash = '', token = '', source = '', target = ''] = knownOf(db, row)
  const [amount, , , , tokenId = ''] = of.flow === null ? [null] : readCounted(of.flow, of)
  const isFromMain = of.direction === 'MainToZone'
  // That its origin was claimed is no leg.
  const isClaimed = of.state === 'unbacked'
  return {
    source: 'E3',
    id: id || null,
    direction: of.direction,
    crossType: '',
    status: of.state === 'completed' ? 'success' : of.state === 'failed' ? 'failed' : 'unknown',
    mainHash: isClaimed && isFromMain ? null : mainHash || null,
    mainHeight: null,
    mainTime: isFromMain ? originAt : destinationAt,
    zoneHash: isClaimed && !isFromMain ? null : zoneHash || null,
    zoneHeight: null,
    zoneTime: isFromMain ? destinationAt : originAt,
    from: source,
    to: target,
    sourceAddress: source,
    targetAddress: target,
    value: null,
    amountRaw: amount === null ? null : BigInt(amount),
    token,
    tokenType: '',
    tokenId,
    tokenName: '',
    zoneEventIndex: null,
    zoneBlockHash: null,
    batchDetail: null,
    updateTime: null,
    pushHeight: null,
    firstAt: of.firstSeenAt,
    lastAt: of.readAt,
    twin: false,
    besides: 0,
  }
}
