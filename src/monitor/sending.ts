import type { AlertEngine } from '../alerts/alertEngine.ts'
import { kinds } from '../checks/index.ts'
import { monitorStateNotPersisted } from '../checks/monitor/stateNotPersisted.ts'
import { createDistress } from '../delivery/distress.ts'
import { type Dispatcher, startDispatcher } from '../delivery/dispatcher.ts'
import type { UnixMs } from '../lib/clock.ts'
import { createRotatingChannel } from '../delivery/channels/createChannel.ts'
import type { DeliveryResult } from '../delivery/channels/message.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { PartDeps } from './options.ts'

interface SendingParts {
  readonly config: AppConfig
  readonly store: AlertStore
  readonly ledger: Pick<Ledger, 'getTransfer'>
  readonly engine: AlertEngine
  readonly fallback: string | null
  readonly live: { readonly rules: readonly LoadedRule[] }
  /** By how much our clock is ahead of everybody's, ms. */
  readonly clockLeadMs: () => number
}

/** Everything that leads out: channels, the outbox's dispatcher, and what is sent past it when nothing can be saved. */
export function createSending(deps: PartDeps, parts: SendingParts) {
  const { clock, log } = deps
  const { config, store } = parts
  const onRequestOf = (source: string) => () => {
    const sentMs = clock.monotonicMs()
    return (date: string | null) => clock.noteDate(source, { date, sentMs })
  }
  const channels = config.channels.map((channel) =>
    createRotatingChannel(
      {
        clock,
        write: deps.write,
        color: false,
        onRequest: onRequestOf(`channel ${channel.name}`),
        reread: (name) => deps.rereadChannel?.(name) ?? null,
      },
      channel,
    ),
  )
  const pageUrl = config.http?.publicUrl ?? null
  const counts = createNotificationCounts()
  const distress = createDistress({ kind: monitorStateNotPersisted, channels, log, pageUrl })
  let dispatcher: Dispatcher | null = null
  return {
    channels,
    counts,
    distress,
    start() {
      dispatcher ??= startDispatcher({
        ...parts,
        store,
        kinds,
        clock,
        log,
        channels,
        random: deps.random,
        links: config.explorer.links.tx,
        pageUrl,
        onResult: (channel, result) => counts.count(channel, result),
      })
    },
    wake: () => dispatcher?.wake(),
    /** How long ago the outbox was last looked into, ms; 0 before the start. */
    idleMs: () => dispatcher?.idleMs() ?? 0,
    /** What a channel made of a message that did not come from the outbox. */
    noteAnswer: (channel: string, result: DeliveryResult, now: UnixMs) =>
      dispatcher?.noteAnswer(channel, result, now),
    async stop() {
      await distress.stop()
      await dispatcher?.stop()
      await Promise.all(channels.map((channel) => channel.close()))
    },
  }
}

/** How each channel's deliveries ended, for metrics. */
function createNotificationCounts() {
  const counts = new Map<string, { channel: string; result: string; count: number }>()
  return {
    count(channel: string, result: string) {
      const key = `${channel}|${result}`
      const entry = counts.get(key) ?? { channel, result, count: 0 }
      counts.set(key, { ...entry, count: entry.count + 1 })
    },
    list: () => [...counts.values()],
  }
}
