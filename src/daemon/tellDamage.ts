import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageIdOf } from '../alerts/fingerprint.ts'
import { monitorStateNotPersisted } from '../checks/monitor/stateNotPersisted.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'
import type { Channel } from '../delivery/channels/message.ts'
import { toStateMessage } from '../delivery/distress.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { errorText } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'

/** What may be said of a ledger that is given up. */
export interface Damage {
  readonly error: string
  /** What becomes of it now. */
  readonly next: string
  readonly remedy: string
}

const patienceMs = 15_000
const triesOfChannel = 3
const pauseMs = 2_000

/** Who starts a process that ends again and again must not be told as often. */
const quietMs = 3_600_000

/**
 * Tells every channel that the ledger is damaged, straight through the channels: the outbox is a part of it. Ends in
 * seconds, whatever the channels do.
 */
export async function tellDamage(
  deps: Pick<AppDeps, 'clock' | 'log' | 'write'>,
  config: Pick<AppConfig, 'channels' | 'http' | 'stateDir'>,
  damage: Damage,
): Promise<void> {
  const { clock, log } = deps
  log.error({ error: damage.error }, `the ledger is damaged; ${damage.next}`)
  if (!noteTold(config.stateDir, clock.now())) return
  const ending = new AbortController()
  const sent = Promise.all(
    config.channels.map(async (settings) => {
      const channel = createChannel({ clock, write: deps.write, color: false }, settings)
      try {
        await send({ ...deps, pageUrl: config.http?.publicUrl ?? null }, channel, damage, ending.signal)
      } catch (error) {
        log.warn({ channel: channel.name, error: errorText(error) }, 'the damage could not be sent')
      } finally {
        await channel.close()
      }
    }),
  ).finally(() => ending.abort())
  await clock.sleep(patienceMs, ending.signal)
  ending.abort()
  await sent
}

async function send(
  { clock, log, pageUrl }: Pick<AppDeps, 'clock' | 'log'> & { readonly pageUrl: string | null },
  channel: Channel,
  damage: Damage,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const message = toStateMessage(
    {
      kind: { kind: monitorStateNotPersisted.kind, remedy: damage.remedy },
      pageUrl,
      channel: channel.name,
      id: messageIdOf(now, 'damage'),
      summary: `the ledger is damaged: ${damage.error}; ${damage.next}`,
      error: damage.error,
      since: now,
      isOver: false,
    },
    now,
  )
  for (let attempt = 1; attempt <= triesOfChannel && !signal.aborted; attempt += 1) {
    const options = { signal, degraded: attempt === triesOfChannel, recipients: null }
    const { result } = await channel.deliver({ ...message, attempt }, options)
    if (result === 'ack' || result === 'partial') return
    log.warn({ channel: channel.name, result }, 'the damage is not sent yet')
    if (attempt < triesOfChannel) await clock.sleep(pauseMs, signal)
  }
}

/** @returns whether it is to be told: it was not within the hour */
function noteTold(folder: string, now: number): boolean {
  const path = join(folder, 'damage-told')
  const toldAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity
  if (now - toldAt >= 0 && now - toldAt < quietMs) return false
  try {
    rmSync(path, { force: true })
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch {
    // A disk that takes nothing: then it is told at each start.
  }
  return true
}
