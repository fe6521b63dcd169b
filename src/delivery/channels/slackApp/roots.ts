import type { Clock } from '../../../lib/clock.ts'
import { errorText } from '../../../lib/errors.ts'
import type { Logger } from '../../../lib/log.ts'
import { putNewest } from '../../../lib/putNewest.ts'
import type { ListeningStatus, MessageCase } from '../message.ts'
import type { SlackApi } from './api.ts'
import { readMessages } from './findPosted.ts'
import { type RootParts, readRootParts, renderRootAgain } from './renderCase.ts'
import type { Thread } from './threads.ts'

/** Somebody who may hear what people press. */
export interface Listening {
  status(): ListeningStatus | null
}

/** Whether a press would be heard, now or soon. */
export function hears(ear: Listening | null): boolean {
  const state = ear?.status()?.state
  return state !== undefined && state !== 'refused' && state !== 'closed'
}

export interface RootsDeps {
  readonly api: SlackApi
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly log: Pick<Logger, 'warn'>
  readonly ear: Listening | null
}

/** The first messages of cases, which show how these stand now. */
export interface Roots {
  /** What a first message tells beside the state of its case. */
  remember(thread: Thread, parts: RootParts): void
  /** Brings it up to date soon; when that fails, with the next one. */
  refresh(thread: Thread, of: MessageCase): void
  /** Waits a moment for the edits under way, then ends them. */
  close(): Promise<void>
}

/** Ten kilobytes each. */
const mostRemembered = 300
/** Of what could not be brought up to date. */
const mostStale = 1_000
const closeMs = 3_000

interface Stale {
  readonly thread: Thread
  readonly of: MessageCase
}

/**
 * Edits are one at a time and never the only telling of anything: what Slack refuses for good is given up, all else
 * waits for the next edit.
 */
export function createRoots(deps: RootsDeps): Roots {
  const state: State = {
    deps,
    parts: new Map(),
    stale: new Map(),
    stop: new AbortController(),
    pausedUntil: -Infinity,
    said: new Set(),
    isWorking: false,
    work: Promise.resolve(),
  }
  return {
    remember: ({ channel, ts }, parts) => putNewest(state.parts, `${channel} ${ts}`, parts, mostRemembered),
    refresh(thread, of) {
      if (thread.isPlain || state.stop.signal.aborted) return
      putNewest(state.stale, `${thread.channel} ${thread.ts}`, { thread, of }, mostStale)
      if (!state.isWorking) state.work = work(state)
    },
    async close() {
      const done = new AbortController()
      const pause = deps.clock.sleep(closeMs, done.signal)
      await Promise.race([state.work, pause])
      done.abort()
      state.stop.abort()
      await state.work
    },
  }
}

interface State {
  readonly deps: RootsDeps
  readonly parts: Map<string, RootParts>
  readonly stale: Map<string, Stale>
  readonly stop: AbortController
  /** Monotonic. */
  pausedUntil: number
  /** What was logged: a scope that is missing is missing for every case. */
  readonly said: Set<string>
  isWorking: boolean
  work: Promise<void>
}

async function work(state: State): Promise<void> {
  const { deps, stale, stop } = state
  if (deps.clock.monotonicMs() < state.pausedUntil) return
  state.isWorking = true
  // What comes meanwhile is put at the end, which this loop reaches.
  for (const [key, one] of stale) {
    const outcome = stop.signal.aborted ? 'later' : await edit(state, key, one).catch(failed(state))
    if (outcome === 'later') break
    if (stale.get(key) === one) stale.delete(key)
  }
  state.isWorking = false
}

/** What Slack gave back may be anything: an edit that fails ends itself alone. */
function failed({ deps }: State): (error: unknown) => 'done' {
  return (error) => {
    deps.log.warn({ error: errorText(error) }, 'the first message of a case could not be edited')
    return 'done'
  }
}

async function edit(state: State, key: string, { thread, of }: Stale): Promise<'done' | 'later'> {
  const { deps, stop } = state
  const parts = state.parts.get(key) ?? (await readParts(state, thread))
  if (parts === 'later') return 'later'
  if (parts === null) return 'done'
  putNewest(state.parts, key, parts, mostRemembered)
  const { text, blocks } = renderRootAgain(of, parts, { hasButtons: hears(deps.ear) })
  const args = { channel: thread.channel, ts: thread.ts, text, blocks, parse: 'none', link_names: false }
  const answer = await deps.api.call({ method: 'chat.update', args, signal: stop.signal })
  return answer.ok ? 'done' : judge(state, answer.failure, 'the first message of a case could not be edited')
}

/** After a restart its findings are only in Slack. */
async function readParts(state: State, { channel, ts }: Thread): Promise<RootParts | null | 'later'> {
  const { deps, stop } = state
  const args = { channel, latest: ts, oldest: ts, inclusive: true, limit: 1 }
  const answer = await deps.api.call({ method: 'conversations.history', args, signal: stop.signal })
  if (!answer.ok) return judge(state, answer.failure, unreadable) === 'later' ? 'later' : null
  const message = readMessages(answer.body).find((one) => one['ts'] === ts)
  return readRootParts(message?.['blocks'])
}

const unreadable = 'the first message of a case could not be read, and so not be edited'

function judge(
  state: State,
  failure: { readonly result: string; readonly reason: string; readonly retryAfterMs?: number },
  what: string,
): 'done' | 'later' {
  const { deps } = state
  if (failure.result === 'throttled') {
    state.pausedUntil = deps.clock.monotonicMs() + (failure.retryAfterMs ?? 0)
    return 'later'
  }
  if (failure.result === 'transient') return 'later'
  const key = `${what}: ${failure.reason}`
  if (!state.said.has(key)) deps.log.warn({ reason: failure.reason }, what)
  state.said.add(key)
  return 'done'
}
