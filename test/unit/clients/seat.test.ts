import { expect, test } from 'vitest'
import { createSeat } from '../../../src/clients/seat.ts'
import { joinRpcs } from '../../../src/clients/rpc/rpcSeat.ts'
import type { Rpc, RpcCall } from '../../../src/clients/rpc/createRpc.ts'
import { toRpcError } from '../../../src/clients/rpc/rpcErrors.ts'
import type { Explorer } from '../../../src/clients/explorer/createExplorer.ts'
import { addressInternals } from '../../../src/clients/explorer/endpoints/internalTransactions.ts'
import { joinExplorers } from '../../../src/clients/explorer/explorerSeat.ts'
import { readAll } from '../../../src/clients/explorer/readAll.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const away = () => new MonitorError('source.unreachable', 'away')

/** Sources that answer with their name while they are up. */
function setUp(names: readonly string[]) {
  const clock = createSteppedClock()
  const up = new Map(names.map((name) => [name, true]))
  const asked: string[] = []
  const members = names.map((name) => ({
    name,
    client: async () => {
      asked.push(name)
      if (up.get(name)) return name
      throw away()
    },
  }))
  const seat = createSeat(members as [(typeof members)[number]], clock)
  return { clock, up, asked, seat, ask: () => seat.ask((client) => client()) }
}

test('a source that fails is replaced within the same question, and its place is kept by whoever took it', async () => {
  const { up, asked, ask } = setUp(['a', 'b'])
  up.set('a', false)
  expect(await ask()).toBe('b')
  up.set('a', true)
  expect(await ask()).toBe('b')
  expect(asked).toEqual(['a', 'b', 'b'])
})

test('one that rests is asked last, and first again when the others fail after its rest', async () => {
  const { clock, up, asked, ask } = setUp(['a', 'b', 'c'])
  up.set('a', false)
  await ask()
  up.set('b', false)
  asked.length = 0
  expect(await ask()).toBe('c')
  // A rests still: it is not asked before c.
  expect(asked).toEqual(['b', 'c'])
  await clock.advance(31_000)
  up.set('a', true)
  up.set('c', false)
  asked.length = 0
  expect(await ask()).toBe('a')
  expect(asked).toEqual(['c', 'a'])
})

test('when all had failed, whoever answers first again takes the place of one that rests', async () => {
  const { clock, up, asked, ask } = setUp(['a', 'b'])
  // Both went several times: they rest for minutes.
  for (let turn = 0; turn < 6; turn += 1) {
    for (const name of ['a', 'b']) up.set(name, false)
    await expect(ask()).rejects.toThrow('away')
    await clock.advance(700_000)
  }
  await expect(ask()).rejects.toThrow('away')
  up.set('a', true)
  expect(await ask()).toBe('a')
  asked.length = 0
  for (let turn = 0; turn < 5; turn += 1) expect(await ask()).toBe('a')
  expect(asked).toEqual(['a', 'a', 'a', 'a', 'a'])
})

test('a source that comes and goes costs ever fewer questions', async () => {
  const { clock, up, asked, ask } = setUp(['a', 'b'])
  up.set('a', false)
  for (let minute = 0; minute < 60; minute += 1) {
    await ask()
    await clock.advance(60_000)
  }
  expect(asked.filter((name) => name === 'a')).toHaveLength(1)
})

test('when none answers the first one’s own words are thrown, and each was asked', async () => {
  const { up, asked, ask } = setUp(['a', 'b'])
  up.set('a', false)
  up.set('b', false)
  await expect(ask()).rejects.toThrow('away')
  expect(asked).toEqual(['a', 'b'])
})

test('what a source answers of the question itself is its answer: nobody else is asked', async () => {
  const { seat, asked } = setUp(['a', 'b'])
  const refused = seat.ask(async () => {
    throw new MonitorError('source.refused', 'reverted', { details: { rpcCode: 3 } })
  })
  await expect(refused).rejects.toThrow('reverted')
  expect(asked).toEqual([])
})

type Node = Pick<Rpc, 'call' | 'callMany'>

function joinNodes(...nodes: Node[]): Rpc {
  const members = nodes.map((client, at) => ({ name: `n${at}`, client: client as Rpc }))
  return joinRpcs(createSeat(members as [(typeof members)[number]], createSteppedClock()))
}

const node = (height: number, knows: (hash: unknown) => boolean): Node => ({
  call: async () => height as never,
  callMany: async (calls) =>
    calls.map(({ params: [hash] }) =>
      knows(hash) ? ({ ok: true, value: height } as never) : { ok: false, error: away() },
    ),
})

