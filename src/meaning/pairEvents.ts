import { type BridgeLog, contentFields, type EventContent, type EventSample } from '../bridge/bridgeLog.ts'
import { findPlaces, toNeedle } from './eventPlaces.ts'
import type { Transfer } from '../bridge/transfer.ts'

/**
 * Which event of a transaction tells of which of its transfers: one of each is a pair; of several, each event must
 * hold more of one transfer than of any other, and each transfer have its own. Otherwise nothing is taught.
 * `logs` have one first topic and one contract; `transfers` are those that records tell of.
 */
export function pairEvents(logs: readonly BridgeLog[], transfers: readonly Transfer[]): EventSample[] {
  if (logs.length !== transfers.length || logs.length === 0) return []
  const contents = transfers.map(toContent)
  if (logs.length === 1) return [toSample(logs[0] as BridgeLog, transfers[0] as Transfer)]
  const chosen = logs.map((log) => {
    const scores = contents.map((content) => countHeld(log, content))
    const best = Math.max(...scores)
    const winners = scores.flatMap((score, index) => (score === best ? [index] : []))
    return best > 0 && winners.length === 1 ? (winners[0] as number) : -1
  })
  if (chosen.includes(-1) || new Set(chosen).size !== chosen.length) return []
  return logs.map((log, index) => toSample(log, transfers[chosen[index] as number] as Transfer))
}

function toSample(log: BridgeLog, transfer: Transfer): EventSample {
  const { hash, topics, data } = log
  return { hash, topics, data, direction: transfer.direction, content: toContent(transfer) }
}

function toContent(transfer: Transfer): EventContent {
  return {
    token: transfer.token.address,
    recipient: transfer.targetAddress,
    sender: transfer.sourceAddress,
    amount: transfer.amountRaw?.toString() ?? '',
    tokenId: transfer.token.id,
    zoneHash: transfer.direction === 'ZoneToMain' ? (transfer.zone?.hash ?? '') : '',
  }
}

function countHeld(log: BridgeLog, content: EventContent): number {
  return contentFields.filter((field) => {
    const needle = toNeedle(field, content[field])
    return needle !== null && findPlaces(log, needle).size > 0
  }).length
}
