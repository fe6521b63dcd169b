import { parseAbiItem } from 'viem'
import { expect, test } from 'vitest'
import type { LimitFact } from '../../../../src/checks/limits/facts.ts'
import { type LimitReadings, type LimitSetting, pollLimits } from '../../../../src/checks/limits/poll.ts'
import { limitUsed } from '../../../../src/checks/limits/used.ts'
import type { Rpc } from '../../../../src/clients/rpc/createRpc.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { toFacts } from '../../rules/facts.ts'

const contract = `0x${'c1'.repeat(20)}`
const token = `0x${'cc'.repeat(20)}`
const word = (value: bigint) => value.toString(16).padStart(64, '0')
const usedToday = parseAbiItem('function usedToday(address token) view returns (uint256, bool)')
const limitOf = parseAbiItem('function dailyLimit() view returns (uint64)')

const setting: LimitSetting = {
  name: 'withdrawals today',
  address: contract,
  call: usedToday,
  args: [token],
  max: { call: limitOf, args: [] },
  decimals: 2,
}

/** A node whose contract answers each call, told what it was asked. */
function fakeRpc(answer: (data: string) => string) {
  const asked: unknown[] = []
  const call = async (method: string, params: readonly unknown[]) => {
    if (method === 'eth_blockNumber') return 77
    asked.push(params)
    const [{ data }] = params as [{ data: string }]
    return answer(data)
  }
  return { asked, rpc: { call } as unknown as Pick<Rpc, 'call'> }
}

const clock = { now: () => 5_000 }
const { signal } = new AbortController()

test('what is used and what the limit is are asked of the contract, at one block', async () => {
  const readings: LimitReadings = new Map()
  const { asked, rpc } = fakeRpc((data) =>
    data.length > 10 ? `0x${word(80n)}${word(1n)}` : `0x${word(100n)}`,
  )
  await pollLimits({ rpc, clock, limits: [setting], readings, isCanonical: true }, signal)
  expect(readings.get(0)).toEqual({ used: 80n, max: 100n, height: 77, at: 5_000 })
  expect(asked).toEqual([
    [{ to: contract, data: expect.stringMatching(new RegExp(`${token.slice(2)}$`)) as string }, 77],
    [{ to: contract, data: expect.stringMatching(/^0x[0-9a-f]{8}$/) as string }, 77],
  ])
})

test('a node that preconfirms is asked for its newest block: it need not answer for one by its height', async () => {
  const readings: LimitReadings = new Map()
  const asked: unknown[] = []
  const call = async (method: string, params: readonly unknown[]) => {
    asked.push(method === 'eth_call' ? params[1] : params)
    if (method === 'eth_blockNumber') return 77
    if (typeof params[1] === 'number') throw new MonitorError('source.unreachable', 'header not found')
    return `0x${word(7n)}${word(1n)}`
  }
  const rpc = { call } as unknown as Pick<Rpc, 'call'>
  const limits = [{ ...setting, max: 70n }]
  await pollLimits({ rpc, clock, limits, readings, isCanonical: false }, signal)
  expect(readings.get(0)).toEqual({ used: 7n, max: 70n, height: 77, at: 5_000 })
  expect(asked).toEqual([['latest'], 'latest'])
})

test('one that answers nothing is named, keeps what was read of it, and holds up no other', async () => {
  const old = { used: 1n, max: 2n, height: 3, at: 4 }
  const readings: LimitReadings = new Map([[0, old]])
  const { rpc } = fakeRpc((data) => (data.length > 10 ? '0x' : `0x${word(7n)}`))
  const other = { ...setting, name: 'other', call: limitOf, args: [], max: 70n }
  await expect(
    pollLimits({ rpc, clock, limits: [setting, other], readings, isCanonical: true }, signal),
  ).rejects.toThrow(`withdrawals today: usedToday of ${contract} answered 0x, expected an unsigned number`)
  expect(readings.get(0)).toBe(old)
  expect(readings.get(1)).toMatchObject({ used: 7n, max: 70n })
})

const judge = (read: LimitFact['read'], above = 0.8, now = 900_000) => {
  const limits = [{ name: 'today', contract, decimals: 0, read }]
  return limitUsed.judge(toFacts(now, { limits }), { above, stale: 900_000 })
}
const readOf = (used: bigint, max: bigint) => ({ used, max, height: 1, at: 0 })

test('a limit that is used to the share is told', () => {
  expect(judge(readOf(800n, 1_000n)).findings).toMatchObject([
    { subject: `${contract}|today`, facts: { used: '800', max: '1000', percent: 80 } },
  ])
  expect(judge(readOf(799n, 1_000n))).toMatchObject({ findings: [], unknown: [] })
})

test('a limit of nothing lets nothing pass', () => {
  expect(judge(readOf(0n, 0n)).findings).toHaveLength(1)
})

test('of one that was not read for a while nothing is known', () => {
  expect(judge(readOf(800n, 1_000n), 0.8, 900_001)).toMatchObject({
    findings: [],
    unknown: [`${contract}|today`],
  })
  expect(judge(null)).toMatchObject({ findings: [], unknown: [`${contract}|today`] })
})
