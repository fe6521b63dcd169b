import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageIdOf } from '../alerts/fingerprint.ts'
import { monitorStateNotPersisted } from '../checks/monitor/stateNotPersisted.ts'
import { toStateMessage } from '../delivery/distress.ts'
import type { AppConfig } from '../kernel/settings.ts'
import type { AppDeps } from '../monitor/options.ts'
import { sendDirectly } from './sendDirectly.ts'

/** What may be said of a ledger that is given up. */
export interface Damage {
  readonly error: string
  /** What becomes of it now. */
  readonly next: string
  readonly remedy: string
}

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
  const now = clock.now()
  const pageUrl = config.http?.publicUrl ?? null
  await sendDirectly(deps, config.channels, {
    what: 'the damage',
    compose: (channel) =>
      toStateMessage(
        {
          kind: { kind: monitorStateNotPersisted.kind, remedy: damage.remedy },
          pageUrl,
          channel,
          id: messageIdOf(now, 'damage'),
          summary: `the ledger is damaged: ${damage.error}; ${damage.next}`,
          error: damage.error,
          since: now,
          isOver: false,
        },
        now,
      ),
  })
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
