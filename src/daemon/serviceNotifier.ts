import type { Clock } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface ServiceNotifierDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Says one state to the service manager, e.g. `READY=1`. */
  send(state: string): Promise<void>
  /** Whether the monitor does its work: no `WATCHDOG=1` without it. */
  isAlive(): boolean
}

export interface ServiceNotifier {
  ready(): void
  stopping(): void
  /** Ends the watchdog's loop. */
  stop(): Promise<void>
}

/**
 * Tells systemd how the daemon is (sd_notify(3)): READY=1, WATCHDOG=1 twice in each WATCHDOG_USEC while the monitor
 * really works, STOPPING=1. Does nothing without NOTIFY_SOCKET.
 */
export function createServiceNotifier(deps: ServiceNotifierDeps): ServiceNotifier {
  const { clock, log, env } = deps
  const ending = new AbortController()
  const isListening = (env['NOTIFY_SOCKET'] ?? '') !== ''
  let sending: Promise<void> = Promise.resolve()
  let lastProblem: string | null = null

  // One after the other: READY=1 must not be overtaken by what follows it.
  function say(state: string): void {
    if (!isListening) return
    sending = sending.then(async () => {
      try {
        await deps.send(state)
        lastProblem = null
      } catch (error) {
        const text = errorText(error)
        if (text !== lastProblem) log.warn(`the service manager cannot be notified of ${state}: ${text}`)
        lastProblem = text
      }
    })
  }

  async function watch(everyMs: number): Promise<void> {
    while (!ending.signal.aborted) {
      if (deps.isAlive()) say('WATCHDOG=1')
      await clock.sleep(everyMs, ending.signal)
    }
  }

  const watchdogMs = Number(env['WATCHDOG_USEC']) / 1_000
  let watching: Promise<void> = Promise.resolve()
  return {
    ready() {
      say('READY=1')
      if (isListening && watchdogMs > 0) watching = watch(watchdogMs / 2)
    },
    stopping: () => say('STOPPING=1'),
    async stop() {
      ending.abort()
      await watching
      await sending
    },
  }
}

const timeoutMs = 5_000

/**
 * Says one state to systemd through its own `systemd-notify`: Node has no datagram sockets in the file system. The
 * unit needs `NotifyAccess=all`, since it is a child that notifies.
 */
export async function sendToServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  state: string,
): Promise<void> {
  const words = state === 'READY=1' ? ['--ready'] : [state]
  const { NOTIFY_SOCKET, PATH } = env
  await promisify(execFile)('systemd-notify', words, { env: { NOTIFY_SOCKET, PATH }, timeout: timeoutMs })
}
