import type { Clock, UnixMs } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Secret } from '../../../lib/secret.ts'
import type { CaseActions } from '../caseActions.ts'
import { parseChannelUrl } from '../parseChannelUrl.ts'
import { createPostDeps, type PostDeps } from '../postOnce.ts'
import { createSlackApi, type SlackApi } from './api.ts'
import { createFinder } from './findPosted.ts'
import { createPresses, type Presses, type PressesDeps } from './presses.ts'
import { createRoots, type Listening, type Roots } from './roots.ts'
import { openSocket, type SlackSocket, type SocketDeps } from './socket.ts'
import { createThreads, isChannelId, type Threads } from './threads.ts'

export interface SlackAppConfig {
  readonly name: string
  readonly type: 'slack-app'
  readonly token: Secret
  /** For buttons; there are none without it. */
  readonly appToken?: Secret
  /** A name, or an id. */
  readonly channel: string
  /** Of the API: Slack's own, or GovSlack's. */
  readonly url: Secret
}

export interface SlackAppDeps extends Partial<PostDeps> {
  readonly clock: Clock
  readonly log?: Pick<Logger, 'info' | 'warn'>
}

/** One channel of the app, open. */
export interface App {
  readonly api: SlackApi
  readonly channel: string
  /** The id of the channel, as soon as Slack said it. */
  channelId: string | null
  readonly threads: Threads
  readonly find: ReturnType<typeof createFinder>
  readonly roots: Roots
  /** Hears what people press; null without a token for it. */
  readonly ear: Ear | null
  readonly startedAt: UnixMs
  close(): Promise<void>
}

export function openApp(deps: SlackAppDeps, config: SlackAppConfig): App {
  const { href } = parseChannelUrl(config.name, config.url.reveal())
  const url = href.endsWith('/') ? href : `${href}/`
  const http = createPostDeps(deps)
  // Connections of their own: an edit that hangs holds up no message.
  const aside = createPostDeps(deps)
  const toApi = (over: PostDeps) =>
    createSlackApi(over, { url, token: config.token, now: () => deps.clock.now() })
  const log = deps.log ?? { info: () => {}, warn: () => {} }
  const { clock } = deps
  const { name, appToken } = config
  const ear =
    appToken === undefined
      ? null
      : createEar({ http: aside, api: toApi(aside), clock, log, name, url, appToken })
  const api = toApi(http)
  return {
    api,
    find: createFinder(api),
    channel: config.channel,
    channelId: isChannelId(config.channel) ? config.channel : null,
    threads: createThreads(config.channel),
    ear,
    roots: createRoots({ api: toApi(aside), clock, log, ear }),
    startedAt: clock.now(),
    async close() {
      await Promise.all([http.close(), aside.close()])
    },
  }
}

interface Ear extends Listening {
  listen(actions: CaseActions): void
  close(): Promise<void>
}

/** Opens a socket when it is told to listen. */
function createEar(deps: Omit<SocketDeps, 'presses'> & Omit<PressesDeps, 'actions'>): Ear {
  let socket: SlackSocket | null = null
  let presses: Presses | null = null
  const listen = (actions: CaseActions) => {
    if (socket !== null) return
    presses = createPresses({ ...deps, actions })
    socket = openSocket({ ...deps, presses })
  }
  const close = async () => {
    await socket?.close()
    presses?.close()
  }
  return { listen, status: () => socket?.status() ?? null, close }
}

export async function closeApp(app: App): Promise<void> {
  await app.ear?.close()
  await app.roots.close()
  await app.close()
}
