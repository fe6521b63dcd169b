import type { UnixMs } from '../../../lib/clock.ts'
import { classifyHttp, describeBody, parseRetryAfter, readJsonObject } from '../classifyHttp.ts'
import type { DeliveryResult } from '../message.ts'
import type { PostOutcome } from '../postOnce.ts'

/** A result that is no acknowledgement. */
export type Failure = Exclude<DeliveryResult, { result: 'ack' | 'partial' }>

/** What a method of the Web API answered. */
export type SlackAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  /** `error` is Slack's word for it; null where it said none. */
  | { readonly ok: false; readonly error: string | null; readonly failure: Failure }

export interface AnswerOf {
  readonly host: string
  readonly now: () => UnixMs
}

const reinstall = 'install the app in the workspace again and write its new token into the configuration'
const askAdmin = 'ask an administrator of the workspace'

/** Slack's words for an app or a channel that takes nothing from us, with what to do. Asked again after a while. */
const deadWords = {
  access_denied: askAdmin,
  accesslimited: 'this network may not use the API: ask an administrator of the workspace',
  account_inactive: reinstall,
  as_user_not_supported: reinstall,
  channel_not_found: 'check `channel`, and invite the app to it if it is private: /invite @spanwatch',
  deprecated_endpoint: 'a newer spanwatch is needed',
  ekm_access_denied: 'administrators have suspended posting',
  enterprise_is_restricted: 'install the app in a workspace, not in the organisation',
  invalid_auth: 'check `token`: it is the bot token, xoxb-…, and may be limited to other addresses',
  is_archived: 'unarchive the channel, or choose another one',
  is_inactive: 'the channel is frozen, archived or deleted: choose another one',
  messages_tab_disabled: "switch on the app's messages tab, or choose a channel",
  method_deprecated: 'a newer spanwatch is needed',
  missing_scope: "add the scope to the app's bot token and install it again",
  no_permission: 'invite the app to the channel: /invite @spanwatch',
  not_allowed_token_type: '`token` has to be the bot token, xoxb-…',
  not_authed: 'check `token`: it is empty',
  not_in_channel: 'invite the app to the channel: /invite @spanwatch',
  org_login_required: 'the workspace is being moved to an organisation',
  restricted_action: 'a setting of the workspace keeps the app from posting: ask an administrator',
  restricted_action_read_only_channel: 'let the app post in this channel, or choose another one',
  restricted_action_thread_only_channel: 'choose a channel that takes messages outside of threads',
  team_access_not_granted: 'grant the app access to this workspace',
  team_disabled: askAdmin,
  team_not_found: 'write the id of the channel, C…, instead of its name',
  token_expired: reinstall,
  token_revoked: reinstall,
  two_factor_setup_required: 'set up the second factor of the account that installed the app',
  user_removed_from_team: reinstall,
} as const satisfies Record<string, string>

/** The message is the trouble: its plain form may pass. */
const badMessageWords = new Set([
  'attachment_payload_limit_exceeded',
  'invalid_arg_name',
  'invalid_arguments',
  'invalid_array_arg',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_charset',
  'invalid_form_data',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'invalid_post_type',
  'markdown_text_conflict',
  'metadata_must_be_sent_from_app',
  'metadata_too_large',
  'missing_file_data',
  'missing_post_type',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'slack_connect_canvas_sharing_blocked',
  'slack_connect_file_link_sharing_blocked',
  'slack_connect_lists_sharing_blocked',
  'too_many_attachments',
  'too_many_contact_cards',
])

/** Slack's own trouble, which may have happened before or after the message was taken. */
const transientWords = new Set([
  'external_channel_migrating',
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
])

const throttledWords = new Set(['rate_limited', 'ratelimited'])

/** The thread cannot be replied to: what was to be said there is said in the channel. */
const lostThreadWords = new Set([
  'cannot_reply_to_message',
  'invalid_thread_ts',
  'message_not_found',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
])

/** A workspace without a plan may take so many messages an hour. */
const workspaceLimitMs = 60_000

export function isLostThread(answer: SlackAnswer): boolean {
  return !answer.ok && lostThreadWords.has(answer.error ?? '')
}

/** What an answer of the Web API means: its status says little, its `error` most. */
export function readAnswer(outcome: PostOutcome, of: AnswerOf): SlackAnswer {
  const { host } = of
  const now = of.now()
  const body = outcome.kind === 'answer' ? readJsonObject(outcome.body) : null
  const isSuccess = outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 300
  if (isSuccess && body?.['ok'] === true) return { ok: true, body }
  const error = errorOf(body)
  const retryAfterMs = parseRetryAfter(outcome.kind === 'answer' ? outcome.retryAfter : null, now)
  const judgeBody = () =>
    error === null ? null : judgeError(error, `${host} answered ${error}${neededScope(body)}`, retryAfterMs)
  const judged = classifyHttp(outcome, {
    host,
    now,
    judgeSuccess: (text, where) => judgeBody() ?? judgeOther(text, where),
    judgeRefusal: ({ status }) => (status >= 500 || status === 429 ? null : judgeBody()),
  })
  // Nothing above acknowledges.
  if (judged.result === 'ack' || judged.result === 'partial')
    return { ok: false, error, failure: { result: 'suspicious', reason: `${host} gave no clear answer` } }
  return { ok: false, error, failure: judged }
}

function judgeOther(body: string, where: string): DeliveryResult {
  return { result: 'suspicious', reason: `${where}${describeBody(body)}, which is no answer of the Web API` }
}

function judgeError(error: string, where: string, retryAfterMs: number): Failure {
  if (throttledWords.has(error)) return { result: 'throttled', retryAfterMs, reason: where }
  if (error === 'message_limit_exceeded') {
    return { result: 'throttled', retryAfterMs: Math.max(retryAfterMs, workspaceLimitMs), reason: where }
  }
  if (transientWords.has(error)) return { result: 'transient', reason: where }
  if (badMessageWords.has(error)) return { result: 'bad_message', reason: where }
  if (isDeadWord(error)) return { result: 'dead', reason: `${where}: ${deadWords[error]}` }
  return { result: 'suspicious', reason: where }
}

function isDeadWord(error: string): error is keyof typeof deadWords {
  return Object.hasOwn(deadWords, error)
}

/** Slack's words are short; anything else is not repeated: it may hold what was sent. */
function errorOf(body: Readonly<Record<string, unknown>> | null): string | null {
  const error = body?.['ok'] === false ? body['error'] : null
  return typeof error === 'string' && /^[a-z][a-z0-9_]{1,63}$/.test(error) ? error : null
}

function neededScope(body: Readonly<Record<string, unknown>> | null): string {
  const needed = body?.['needed']
  return typeof needed === 'string' && /^[a-z][a-z0-9:.,_-]{1,100}$/.test(needed) ? ` (${needed})` : ''
}
