import { checkSlackPayload } from '../../../src/sandbox/inbox/slackInbox.ts'

export type Json = Readonly<Record<string, unknown>>

/** One request: the method, whose token, and the arguments as they came. */
export interface SlackCall {
  readonly method: string
  readonly token: string | null
  readonly args: Readonly<Record<string, string>>
}

export interface Posted {
  readonly ts: string
  readonly thread_ts?: string
  readonly reply_broadcast?: boolean
  readonly text: string
  readonly blocks: readonly Json[]
  readonly metadata?: Json
  readonly bot_id: string
  /** How often it was edited. */
  readonly edits: number
}

export interface World {
  readonly now: () => number
  readonly tokens: { bot: string; app: string }
  readonly scopes: Set<string>
  readonly channel: { readonly id: string; readonly name: string; isArchived: boolean; hasApp: boolean }
  readonly messages: Posted[]
  readonly ephemerals: { readonly user: string; readonly text: string }[]
  readonly views: Json[]
  /** By its id, whether it was used. */
  readonly triggers: Map<string, boolean>
  lastTs: number
  readonly openSocket: () => string
}

const botId = 'B0FAKE0001'
export const teamId = 'T0FAKE0001'

class SlackError extends Error {
  readonly more: Json

  constructor(error: string, more: Json = {}) {
    super(error)
    this.more = more
  }
}

const methods: Readonly<Record<string, (world: World, args: SlackCall['args']) => Json>> = {
  'auth.test': () => ({
    url: 'https://fake.slack.com/',
    team_id: teamId,
    user_id: 'U0FAKEBOT',
    bot_id: botId,
  }),
  'apps.connections.open': ({ openSocket }) => ({ url: openSocket() }),
  'chat.postMessage': postMessage,
  'chat.update': updateMessage,
  'chat.postEphemeral': postEphemeral,
  'conversations.history': history,
  'conversations.replies': replies,
  'views.open': openView,
}

/** What Slack answers, and what it does. */
export function callMethod(world: World, { method, token, args }: SlackCall): Json {
  try {
    const run = methods[method]
    if (!run) throw new SlackError('unknown_method')
    checkToken(world, method, token)
    return { ok: true, ...run(world, args) }
  } catch (error) {
    if (!(error instanceof SlackError)) throw error
    return { ok: false, error: error.message, ...error.more }
  }
}

function checkToken({ tokens }: World, method: string, token: string | null): void {
  if (token === null) throw new SlackError('not_authed')
  const isForApp = method === 'apps.connections.open'
  if (token === (isForApp ? tokens.bot : tokens.app)) throw new SlackError('not_allowed_token_type')
  if (token !== (isForApp ? tokens.app : tokens.bot)) throw new SlackError('invalid_auth')
}

function needScope({ scopes }: World, needed: string): void {
  if (!scopes.has(needed)) throw new SlackError('missing_scope', { needed, provided: [...scopes].join(',') })
}

function checkChannel({ channel }: World, named: string | undefined, byName: boolean): void {
  const isNamed = byName && (named === channel.name || named === `#${channel.name}`)
  if (named !== channel.id && !isNamed) throw new SlackError('channel_not_found')
  if (!channel.hasApp) throw new SlackError('not_in_channel')
}

function nextTs(world: World): string {
  world.lastTs = Math.max(world.lastTs + 1, Math.floor(world.now() * 1_000))
  return (world.lastTs / 1e6).toFixed(6)
}

function postMessage(world: World, args: SlackCall['args']): Json {
  needScope(world, 'chat:write')
  checkChannel(world, args['channel'], true)
  if (world.channel.isArchived) throw new SlackError('is_archived')
  const { blocks, text } = readContent(args)
  const threadTs = args['thread_ts']
  if (threadTs !== undefined && !world.messages.some(({ ts }) => ts === threadTs))
    throw new SlackError('thread_not_found')
  const posted: Posted = {
    ts: nextTs(world),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(args['reply_broadcast'] === 'true' && { reply_broadcast: true }),
    text,
    blocks,
    ...readMetadata(args['metadata']),
    bot_id: botId,
    edits: 0,
  }
  world.messages.push(posted)
  return { channel: world.channel.id, ts: posted.ts, message: toMessage(posted) }
}

