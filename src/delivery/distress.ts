import type { UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Channel, Message } from './channels/message.ts'
import { toOwnMessage } from './channels/ownMessage.ts'
import type { Detector } from '../rules/kind.ts'
import { runbookLink } from './runbookLink.ts'
import { messageIdOf } from '../alerts/fingerprint.ts'

export interface DistressDeps {
  /** What it sends is of this kind. */
  readonly kind: Pick<Detector, 'kind' | 'remedy'>
  readonly channels: readonly Channel[]
  readonly log: Pick<Logger, 'warn'>
  readonly pageUrl: string | null
}

export interface Distress {
  /** A commit failed. */
  failed(reason: string, now: UnixMs): void
  /** A commit succeeded. */
  saved(now: UnixMs): void
  /** Waits for what is being sent. */
  stop(): Promise<void>
}

/** One failed commit may be a busy moment of the disk. */
const patienceMs = 5_000
const retryMs = 10_000

interface Trouble {
  readonly since: UnixMs
  reason: string
  readonly told: Set<string>
  /** By channel, when it is tried next. */
  readonly nextAt: Map<string, UnixMs>
}

/**
 * Reports that nothing can be saved, past the outbox: that one needs the disk which just refused. Sent once to each
 * channel, and its end to those that got it. Not kept over a restart: a process that cannot write does not start.
 */
export function createDistress(deps: DistressDeps): Distress {
  const ending = new AbortController()
  const running = new Set<Promise<void>>()
  let trouble: Trouble | null = null

  function send(channel: Channel, message: Message, onAck: () => void): void {
    const options = { signal: ending.signal, degraded: false, recipients: null }
    const sending = channel
      .deliver(message, options)
      .then((answer) => {
        if (answer.result === 'ack' || answer.result === 'partial') onAck()
        else deps.log.warn({ channel: channel.name, result: answer.result }, 'distress not delivered yet')
      })
      .catch((error: unknown) =>
        deps.log.warn({ channel: channel.name, err: error }, 'distress not delivered'),
      )
      .finally(() => running.delete(sending))
    running.add(sending)
  }

  return {
    failed(reason, now) {
      const present = (trouble ??= { since: now, reason, told: new Set(), nextAt: new Map() })
      if (now - present.since < patienceMs) return
      for (const channel of deps.channels) {
        if (present.told.has(channel.name) || (present.nextAt.get(channel.name) ?? 0) > now) continue
        present.nextAt.set(channel.name, now + retryMs)
        const message = toMessage(deps, { channel, trouble: present, isOver: false }, now)
        send(channel, message, () => present.told.add(channel.name))
      }
    },
    saved(now) {
      const past = trouble
      trouble = null
      for (const channel of deps.channels) {
        if (!past?.told.has(channel.name)) continue
        send(channel, toMessage(deps, { channel, trouble: past, isOver: true }, now), () => {})
      }
    },
    async stop() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

function toMessage(
  deps: Pick<DistressDeps, 'kind' | 'pageUrl'>,
  of: { readonly channel: Channel; readonly trouble: Trouble; readonly isOver: boolean },
  now: UnixMs,
): Message {
  const { trouble, isOver } = of
  return toStateMessage(
    {
      ...deps,
      channel: of.channel.name,
      id: messageIdOf(trouble.since + (isOver ? 1 : 0), 'distress'),
      summary: isOver
        ? 'Resolved: the state can be saved again'
        : `the state cannot be saved: ${trouble.reason}; nothing new is judged until it can`,
      error: trouble.reason,
      since: trouble.since,
      isOver,
    },
    now,
  )
}

interface About {
  readonly alertId: string
  readonly rule: string
  readonly subject: string
}

const stateFolder: About = { alertId: 'state', rule: 'state-not-persisted', subject: 'the state folder' }

/** A message about the state itself, which no ledger is needed for. */
export function toStateMessage(
  of: {
    readonly kind: Pick<Detector, 'kind' | 'remedy'>
    readonly pageUrl: string | null
    readonly channel: string
    readonly id: string
    readonly summary: string
    readonly error: string
    readonly since: UnixMs
    readonly isOver: boolean
    /** Whom it is about; the state folder when left out. */
    readonly about?: About
  },
  now: UnixMs,
): Message {
  const { summary, error, since, isOver, about = stateFolder } = of
  const { kind, remedy } = of.kind
  return toOwnMessage(
    {
      id: of.id,
      attempt: 1,
      channel: of.channel,
      headline: `CRITICAL: ${summary}`,
      createdAt: now,
      pageUrl: of.pageUrl,
    },
    {
      ...about,
      kind,
      severity: 'critical',
      status: isOver ? 'resolved' : 'firing',
      summary,
      fields: [{ label: 'Error', value: error, href: null }],
      facts: { error },
      labels: { rule: about.rule, kind, severity: 'critical' },
      remedy: isOver ? null : remedy,
      runbook: runbookLink(kind, of.pageUrl),
      since,
      lastedMs: isOver ? now - since : null,
    },
  )
}