test('of many questions those that one node did not answer are put to the next', async () => {
  const joined = joinNodes(
    node(1, (hash) => hash === 'x'),
    node(2, () => true),
  )
  const calls = ['x', 'y'].map((hash) => ({
    method: 'eth_getTransactionReceipt' as const,
    params: [hash] as [string],
  }))
  expect(await joined.callMany(calls)).toEqual([
    { ok: true, value: 1 },
    { ok: true, value: 2 },
  ])
})

test('in a session one node answers all: a head of one says nothing of what another knows', async () => {
  const calls: string[] = []
  const failing = (name: string, fails: () => boolean): Node => ({
    call: async () => {
      calls.push(name)
      if (fails()) throw away()
      return name as never
    },
    callMany: async () => [],
  })
  let isDown = false
  const joined = joinNodes(
    failing('a', () => isDown),
    failing('b', () => false),
  )
  const session = joined.session()
  await session.call('eth_blockNumber', [])
  isDown = true
  await expect(session.call('eth_blockNumber', [])).rejects.toThrow('away')
  expect(calls).toEqual(['a', 'a'])
  expect(await joined.session().call('eth_blockNumber', [])).toBe('b')
})

test('in a session that begins with several questions one node answers those and all that follow', async () => {
  const failing = new Set<string>()
  const nodeOf = (name: string) =>
    ({
      callMany: (calls: readonly { method: string }[]) =>
        Promise.resolve(
          calls.map(({ method }) =>
            failing.has(`${name} ${method}`) ? { ok: false, error: away() } : { ok: true, value: name },
          ),
        ),
    }) as unknown as Rpc
  const members = ['a', 'b'].map((name) => ({ name, client: nodeOf(name) }))
  const joined = joinRpcs(createSeat(members as [(typeof members)[number]], createSteppedClock()))
  const calls: RpcCall[] = [
    { method: 'eth_blockNumber', params: ['latest'] },
    { method: 'eth_call', params: [{}, 'latest'] },
  ]
  const ask = async (rpc: Rpc) =>
    (await rpc.callMany(calls)).map((outcome) => (outcome.ok ? outcome.value : null))
  failing.add('a eth_call')
  // What one of them holds at the height of another is no balance of either.
  expect(await ask(joined.session())).toEqual(['a', null])
  failing.add('a eth_blockNumber')
  const session = joined.session()
  expect(await ask(session)).toEqual(['b', 'b'])
  failing.clear()
  expect(await ask(session)).toEqual(['b', 'b'])
})

test('a node that does not have a method leaves the question to one that has it', async () => {
  const lacking = (code: number): Node => {
    const error = toRpcError({ code, message: 'the method does not exist' }, 'eth_getBlockReceipts at a')
    return {
      call: async () => {
        throw error
      },
      callMany: async (calls) => calls.map(() => ({ ok: false, error })),
    }
  }
  for (const code of [-32601, -32004]) {
    const joined = joinNodes(
      lacking(code),
      node(2, () => true),
    )
    const question = { method: 'eth_getBlockReceipts' as const, params: ['pending'] as ['pending'] }
    expect(await joined.call(question.method, question.params)).toBe(2)
    expect(await joined.callMany([question])).toEqual([{ ok: true, value: 2 }])
  }
})

test('a list whose first source breaks off is read from the other alone: no row of it counts twice', async () => {
  const row = (hash: string) => ({ hash }) as never
  const answer = {
    records: [],
    quarantined: [{ raw: 'x', problem: '', path: '', isMisfit: false, index: 0 }],
  }
  const result = { complete: true, reasons: [], stopped: false, isUnjoined: false, pages: 1, rows: 2 }
  const explorer = (fails: boolean): Pick<Explorer, 'walk'> => ({
    async walk(_, __, how) {
      how.onBegin?.()
      await how.onPage?.(answer as never)
      await how.onNew?.([row('0x1'), ...(fails ? [] : [row('0x2')])], answer as never)
      if (fails) throw away()
      return result as never
    },
  })
  const members = [true, false].map((fails) => ({
    name: String(fails),
    client: explorer(fails) as Explorer,
  }))
  const clock = createSteppedClock()
  const seat = createSeat(members as [(typeof members)[number]], clock)
  const found: unknown[] = []
  const quarantined: never[] = []
  const read = await readAll(
    { explorer: joinExplorers(seat), clock },
    addressInternals,
    { address: '0xb1' },
    { priority: 'evidence', onRecords: (records) => void found.push(...records), quarantined },
  )
  expect(read).toMatchObject({ complete: true, records: 2 })
  expect(found).toEqual([{ hash: '0x1' }, { hash: '0x2' }])
  expect(quarantined).toHaveLength(1)
})
