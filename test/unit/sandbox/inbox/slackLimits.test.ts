import { expect, test } from 'vitest'
import { checkSlackPayload } from '../../../../src/sandbox/inbox/slackInbox.ts'

const plain = (length: number) => ({ type: 'plain_text', text: 'x'.repeat(length) })
const markdown = (length: number) => ({ type: 'mrkdwn', text: 'x'.repeat(length), verbatim: true })
const section = (length: number) => ({ type: 'section', text: plain(length) })
const list = <T>(count: number, one: T) => Array.from({ length: count }, () => one)
const check = (payload: unknown) => checkSlackPayload(JSON.stringify(payload))?.body ?? 'fine'

test.each([
  ['text alone', { text: 'x' }, 'fine'],
  ['an empty text', { text: ' ' }, 'no_text'],
  ['nothing', {}, 'no_text'],
  ['a list', [], 'invalid_payload'],
  ['a text that is a number', { text: 1 }, 'invalid_payload'],
  ['40,000 characters of text', { text: 'x'.repeat(40_000) }, 'fine'],
  ['one more', { text: 'x'.repeat(40_001) }, 'msg_too_long'],
  ['50 blocks', { blocks: list(50, { type: 'divider' }) }, 'fine'],
  ['51 blocks', { blocks: list(51, { type: 'divider' }) }, 'invalid_blocks'],
  ['a section of 3,000', { blocks: [section(3_000)] }, 'fine'],
  ['a section of 3,001', { blocks: [section(3_001)] }, 'invalid_blocks'],
  ['an empty section', { blocks: [section(0)] }, 'invalid_blocks'],
  ['a header of 150', { blocks: [{ type: 'header', text: plain(150) }] }, 'fine'],
  ['a header of 151', { blocks: [{ type: 'header', text: plain(151) }] }, 'invalid_blocks'],
  ['a header of markdown', { blocks: [{ type: 'header', text: markdown(1) }] }, 'invalid_blocks'],
  ['fields of 2,000', { blocks: [{ type: 'section', fields: list(6, markdown(2_000)) }] }, 'fine'],
  ['a field of 2,001', { blocks: [{ type: 'section', fields: [markdown(2_001)] }] }, 'invalid_blocks'],
  ['11 fields', { blocks: [{ type: 'section', fields: list(11, markdown(1)) }] }, 'invalid_blocks'],
  [
    'verbatim plain text',
    { blocks: [{ type: 'section', text: { ...plain(1), verbatim: true } }] },
    'invalid_blocks',
  ],
  ['an unknown block', { blocks: [{ type: 'poem' }] }, 'invalid_blocks'],
  ['13,200 characters in blocks', { blocks: [...list(4, section(3_000)), section(1_200)] }, 'fine'],
  [
    '13,201 characters in blocks',
    { blocks: [...list(4, section(3_000)), section(1_201)] },
    'msg_blocks_too_long',
  ],
])('%s is answered as Slack does', (_title, payload, expected) => {
  expect(check(payload)).toBe(expected)
})

test('a body that is not JSON is an invalid payload', () => {
  expect(checkSlackPayload('payload=%7B%7D')).toEqual({ status: 400, body: 'invalid_payload' })
})
