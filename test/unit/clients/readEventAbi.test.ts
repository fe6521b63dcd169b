import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'
import { decodeArguments, listEvents } from '../../../src/clients/readEventAbi.ts'

const abi = parseAbi([
  'struct Order { bytes memo; address to; uint256 amount; bytes32 remote }',
  'event Paid(bytes32 indexed origin, Order[] orders, string note)',
  'function pay()',
])
const origin = `0x${'5c'.repeat(32)}` as const
const to = `0x${'a7'.repeat(20)}` as const
const remote = `0x${'0'.repeat(24)}${'b8'.repeat(20)}` as const
const log = {
  topics: encodeEventTopics({ abi, eventName: 'Paid', args: { origin } }).map(String),
  data: encodeAbiParameters(
    abi[0].inputs.filter((input) => !('indexed' in input)),
    [[{ memo: '0x0102', to, amount: 5n, remote }], 'thanks'],
  ),
}

test('only events that name themselves are taken from an ABI, by their first topic', () => {
  const quiet = { type: 'event', name: 'Quiet', inputs: [], anonymous: true }
  expect(listEvents(JSON.stringify([quiet, ...abi]))).toEqual([
    { topic: log.topics[0], event: JSON.stringify(abi[0]) },
  ])
})

test('an event is read by the names of its ABI, lists and structs included', () => {
  const [declared] = listEvents(JSON.stringify(abi))
  expect(decodeArguments(declared?.event ?? '', log)).toEqual({
    origin: '5c'.repeat(32),
    'orders.0.to': 'a7'.repeat(20),
    'orders.0.amount': '5'.padStart(64, '0'),
    'orders.0.remote': remote.slice(2),
    'orders.0.remote>': 'b8'.repeat(20),
  })
})

test.each([
  ['an ABI that is no JSON', 'contract source'],
  ['one that is no list', '{"type":"event"}'],
  [
    'one with a type that nobody knows',
    '[{"type":"event","name":"X","inputs":[{"type":"uint999","name":"a"}]}]',
  ],
  ['one with inputs that are none', '[{"type":"event","name":"X","inputs":[7,null]}]'],
  ['an empty one', ''],
])('%s declares nothing that can be read', (_, text) => {
  for (const { event } of listEvents(text)) expect(decodeArguments(event, log)).toBeNull()
})

test('an event that does not fit its ABI says nothing', () => {
  const [declared] = listEvents(JSON.stringify(abi))
  expect(decodeArguments(declared?.event ?? '', { ...log, data: log.data.slice(0, 80) })).toBeNull()
  expect(decodeArguments(declared?.event ?? '', { ...log, topics: [] })).toBeNull()
})