function readContent(args: SlackCall['args']): { readonly blocks: Json[]; readonly text: string } {
  const blocks = readJson(args['blocks'] ?? '[]', 'invalid_blocks_format') as Json[]
  const text = args['text'] ?? ''
  const refusal = checkSlackPayload(JSON.stringify({ text, blocks }))
  if (refusal !== null) throw new SlackError(refusal.body)
  // Slack names the blocks that have no name.
  return { blocks: blocks.map((block, index) => ({ block_id: `b${index}`, ...block })), text }
}

function readJson(text: string, error: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SlackError(error)
  }
}

function readMetadata(text: string | undefined): { readonly metadata?: Json } {
  if (text === undefined) return {}
  const metadata = readJson(text, 'invalid_metadata_format') as Json
  if (typeof metadata['event_type'] !== 'string' || typeof metadata['event_payload'] !== 'object')
    throw new SlackError('invalid_metadata_format')
  return { metadata }
}

function updateMessage(world: World, args: SlackCall['args']): Json {
  needScope(world, 'chat:write')
  checkChannel(world, args['channel'], false)
  const index = world.messages.findIndex(({ ts }) => ts === args['ts'])
  const before = world.messages[index]
  if (!before) throw new SlackError('message_not_found')
  const { blocks, text } = readContent(args)
  world.messages[index] = { ...before, blocks, text, edits: before.edits + 1 }
  return { channel: world.channel.id, ts: before.ts, text }
}

function postEphemeral(world: World, args: SlackCall['args']): Json {
  needScope(world, 'chat:write')
  checkChannel(world, args['channel'], true)
  const { text } = readContent(args)
  world.ephemerals.push({ user: args['user'] ?? '', text })
  return { message_ts: nextTs(world) }
}

function history(world: World, args: SlackCall['args']): Json {
  needScope(world, 'channels:history')
  checkChannel(world, args['channel'], false)
  const shown = world.messages.filter((one) => one.thread_ts === undefined || one.reply_broadcast === true)
  return page(shown.toReversed(), args)
}

function replies(world: World, args: SlackCall['args']): Json {
  needScope(world, 'channels:history')
  checkChannel(world, args['channel'], false)
  const root = world.messages.find(({ ts }) => ts === args['ts'])
  if (!root) throw new SlackError('thread_not_found')
  const { messages, ...rest } = page(
    world.messages.filter((one) => one.thread_ts === root.ts),
    args,
  )
  return { ...rest, messages: [toMessage(root), ...(messages as Json[])] }
}

function page(all: readonly Posted[], args: SlackCall['args']): Json {
  const isInclusive = args['inclusive'] === 'true'
  const { oldest = '0', latest = '9999999999' } = args
  const within = all.filter(({ ts }) => {
    const at = Number(ts)
    return isInclusive
      ? at >= Number(oldest) && at <= Number(latest)
      : at > Number(oldest) && at < Number(latest)
  })
  const from = Number(args['cursor'] ?? 0)
  const limit = Number(args['limit'] ?? 100)
  const hasMore = within.length > from + limit
  const withMetadata = args['include_all_metadata'] === 'true'
  return {
    messages: within.slice(from, from + limit).map((one) => toMessage(one, withMetadata)),
    has_more: hasMore,
    response_metadata: { next_cursor: hasMore ? String(from + limit) : '' },
  }
}

function toMessage({ metadata, edits, ...posted }: Posted, withMetadata = false): Json {
  return {
    type: 'message',
    user: 'U0FAKEBOT',
    ...posted,
    ...(withMetadata && metadata && { metadata }),
    ...(edits > 0 && { edited: { user: 'U0FAKEBOT', ts: posted.ts } }),
  }
}

function openView(world: World, args: SlackCall['args']): Json {
  const trigger = args['trigger_id'] ?? ''
  const isUsed = world.triggers.get(trigger)
  if (isUsed === undefined) throw new SlackError('invalid_trigger_id')
  if (isUsed) throw new SlackError('exchanged_trigger_id')
  world.triggers.set(trigger, true)
  const given = readJson(args['view'] ?? '', 'invalid_arguments') as Json
  const view = { ...given, id: `V${String(world.views.length + 1).padStart(8, '0')}` }
  world.views.push(view)
  return { view }
}

/** The buttons of a message. */
export function listElements({ blocks }: Pick<Posted, 'blocks'>): Json[] {
  return blocks.flatMap((block) =>
    block['type'] === 'actions' && Array.isArray(block['elements']) ? (block['elements'] as Json[]) : [],
  )
}
