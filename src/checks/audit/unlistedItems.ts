import { formatUnits } from '../../bridge/amount.ts'
import type { Observation } from '../../bridge/observation.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { createRelated } from '../../kernel/related.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { RelatedTransfers } from '../../ledger/context.ts'
import { isActionItem, itemPlace } from '../../ledger/sightings/sighting.ts'
import { nameOfRecord } from '../../ledger/transfers/lacksRecord.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { actionOf } from '../../meaning/judgeAction.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { listUnlistedItems, type UnlistedItems } from '../../meaning/unlistedItems.ts'
import { mayBeSeveral } from '../../meaning/zoneAction.ts'
import { addLack, type Lack, toLack } from './store.ts'
import { toZoneAction } from './zoneAction.ts'

type Looking = Pick<Kernel, 'config' | 'db' | 'learned' | 'ledger' | 'stakes' | 'tellSince'>

/** Notes what the zone transaction of a withdrawal does beside it, and no record tells: it is asked for by hash. */
export function suspectItems(of: Looking, transfer: Transfer, related: RelatedTransfers, now: UnixMs): void {
  if (transfer.originAt < of.tellSince || !mayHaveOthers(transfer)) return
  for (const item of listItems(of, transfer.zone?.hash ?? '', related)) {
    const lack = toLack(item, 'action', now)
    // Others of the transaction may be about to be listed.
    addLack(of.db, { ...lack, dueAt: now + holdMs })
  }
}

const holdMs = 30_000

function mayHaveOthers(transfer: Transfer): boolean {
  return (
    transfer.direction === 'ZoneToMain' && transfer.isListed && mayBeSeveral(actionOf(transfer)?.action ?? '')
  )
}

/** Whether an item still has no record, by all that the ledger holds. */
export function isUnlisted(of: Looking, { zoneHash, observation }: Lack): boolean {
  if (zoneHash === null || observation === null) return false
  const name = nameOfRecord(observation)
  return listItems(of, zoneHash, createRelated(of, [])).some((item) => nameOfRecord(item) === name)
}

export function isOfItem({ observation }: Lack): boolean {
  return observation !== null && isActionItem(observation)
}

/** An item and all that are equal to it, the one with the last place given: each is a transfer, and has a record or none. */
export function withEquals(last: Observation): Observation[] {
  const count = Number((last.logIndex ?? '').slice(itemPlace('').length)) + 1
  return Array.from({ length: count }, (_, at) => ({ ...last, logIndex: itemPlace(at) }))
}

function listItems({ config, learned }: Looking, zoneHash: string, related: RelatedTransfers): Observation[] {
  const settings = { ...toMoneySettings(config.bridge, learned, related), learned }
  return listUnlistedItems('ZoneToMain', related.allSharing('zone', zoneHash), settings).map(toItem)
}

function toItem({ like, targetAddress, amountRaw, count }: UnlistedItems): Observation {
  const { token, zone, readAt, sourceAddress } = like
  return {
    ...toZoneAction({
      requestedAt: readAt,
      zoneHash: zone?.hash ?? null,
      zoneHeight: zone?.height ?? null,
      zoneTime: zone?.time ?? null,
      zoneBlockHash: null,
      sourceAddress,
      value: token.decimals === null ? null : formatUnits(amountRaw, token.decimals),
      amountRaw,
    }),
    targetAddress,
    token: token.address,
    tokenType: token.type,
    tokenName: token.name,
    logIndex: itemPlace(count - 1),
  }
}
