import { expect, test } from 'vitest'
import { handed, topicOf } from '../../../../src/replicas/handOver/handed.ts'
import { withWay } from '../../../../src/replicas/handOver/takeCase.ts'

const alert = {
  fingerprint: 'a'.repeat(64),
  rule: 'failed',
  kind: 'transfer.failed',
  subject: 't1',
  transfer: { key: 't1', names: { id: '1', main: null, zone: null } },
}
const note = {
  kind: 'case',
  at: 1,
  do: 'note',
  text: 'so it is',
  members: [alert],
  turn: 1,
  money: {},
} as const

test.each([
  ['a case without alerts', { ...note, members: [] }],
  ['a fingerprint that is none', { ...note, members: [{ ...alert, fingerprint: "' OR 1" }] }],
  ['a text without end', { ...note, text: 'x'.repeat(5_001) }],
  ['a verb that nobody knows', { ...note, do: 'delete' }],
  ['more than there is', { ...note, more: true }],
  ['a time that is none', { ...note, at: -1 }],
])('%s is refused', (_, body) => {
  expect(handed.safeParse(body).success).toBe(false)
})

test('what is about the same case has its order, and what was told has none', () => {
  const [one, two] = [handed.parse(note), handed.parse({ ...note, do: 'ack', text: null })]
  expect(topicOf(one)).toBe(topicOf(two))
  const told = { kind: 'told', at: 1, alert, channel: 'ops', what: 'event', episode: 1, change: null }
  expect(topicOf(handed.parse({ ...told, said: null, turn: null, messageId: 'abc123' }))).toBeNull()
})

test('how something came here is said however long it is', () => {
  const said = withWay('x'.repeat(600), 'by way of node a', 500)
  expect(said.length).toBeLessThanOrEqual(500)
  expect(said).toMatch(/ \(by way of node a\)$/)
})
