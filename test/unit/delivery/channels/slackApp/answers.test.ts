import { describe, expect, test } from 'vitest'
import { isLostThread, readAnswer } from '../../../../../src/delivery/channels/slackApp/answers.ts'
import type { PostOutcome } from '../../../../../src/delivery/channels/postOnce.ts'

const of = { host: 'slack.com', now: () => 0 }
const answer = (status: number, body: unknown, retryAfter: string | null = null): PostOutcome => ({
  kind: 'answer',
  status,
  retryAfter,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

function resultOf(outcome: PostOutcome): string {
  const read = readAnswer(outcome, of)
  return read.ok ? 'ok' : read.failure.result
}

// The words of Slack's own tables for chat.postMessage and chat.update, those of every method included. What is not in
// here is about arguments that are never sent: drafts, files, streams, other people's messages.
const table = {
  dead: [
    'access_denied',
    'accesslimited',
    'account_inactive',
    'as_user_not_supported',
    'channel_not_found',
    'deprecated_endpoint',
    'ekm_access_denied',
    'enterprise_is_restricted',
    'invalid_auth',
    'is_archived',
    'is_inactive',
    'messages_tab_disabled',
    'method_deprecated',
    'missing_scope',
    'no_permission',
    'not_allowed_token_type',
    'not_authed',
    'not_in_channel',
    'org_login_required',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'team_access_not_granted',
    'team_not_found',
    'token_expired',
    'token_revoked',
    'two_factor_setup_required',
  ],
  bad_message: [
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
  ],
  transient: [
    'external_channel_migrating',
    'fatal_error',
    'internal_error',
    'request_timeout',
    'service_unavailable',
    'team_added_to_org',
  ],
  throttled: ['message_limit_exceeded', 'rate_limited', 'ratelimited'],
  suspicious: [
    'cannot_reply_to_message',
    'duplicate_channel_not_found',
    'duplicate_message_not_found',
    'message_not_found',
    'restricted_action_non_threadable_channel',
    'restricted_action_thread_locked',
    'something_else',
    'update_failed',
  ],
} as const

describe.each(Object.entries(table))('%s', (result, words) => {
  test.each(words.flatMap((word) => [[word, 200] as const, [word, 400] as const]))(
    '%s with %i',
    (error, status) => {
      expect(resultOf(answer(status, { ok: false, error }))).toBe(result)
    },
  )
})

test.each(table.dead)('%s says what to do about it', (error) => {
  const read = readAnswer(answer(200, { ok: false, error }), of)
  expect(!read.ok && read.failure.reason).toMatch(new RegExp(`^slack.com answered ${error}: \\S.{10,}$`))
})

test.each([
  'cannot_reply_to_message',
  'invalid_thread_ts',
  'message_not_found',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
])('%s means that the thread takes nothing', (error) => {
  expect(isLostThread(readAnswer(answer(200, { ok: false, error }), of))).toBe(true)
})

test.each([
  { title: 'yes', outcome: answer(200, { ok: true, ts: '1.1' }), result: 'ok' },
  { title: 'a yes with another status', outcome: answer(500, { ok: true }), result: 'transient' },
  { title: 'an HTML page', outcome: answer(200, '<html></html>'), result: 'suspicious' },
  { title: 'nothing', outcome: answer(200, ''), result: 'suspicious' },
  { title: 'a list', outcome: answer(200, '[]'), result: 'suspicious' },
  { title: 'neither yes nor no', outcome: answer(200, { ok: 'true' }), result: 'suspicious' },
  { title: 'a no without a word', outcome: answer(200, { ok: false }), result: 'suspicious' },
  {
    title: 'a word that is none',
    outcome: answer(200, { ok: false, error: 'xoxb-1 was wrong' }),
    result: 'suspicious',
  },
  { title: 'a redirect', outcome: answer(302, ''), result: 'dead' },
  { title: '403 without a word', outcome: answer(403, '<html>'), result: 'dead' },
  { title: '429', outcome: answer(429, { ok: false, error: 'ratelimited' }), result: 'throttled' },
  { title: '500', outcome: answer(500, { ok: false, error: 'invalid_auth' }), result: 'transient' },
  { title: '503', outcome: answer(503, ''), result: 'transient' },
  {
    title: 'a body that broke off',
    outcome: { kind: 'answer', status: 200, retryAfter: null, body: null } as const,
    result: 'transient',
  },
  {
    title: 'no answer',
    outcome: { kind: 'failed', cause: 'timeout', code: 'TIMEOUT' } as const,
    result: 'transient',
  },
  {
    title: 'no trust',
    outcome: { kind: 'failed', cause: 'tls', code: 'CERT_HAS_EXPIRED' } as const,
    result: 'dead',
  },
])('$title: $result', ({ outcome, result }) => {
  expect(resultOf(outcome)).toBe(result)
})

test.each([
  { error: 'ratelimited', retryAfter: '30', expected: 30_000 },
  { error: 'ratelimited', retryAfter: null, expected: 1_000 },
  { error: 'message_limit_exceeded', retryAfter: null, expected: 60_000 },
])('$error with Retry-After $retryAfter waits $expected ms', ({ error, retryAfter, expected }) => {
  const read = readAnswer(answer(200, { ok: false, error }, retryAfter), of)
  expect(!read.ok && read.failure).toMatchObject({ result: 'throttled', retryAfterMs: expected })
})

test('the scope that is needed is named, and nothing else of the answer', () => {
  const read = readAnswer(
    answer(200, { ok: false, error: 'missing_scope', needed: 'chat:write', url: 'x' }),
    of,
  )
  expect(!read.ok && read.failure.reason).toBe(
    "slack.com answered missing_scope (chat:write): add the scope to the app's bot token and install it again",
  )
})
