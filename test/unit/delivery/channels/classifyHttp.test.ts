import { describe, expect, test } from 'vitest'
import { classifyHttp } from '../../../../src/delivery/channels/classifyHttp.ts'
import type { PostOutcome } from '../../../../src/delivery/channels/postOnce.ts'
import { isTlsCode } from '../../../../src/lib/isTlsCode.ts'

const options = { host: 'hooks.example.com', now: 0, judgeSuccess: () => ({ result: 'ack' }) as const }
const answer = (status: number, body: string | null = '', retryAfter: string | null = null): PostOutcome => ({
  kind: 'answer',
  status,
  body,
  retryAfter,
})

test.each([
  [200, '', 'ack'],
  [204, '', 'ack'],
  [299, '', 'ack'],
  [301, '', 'dead'],
  [302, '', 'dead'],
  [307, '', 'dead'],
  [308, '', 'dead'],
  [400, 'invalid_payload', 'bad_message'],
  [400, 'invalid_blocks', 'bad_message'],
  [400, 'no_text', 'bad_message'],
  [400, 'msg_blocks_too_long', 'bad_message'],
  [400, 'no_team', 'dead'],
  [400, '<html>', 'bad_message'],
  [413, '', 'bad_message'],
  [401, '', 'dead'],
  [403, 'action_prohibited', 'dead'],
  [403, 'invalid_token', 'dead'],
  [404, 'channel_not_found', 'dead'],
  [404, 'no_service', 'dead'],
  [404, '<html>', 'dead'],
  [410, 'channel_is_archived', 'dead'],
  [408, '', 'transient'],
  [429, '', 'throttled'],
  [500, '', 'transient'],
  [502, '', 'transient'],
  [503, '', 'transient'],
  [504, '', 'transient'],
])('status %i with body %j is %s', (status, body, expected) => {
  expect(classifyHttp(answer(status, body), options).result).toBe(expected)
})

test('a throttled answer says how long to wait', () => {
  expect(classifyHttp(answer(429, 'rate_limited', '7'), options)).toEqual({
    result: 'throttled',
    retryAfterMs: 7_000,
    reason: 'hooks.example.com answered 429 rate_limited',
  })
})

describe('without an answer', () => {
  test.each([
    { cause: 'tls', code: 'CERT_HAS_EXPIRED', expected: 'dead' },
    { cause: 'network', code: 'ECONNRESET', expected: 'transient' },
    { cause: 'network', code: 'ENOTFOUND', expected: 'transient' },
    { cause: 'timeout', code: 'TIMEOUT', expected: 'transient' },
    { cause: 'stopped', code: 'ABORTED', expected: 'transient' },
  ] as const)('$cause ($code) is $expected', ({ cause, code, expected }) => {
    expect(classifyHttp({ kind: 'failed', cause, code }, options).result).toBe(expected)
  })
})

test('nothing is sent before TLS stands, so that it is tried again soon', () => {
  const tls = classifyHttp({ kind: 'failed', cause: 'tls', code: 'CERT_HAS_EXPIRED' }, options)
  expect(tls).toMatchObject({ result: 'dead', probeAfterMs: 60_000 })
})

test.each([
  ['no_service', ' no_service'],
  ['', ' with an empty body'],
  ['<!DOCTYPE html><p>POST /services/T0/B0/key failed', ' with an HTML page of 49 characters'],
  ['no route for /services/T0/B0/key', ' with a body of 32 characters'],
  [null, ' with a body that could not be read'],
])('the reason says of body %j only%s', (body, expected) => {
  expect(classifyHttp(answer(404, body), options)).toEqual({
    result: 'dead',
    reason: `hooks.example.com answered 404${expected}`,
  })
})

test.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'EPROTO',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('%s is a matter of TLS', (code) => {
  expect(isTlsCode(code)).toBe(true)
})

test.each(['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'UNKNOWN'])(
  '%s is not a matter of TLS',
  (code) => {
    expect(isTlsCode(code)).toBe(false)
  },
)
