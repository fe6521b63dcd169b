import type { SocketModeClient } from '@slack/socket-mode'
import type { Clock } from '../../../lib/clock.ts'
import { errorText } from '../../../lib/errors.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Secret } from '../../../lib/secret.ts'
import type { ListeningStatus } from '../message.ts'
import type { PostDeps } from '../postOnce.ts'
import { readAnswer, type SlackAnswer } from './answers.ts'
import { clientOptions, maxBodyBytes, silentLogger, toFetch } from './api.ts'
import type { Presses } from './presses.ts'

export interface SlackSocket {
  status(): ListeningStatus
  close(): Promise<void>
}

export interface SocketDeps {
  readonly http: PostDeps
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** The channel that it serves, for the log. */
  readonly name: string
  readonly url: string
  readonly appToken: Secret
  readonly presses: Pick<Presses, 'take'>
}

/** Slack says hello at once; a connection that stays silent is no use. */
const helloMs = 30_000
const closeMs = 1_000
const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** A token that was refused is seldom let in again. */
const refusedWaitMs = 15 * 60_000
/** Slack ends connections every few hours, after which another one is made at once. */
const longLivedMs = 30_000

interface State {
  readonly deps: SocketDeps
  readonly stop: AbortController
  status: ListeningStatus
}

/**
 * A connection to Slack over which presses of buttons come, made again whenever it ends. @slack/socket-mode speaks the
 * protocol; connecting again is not left to it: where Slack cannot be reached then, it ends the whole process by a
 * rejection that nobody can catch.
 */
export function openSocket(deps: SocketDeps): SlackSocket {
  const status: ListeningStatus = { state: 'connecting', since: deps.clock.now(), reason: null }
  const state: State = { deps, stop: new AbortController(), status }
  const loop = run(state)
  return {
    status: () => state.status,
    async close() {
      state.stop.abort()
      await loop
    },
  }
}

async function run(state: State): Promise<void> {
  const { deps, stop } = state
  let failures = 0
  while (!stop.signal.aborted) {
    note(state, 'connecting', state.status.reason)
    const startedMs = deps.clock.monotonicMs()
    const failure = await connect(state)
    if (stop.signal.aborted) break
    const isLongLived = failure === null && deps.clock.monotonicMs() - startedMs >= longLivedMs
    failures = isLongLived ? 0 : failures + 1
    const waitMs = failure?.isRefused ? refusedWaitMs : waitAfter(failures)
    note(state, failure?.isRefused ? 'refused' : 'waiting', failure?.reason ?? null)
    if (waitMs > 0) await deps.clock.sleep(waitMs, stop.signal)
  }
  note(state, 'closed', null)
}

function waitAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs)
}

interface Failure {
  readonly reason: string
  readonly isRefused: boolean
}

/** One connection, from the question for its address to its end; null when it was open in between. */
async function connect(state: State): Promise<Failure | null> {
  const { deps, stop } = state
  const answers: SlackAnswer[] = []
  const client = await createClient(state, (answer) => answers.push(answer))
  const ended = new Promise<void>((resolve) => void client.once('disconnected', resolve))
  const done = new AbortController()
  const signal = AbortSignal.any([stop.signal, done.signal])
  try {
    const opened = client.start().then(
      () => true,
      () => false,
    )
    const isOpen = await Promise.race([opened, deps.clock.sleep(helloMs, signal).then(() => false)])
    if (!isOpen) return failureOf(state, answers.at(-1))
    note(state, 'connected', null)
    await Promise.race([ended, aborted(signal)])
    return null
  } finally {
    done.abort()
    await shut(client, ended, deps.clock)
  }
}

async function createClient(
  { deps, stop }: State,
  onAnswer: (answer: SlackAnswer) => void,
): Promise<SocketModeClient> {
  const { http, clock, url, appToken } = deps
  const { host } = new URL(url)
  const fetch = toFetch(http, { signal: stop.signal, maxBodyBytes }, (outcome) =>
    onAnswer(readAnswer(outcome, { host, now: () => clock.now() })),
  )
  const { logger: _, ...options } = clientOptions(url)
  // Loaded with the first connection, which is made at the start.
  const { GuardedClient } = await import('./guardedClient.ts')
  const client = new GuardedClient({
    appToken: appToken.reveal(),
    autoReconnectEnabled: false,
    logger: silentLogger,
    clientOptions: { ...options, fetch },
  })
  client.on('interactive', ({ ack, body }: { ack: (payload?: object) => Promise<void>; body: unknown }) => {
    const envelope = { body, ack: (payload?: object) => ack(payload).catch(() => undefined) }
    deps.presses.take(envelope).catch((error: unknown) => {
      deps.log.warn({ channel: deps.name, error: errorText(error) }, 'a press of a button came to nothing')
    })
  })
  return client
}

const remedy = 'check `appToken`: it is an app-level token, xapp-…, with the scope connections:write'

function failureOf({ deps }: State, answer: SlackAnswer | undefined): Failure {
  if (answer === undefined || answer.ok) return { reason: 'the connection was not opened', isRefused: false }
  const { error, failure } = answer
  if (failure.result !== 'dead') return { reason: failure.reason, isRefused: false }
  const reason = error === null ? failure.reason : `${new URL(deps.url).host} answered ${error}: ${remedy}`
  return { reason, isRefused: true }
}

/** Says goodbye; who does not answer that is left without one. */
async function shut(
  client: SocketModeClient,
  ended: Promise<void>,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> {
  const done = new AbortController()
  const closed = client.disconnect()
  await Promise.race([closed, clock.sleep(closeMs, done.signal)])
  done.abort()
  // A second time it does not wait for the other side.
  client.websocket?.disconnect()
  await ended
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Only what is news is logged: Slack ends connections every few hours. */
function note(state: State, next: ListeningStatus['state'], reason: string | null): void {
  const { deps, status } = state
  const isTrouble = reason !== null && reason !== status.reason
  state.status = { state: next, since: deps.clock.now(), reason }
  if (isTrouble) deps.log.warn({ channel: deps.name, reason }, 'buttons of Slack messages do not work now')
  else if (next === 'connected') deps.log.info({ channel: deps.name }, 'buttons of Slack messages work')
}
