import type { Observation } from '../../bridge/observation.ts'

type Known =
  | 'requestedAt'
  | 'zoneHash'
  | 'zoneHeight'
  | 'zoneTime'
  | 'zoneBlockHash'
  | 'sourceAddress'
  | 'value'
  | 'amountRaw'

/** The observation that a withdrawal on the zone is while it has no record: who is paid, and what, its record will say. */
export function toZoneAction(known: Pick<Observation, Known>): Observation {
  return {
    source: 'chain',
    id: null,
    direction: 'ZoneToMain',
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
