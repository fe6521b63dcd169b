import { listFollowing } from '../delivery/channels/createChannel.ts'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { type Acked, createOperations, recordRewind } from '../alerts/operations.ts'
import type { SilencePreview } from '../alerts/previewSilence.ts'
import { createBreakOperations } from '../breaks/operations.ts'
import type { ShownEntry } from '../breaks/showEntry.ts'
import { intervalOf } from '../kernel/running/schedule.ts'
import { createLedger } from '../ledger/ledger.ts'
import { kinds } from '../checks/index.ts'
import type { Config } from '../config/config.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { createSilentLog } from '../lib/log.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import type { LoadedRule } from '../rules/types.ts'
import { beginHistory } from '../store/cursors.ts'
import { readDaemonUrl } from '../store/daemonFile.ts'
import { openState } from '../store/openState.ts'
import { ledgerPath, type State } from '../store/state.ts'
import type { SilenceRow } from '../alerts/store/silenceRows.ts'
import { isLoopbackHost } from '../web/createFrame.ts'
import type { CaseStory } from '../web/caseTypes.ts'
import { clientHeader, type WebOperations } from '../web/types.ts'
import { createAlertViews } from '../web/views/toAlertView.ts'
import { toCaseSettings, toCaseStory } from '../web/views/toCaseView.ts'
import type { Io } from './io.ts'

/** The same, whether a daemon does it or this process. */
export type CommandOperations = {
  readonly [Name in keyof WebOperations]: (
    ...args: Parameters<WebOperations[Name]>
  ) => Promise<ReturnType<WebOperations[Name]>>
} & { close(): void }

/**
 * Changes the state: through the running daemon's HTTP API, else in the state folder itself, which is then locked.
 * @param rules those of the project, for what makes silences and what names cases; null when they cannot be read, or are not used
 * @throws MonitorError `state.locked` when a daemon runs that cannot be asked, `not_found` before a first start
 */
export function openOperations(
  io: Io,
  config: Config,
  rules: readonly LoadedRule[] | null = null,
): CommandOperations {
  if (!existsSync(ledgerPath(config.stateDir))) {
    throw new MonitorError(
      'not_found',
      `There is no ledger at ${ledgerPath(config.stateDir)} yet: start the daemon first (spanwatch run).`,
    )
  }
  try {
    const now = io.clock.now()
    // What is done beside a node that held the lease is recorded for the others; beside one that follows nothing can be.
    const replica = config.replicas == null ? {} : { replica: { role: 'as it was' } as const }
    const state = openState({ folder: config.stateDir, since: now, now, ...replica })
    return openLocal(io, { config, rules }, state)
  } catch (error) {
    if (!(error instanceof MonitorError) || error.code !== 'state.locked') throw error
    return openRemote(config, error)
  }
}

function openLocal(
  io: Io,
  { config, rules }: { readonly config: Config; readonly rules: readonly LoadedRule[] | null },
  state: State,
): CommandOperations {
  const store = createAlertStore(state.db)
  const following = listFollowing(config.channels)
  const operations = createOperations({
    store,
    kinds,
    vocabulary: {
      rules,
      channels: config.channels.map(({ name }) => name),
      symbols: config.bridge.tokens.map(({ symbol }) => symbol),
    },
    log: createSilentLog(),
    clock: io.clock,
    following,
    onChanged: () => undefined,
  })
  const { tokens } = config.bridge
  const ledger = createLedger(state.db, { tokens, openIntervalMs: intervalOf(config.poll.openTransfers) })
  const breaks = createBreakOperations({
    db: state.db,
    ledger,
    tokens,
    clock: io.clock,
    following,
    after: [],
  })
  return {
    ackAlert: async (...given) => operations.ackAlert(...given),
    changeCase: async (...given) => {
      const row = operations.changeCase(...given)
      const views = createAlertViews(store, rules ?? [], io.clock.now())
      return toCaseStory({ ...views, ...toCaseSettings(config) }, row)
    },
    addSilence: async (...given) => operations.addSilence(...given),
    previewSilence: async (input) => operations.previewSilence(input),
    expireSilence: async (...given) => operations.expireSilence(...given),
    retryOutbox: async (...given) => operations.retryOutbox(...given),
    dropOutbox: async (...given) => operations.dropOutbox(...given),
    matchBreaks: async (...given) => breaks.matchBreaks(...given),
    writeOffBreak: async (...given) => breaks.writeOffBreak(...given),
    undoEntry: async (...given) => breaks.undoEntry(...given),
    rewindCursors: async (until, actor) => {
      state.db.transaction(() => recordRewind(state.db, actor, until, io.clock.now()))
      state.cursors.write({
        ...state.cursors.read(),
        history: beginHistory(until, state.cursors.read().history.oldestAt),
      })
      return { until }
    },
    close: () => state.close(),
  }
}

