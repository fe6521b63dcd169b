import type { Direction, Observation } from '../../bridge/observation.ts'

type Known =
  | 'requestedAt'
  | 'zoneHash'
  | 'zoneHeight'
  | 'zoneTime'
  | 'zoneBlockHash'
  | 'sourceAddress'
  | 'value'
  | 'amountRaw'

/**
 * The observation that a withdrawal on the zone is while it has no record, or the credit of a deposit: who is paid, and what,
 * its record will say.
 */
export function toZoneAction(
  known: Pick<Observation, Known>,
  direction: Direction = 'ZoneToMain',
): Observation {
  return {
    source: 'chain',
    id: null,
    direction,
    crossType: '',
    status: 'unknown',
    mainHash: null,
    mainHeight: null,
    mainTime: null,
    from: '',
    to: '',
    targetAddress: '',
    token: '',
    tokenType: '',
    tokenId: '',
    tokenName: '',
    zoneEventIndex: null,
    batchDetail: null,
    updateTime: null,
    pushHeight: null,
    logIndex: '',
    ...known,
  }
}
