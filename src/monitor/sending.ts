import { kinds } from '../checks/index.ts'
import { monitorStateNotPersisted } from '../checks/monitor/stateNotPersisted.ts'
import { toTokenFacts } from '../delivery/describeCase.ts'
import { createDistress } from '../delivery/distress.ts'
import {
  createNotificationCounts,
  type Dispatcher,
  type DispatcherDeps,
  startDispatcher,
} from '../delivery/dispatcher.ts'
import { gateChannel, type LeavingGate } from '../delivery/gateChannel.ts'
import { refreshCases } from '../delivery/refreshCases.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { CaseActions } from '../delivery/channels/caseActions.ts'
import { createRotatingChannel } from '../delivery/channels/createChannel.ts'
import type { Channel, DeliveryResult } from '../delivery/channels/message.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { RestoredNote } from '../store/restored.ts'
import type { PartDeps } from './options.ts'

interface SendingParts
  extends Pick<DispatcherDeps, 'clockLeadMs' | 'engine' | 'fallback' | 'ledger' | 'live' | 'store'> {
  readonly config: AppConfig
  /** That the ledger was put back, before a start or because what stayed in memory did not fit. */
  readonly restored: RestoredNote
  /** Where others could send the same. */
  readonly gate?: LeavingGate
}

/** Everything that leads out: channels, the outbox's dispatcher, and what is sent past it when nothing can be saved. */
export function createSending(deps: PartDeps, parts: SendingParts) {
  const { clock, log } = deps
  const { config, store } = parts
  const { gate } = parts
  const channels = createChannels(deps, config).map((channel) =>
    gate ? gateChannel(channel, gate) : channel,
  )
  const pageUrl = config.http?.publicUrl ?? null
  const counts = createNotificationCounts()
  const distress = createDistress({ kind: monitorStateNotPersisted, channels, log, pageUrl })
  const tokens = toTokenFacts(config.bridge, (problem) =>
    log.warn({ problem }, 'prices cannot be read; those of before hold'),
  )
  const words = { kinds, live: parts.live, tokens, pageUrl }
  const ending = new AbortController()
  let dispatcher: Dispatcher | null = null
  let refreshing: Promise<void> | null = null
  return {
    channels,
    counts,
    distress,
    /** `actions`: what people may do with a case from within a channel. */
    start(actions: CaseActions) {
      for (const channel of channels) channel.listen?.(actions)
      dispatcher ??= startDispatcher({
        ...parts,
        ...words,
        store,
        clock,
        log,
        channels,
        random: deps.random,
        links: config.explorer.links.tx,
        counts,
      })
      refreshing ??= refreshCases({ ...words, clock, store, channels, log, dispatcher }, ending.signal)
    },
    wake: () => dispatcher?.wake(),
    /** How long ago the outbox was last looked into, ms; 0 before the start. */
    idleMs: () => dispatcher?.idleMs() ?? 0,
    /** What a channel made of a message that did not come from the outbox. */
    noteAnswer: (channel: string, result: DeliveryResult, now: UnixMs) =>
      dispatcher?.noteAnswer(channel, result, now),
    async stop() {
      ending.abort()
      await distress.stop()
      await dispatcher?.stop()
      await refreshing
      await Promise.all(channels.map((channel) => channel.close()))
    },
  }
}

function createChannels({ clock, log, write, rereadChannel }: PartDeps, { channels }: AppConfig): Channel[] {
  const reread = (name: string) => rereadChannel?.(name) ?? null
  return channels.map((channel) => {
    const dates = { clock, source: `channel ${channel.name}` }
    return createRotatingChannel({ clock, log, write, color: false, dates, reread }, channel)
  })
}