const timeoutMs = 10_000
const failure = z.object({ code: z.string().optional(), error: z.string() })

function openRemote({ stateDir, http }: Config, locked: MonitorError): CommandOperations {
  if (http === null) {
    throw new MonitorError(
      'state.locked',
      'A daemon runs and opens no port (http: null), so that nothing can be changed beside it: stop it first, or give it http.listen.',
      { cause: locked },
    )
  }
  const host = http.host.includes(':') ? `[${http.host}]` : http.host
  const mayBe = (named: string) => isLoopbackHost(named) || named === host.toLowerCase()
  const url = readDaemonUrl(stateDir, mayBe) ?? `http://${host}:${http.port}`
  const headers = {
    'content-type': 'application/json',
    [clientHeader]: 'cli',
    ...(http.token === null ? {} : { authorization: `Bearer ${http.token.reveal()}` }),
  }
  const post = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      const text = `Another process holds the state folder, and no daemon answers at ${url} (${errorText(error)}).`
      throw new MonitorError('state.locked', text, { cause: error })
    })
    const text = await response.text()
    if (!response.ok) throw toError(response.status, text)
    // Our own daemon's answer, of the version that holds the state.
    return JSON.parse(text) as T
  }
  const part = (id: string | number) => encodeURIComponent(String(id).replace(/^#/, ''))
  return {
    ackAlert: (id, { by }) => post<Acked>(`/api/alerts/${part(id)}/ack`, { by }),
    changeCase: ({ id, do: verb, text }, { by }) =>
      post<CaseStory>(`/api/cases/${part(id)}/${verb}`, { by, text }),
    addSilence: (input) => post<SilenceRow>('/api/silences', input),
    previewSilence: (input) => post<SilencePreview>('/api/silences/preview', input),
    expireSilence: (id, { by }) => post<SilenceRow>(`/api/silences/${part(id)}/expire`, { by }),
    retryOutbox: (id, { by }) => post<{ count: number }>(`/api/outbox/${part(id)}/retry`, { by }),
    dropOutbox: (id, { by }) => post<{ count: number }>(`/api/outbox/${part(id)}/drop`, { by }),
    matchBreaks: (input, { by }) => post<ShownEntry>('/api/breaks/match', { ...input, by }),
    writeOffBreak: (input, { by }) => post<ShownEntry>('/api/breaks/write-off', { ...input, by }),
    undoEntry: (input, { by }) => post<ShownEntry>('/api/breaks/undo', { ...input, by }),
    rewindCursors: (until, { by }) => post<{ until: number }>('/api/cursors/rewind', { until, by }),
    close: () => undefined,
  }
}

function toError(status: number, text: string): MonitorError {
  const parsed = failure.safeParse(parseJson(text))
  const said = parsed.success ? parsed.data.error : `the daemon answered ${status}`
  if (parsed.success && parsed.data.code === 'forbidden')
    return new MonitorError('usage', `${said} The one of this configuration is the daemon's http.readToken.`)
  if (parsed.success && parsed.data.code === 'replica.follower')
    return new MonitorError('replica.follower', said)
  if (status === 401 || status === 403 || status === 429)
    return new MonitorError('usage', `${said} (http.token of this configuration is not the daemon's?)`)
  return new MonitorError(status === 404 ? 'not_found' : status === 400 ? 'usage' : 'internal', said)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
