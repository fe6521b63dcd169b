import { type BridgeLog, type ContentField, contentFields, type EventContent } from '../bridge/bridgeLog.ts'
import { readPlace, toValue, widthOf } from './eventPlaces.ts'
import type { EventTemplate } from './learnEvent.ts'
import type { Direction, Observation } from '../bridge/observation.ts'

/** What nothing is known of. */
export const noContent: EventContent = {
  token: '',
  recipient: '',
  sender: '',
  amount: '',
  tokenId: '',
  zoneHash: '',
}

/** Whether an event has the shape that its template was learned from. */
export function fitsTemplate(template: EventTemplate, log: Pick<BridgeLog, 'topics'>): boolean {
  return log.topics.length === template.topics
}

/**
 * What an event says of its transfer. Where several places were learned for a field and this event holds different
 * values in them, the field stays unknown: nothing is guessed.
 */
export function readEvent(
  template: EventTemplate,
  log: Pick<BridgeLog, 'topics' | 'data' | 'args'>,
): EventContent {
  const entries = contentFields.map((field) => [field, readField(template, log, field)] as const)
  // One entry for each field.
  return Object.fromEntries(entries) as Record<ContentField, string>
}

function readField(
  template: EventTemplate,
  log: Pick<BridgeLog, 'topics' | 'data' | 'args'>,
  field: ContentField,
): string {
  const found = new Set(template.places[field].map((place) => readPlace(log, place, widthOf(field))))
  const [hex] = found
  if (found.size !== 1 || hex === undefined || hex === null) return ''
  // Where an event names its token, an empty word is the native currency.
  if (field === 'token' && /^0+$/.test(hex)) return `0x${hex}`
  // Elsewhere it is no address and no hash; and no id either, because tokens without ids have it too.
  if (field !== 'amount' && /^0+$/.test(hex)) return ''
  return toValue(field, hex)
}

/** The observation that an event is, when its transfer has no record. */
export function toChainObservation(
  log: BridgeLog,
  direction: Direction,
  content: EventContent,
  requestedAt: number,
): Observation {
  return {
    source: 'chain',
    requestedAt,
    id: null,
    direction,
    crossType: '',
    status: 'unknown',
    mainHash: log.hash,
    mainHeight: log.height,
    mainTime: log.time,
    zoneHash: direction === 'ZoneToMain' && content.zoneHash !== '' ? content.zoneHash : null,
    zoneHeight: null,
    zoneTime: null,
    from: '',
    to: '',
    sourceAddress: content.sender,
    targetAddress: content.recipient,
    value: null,
    amountRaw: content.amount === '' ? null : BigInt(content.amount),
    token: content.token,
    tokenType: '',
    tokenId: content.tokenId,
    tokenName: '',
    zoneEventIndex: null,
    zoneBlockHash: null,
    batchDetail: null,
    updateTime: null,
    pushHeight: null,
    logIndex: `${log.contract}#${log.place}`,
  }
}
