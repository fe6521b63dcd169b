import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { AlertHead } from '../../alerts/store/alertRows.ts'
import type { OutboxItem } from '../../alerts/store/outboxItems.ts'
import type { Database } from '../../store/database.ts'
import { acknowledgeElsewhere } from '../../delivery/settleDelivery.ts'
import type { Told } from './handed.ts'
import { findHanded } from './names.ts'

type Store = AlertStore

/** What became of one: it was or is marked as sent, nothing of it can come any more, or it may be found yet. */
export type ToldOutcome = 'marked' | 'sent already' | 'nothing' | 'not yet'

/** These are told once an episode; of others only what was queued by then is the same. */
const onceAnEpisode: readonly string[] = ['event', 'firing', 'joined', 'resolved', 'both']

/** Marks what is queued here and was sent by another node. Inside a transaction. */
export function markTold(db: Database, store: Store, told: Told): ToldOutcome {
  const isLasting = onceAnEpisode.includes(told.what)
  const alert = findHanded(db, told.alert)
  if (alert === null) return isLasting ? 'not yet' : 'nothing'
  const items = store.listItemsOf(alert.id).filter((item) => isOf(item, told))
  // Another one of it that is queued rings anew.
  if (items.some(({ state }) => state === 'sent')) return 'sent already'
  const item = items.find(({ state, deliveryId }) => state === 'queued' && deliveryId === null)
  if (item === undefined) return isLasting ? 'not yet' : 'nothing'
  if (!isSame(store, { alert, item, told })) return isLasting ? 'not yet' : 'nothing'
  acknowledgeElsewhere(store, item, told)
  return 'marked'
}

function isOf(item: OutboxItem, { channel, what, episode, change }: Told): boolean {
  return item.channel === channel && item.what === what && item.episode === episode && item.change === change
}

const gravity = { critical: 0, warning: 1, info: 2 }

/** Whether the message that was sent said what this one would: rather a repeat than something that nobody hears. */
function isSame(
  store: Store,
  of: { readonly alert: AlertHead; readonly item: OutboxItem; readonly told: Told },
): boolean {
  const { alert, item, told } = of
  if (told.said === null || alert.material !== told.said.material) return false
  if (gravity[alert.severity] < gravity[told.said.severity]) return false
  // A step of an escalation is told once a turn of the case.
  const turn = store.findCaseOfAlert(alert.id)?.turn ?? null
  if (item.groupKey === null && turn !== null && turn > (told.turn ?? 0)) return false
  return onceAnEpisode.includes(item.what) || item.createdAt <= told.at
}

/** What another node told and is not found here yet: it is looked for in whatever is queued, before that can leave. */
export interface Waiting {
  add(id: number, told: Told): void
  drop(id: number): void
  /** After a commit. @returns those that may be found now */
  find(): readonly { readonly id: number; readonly told: Told }[]
}

export function createWaiting(
  store: Pick<Store, 'listUncarried' | 'getAlert' | 'readTransferNames'>,
): Waiting {
  const byName = new Map<string, Map<number, Told>>()
  let seen = 0
  const namesOf = (alertId: number): readonly string[] => {
    const alert = store.getAlert(alertId)
    if (alert === null) return []
    if (alert.transferKey === null) return [alert.fingerprint]
    const names = store.readTransferNames(alert.transferKey)
    return [...names.transfer_id, ...names.main_tx, ...names.zone_tx]
  }
  return {
    add(id, told) {
      for (const name of listNames(told)) {
        const of = byName.get(name) ?? new Map<number, Told>()
        byName.set(name, of.set(id, told))
      }
    },
    drop(id) {
      for (const [name, of] of byName) if (of.delete(id) && of.size === 0) byName.delete(name)
    },
    find() {
      if (byName.size === 0) return []
      const queued = store.listUncarried(seen)
      seen = queued.at(-1)?.id ?? seen
      const names = new Set(queued.flatMap(({ alertId }) => namesOf(alertId)))
      const found = new Map([...names].flatMap((name) => [...(byName.get(name) ?? [])]))
      return [...found].map(([id, told]) => ({ id, told }))
    },
  }
}

function listNames({ alert: { fingerprint, transfer } }: Told): string[] {
  if (transfer === null) return [fingerprint]
  const { id, main, zone } = transfer.names
  return [id, main, zone].flatMap((name) => (name === null ? [] : [name.toLowerCase()]))
}
