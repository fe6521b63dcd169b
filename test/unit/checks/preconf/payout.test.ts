import { describe, expect, test } from 'vitest'
import { readNames, readPayouts, type SeenLog } from '../../../../src/checks/preconf/payout.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const word = (value: bigint) => value.toString(16).padStart(64, '0')
const topic = (text: string) => `0x${text.slice(2).padStart(64, '0')}`
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const singleTopic = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'

const [token, escrow, vault, bridge, user, other] = ['1', '2', '3', '4', '5', '6'].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const escrows = new Set([escrow, vault])

const moved = (from: string, to: string, raw: bigint): SeenLog => ({
  address: token,
  topics: [transferTopic, topic(from), topic(to)],
  data: `0x${word(raw)}`,
})
const movedId = (from: string, to: string, id: bigint, raw: bigint): SeenLog => ({
  address: token,
  topics: [singleTopic, topic(other), topic(from), topic(to)],
  data: `0x${word(id)}${word(raw)}`,
})

describe('what leaves the escrows', () => {
  test('a transfer out of an escrow is a payout, whoever emits around it', () => {
    const logs = [moved(escrow, user, 5n), { address: bridge, topics: [topic('0x7')], data: '0x' }]
    expect(readPayouts(logs, escrows)).toEqual([
      { token, tokenId: '', net: 5n, outs: [{ to: user, raw: 5n }], escrow },
    ])
  })

  test('from one escrow to another nothing has left', () => {
    expect(readPayouts([moved(escrow, vault, 5n)], escrows)).toEqual([])
  })

  test('a deposit is none, nor one that goes on into a vault, nor change that comes back', () => {
    expect(readPayouts([moved(user, escrow, 5n)], escrows)).toEqual([])
    expect(readPayouts([moved(user, escrow, 5n), moved(escrow, other, 5n)], escrows)).toEqual([])
    expect(readPayouts([moved(user, escrow, 5n), moved(escrow, user, 2n)], escrows)).toEqual([])
  })

  test('of a token of which a movement cannot be read nothing is said, and of others all the same', () => {
    const unread = { ...moved(user, escrow, 5n), data: '0x' }
    const ofOther = { ...moved(escrow, user, 3n), address: other }
    expect(readPayouts([moved(escrow, user, 5n), unread, ofOther], escrows)).toMatchObject([
      { token: other, net: 3n },
    ])
  })

  test('who takes out more than they paid in has the difference', () => {
    const logs = [moved(user, escrow, 5n), moved(escrow, user, 7n)]
    expect(readPayouts(logs, escrows)).toMatchObject([{ net: 2n, outs: [{ to: user, raw: 2n }] }])
  })

  test('each id is a payout of its own; transfers of nothing are none', () => {
    const logs = [movedId(escrow, user, 7n, 2n), movedId(escrow, user, 8n, 0n), movedId(vault, other, 9n, 1n)]
    expect(readPayouts(logs, escrows)).toMatchObject([
      { tokenId: '7', net: 2n, escrow },
      { tokenId: '9', net: 1n, escrow: vault },
    ])
  })
})

describe('what the events of the bridge may name', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const inData = `0x${'cd'.repeat(32)}`

  test('hashes in topics and data; no address, no amount, no first topic, no other contract', () => {
    const logs = [
      { address: bridge, topics: [transferTopic, hash, topic(user)], data: `${inData}${word(10n ** 30n)}` },
      { address: token, topics: [transferTopic, `0x${'ef'.repeat(32)}`], data: '0x' },
    ]
    expect(readNames(logs, new Set([bridge]))).toEqual([hash, inData])
  })

  test('of one transaction at most 57, however long its events are', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => word(2n ** 255n + BigInt(at))).join('')
    expect(readNames([{ address: bridge, topics: [], data: `0x${many}` }], new Set([bridge]))).toHaveLength(
      57,
    )
  })
})
