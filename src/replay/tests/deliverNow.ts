import { kinds } from '../../checks/index.ts'
import { composeMessage } from '../../delivery/composeMessage.ts'
import { alertIdOf } from '../../alerts/fingerprint.ts'
import { createLane, type Lane, nextDelivery } from '../../delivery/lanes.ts'
import { settleDelivery } from '../../delivery/settleDelivery.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { createSilentLog } from '../../lib/log.ts'
import { runAtOnce } from '../../lib/steps.ts'
import type { Channel, MessageItem } from '../../delivery/channels/message.ts'
import type { Delivery } from '../../alerts/store/outboxDeliveries.ts'
import type { TestWorld } from './createTestWorld.ts'

/** One item that was sent to a channel. */
export interface Told {
  readonly at: UnixMs
  readonly channel: string
  readonly rule: string
  readonly subject: string
  readonly what: MessageItem['status']
  readonly severity: MessageItem['severity']
  readonly summary: string
  /** Of the message that carried it. */
  readonly headline: string
}

export interface Deliverer {
  /** Sends all that is due. @returns what was sent, and when the next is due */
  deliver(now: UnixMs): { readonly told: readonly Told[]; readonly nextAt: UnixMs | null }
}

const mostItems = 10_000
const idleMs = 30_000

/** The daemon's lanes with channels that take everything at once. */
export function createDeliverer(world: TestWorld): Deliverer {
  const channels = world.file.channels.map(createTaker)
  const lanes = channels.flatMap((channel) => {
    const { critical, other } = createLane(channel, 0)
    return [critical, other]
  })
  const log = createSilentLog()
  return {
    deliver(now) {
      const told: Told[] = []
      let nextAt: UnixMs | null = null
      for (const lane of lanes) {
        for (;;) {
          const next = nextDelivery(world, lane)
          if ('waitMs' in next) {
            if (next.waitMs < idleMs) nextAt = Math.min(nextAt ?? Infinity, now + next.waitMs)
            break
          }
          told.push(...tellOne(world, lane, next.delivery, now))
          const deps = { ...world, log, channels, fallback: null, random: () => 0.5 }
          settleDelivery(
            deps,
            { delivery: next.delivery, channel: lane.channel, result: { result: 'ack' } },
            now,
          )
        }
      }
      return { told, nextAt }
    },
  }
}

function createTaker(name: string): Channel {
  return { name, type: 'webhook', deliver: async () => ({ result: 'ack' }), close: async () => undefined }
}

function tellOne(world: TestWorld, lane: Lane, delivery: Delivery, now: UnixMs): Told[] {
  const { store, ledger, rules } = world
  const subjects = new Map(
    store
      .listCarried(delivery.id, mostItems)
      .map(({ alert }) => [alertIdOf(alert.fingerprint), nameSubject(world, alert.subject)]),
  )
  const deps = {
    store,
    live: { rules },
    kinds,
    ledger,
    pageUrl: null,
    links: { main: null, zone: null },
  }
  const { headline, items, rest } = runAtOnce(composeMessage(deps, { delivery, channel: lane.channel }, now))
  return [...items, ...rest].map((item) => ({
    at: now,
    channel: lane.channel.name,
    rule: item.rule,
    subject: subjects.get(item.alertId) ?? item.subject,
    what: item.status,
    severity: item.severity,
    summary: item.summary,
    headline,
  }))
}

/** The test's own name of a transfer, where it is one. */
export function nameSubject({ said }: Pick<TestWorld, 'said'>, subject: string): string {
  for (const [name, key] of said.keys) if (key === subject) return name
  return subject
}
