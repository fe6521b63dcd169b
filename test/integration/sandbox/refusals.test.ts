import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startAt, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

const hash = (count: number) =>
  Array.from({ length: count }, (_, at) => `0x${String(at).padStart(64, '0')}`).join(',')

describe('parameters that are refused', () => {
  test.each([
    { path: 'cross/transaction-multi', query: {}, status: 400, code: '50014' },
    { path: 'cross/transaction-multi', query: { txId: '' }, status: 400, code: '50014' },
    { path: 'cross/transaction-multi', query: { txId: hash(21) }, status: 200, code: '50025' },
    { path: 'cross/transaction-multi', query: { txId: hash(20) }, status: 200, code: '0' },
    { path: 'transaction/transaction-multi', query: { txId: hash(21) }, status: 200, code: '50025' },
    { path: 'transaction/transaction-fills', query: { txid: '0x12' }, status: 400, code: '50036' },
    { path: 'cross/transaction-list', query: { page: '0' }, status: 400, code: '50036' },
    { path: 'cross/transaction-list', query: { limit: 'ten' }, status: 400, code: '50036' },
    { path: 'cross/transaction-list', query: { address: 'me' }, status: 400, code: '50036' },
    { path: 'cross/transaction-list', query: { chainShortName: '' }, status: 400, code: '50014' },
    { path: 'cross/transaction-list', query: { chainShortName: 'OTHER' }, status: 400, code: '50016' },
    { path: 'block/block-list', query: { height: '-1' }, status: 400, code: '50036' },
  ])('$path with $query: HTTP $status and $code', async ({ path, query, status, code }) => {
    await using world = await startStepped()
    expect(await world.zone(path, query)).toMatchObject({ status, code })
  })

  test('a block beyond the head is HTTP 200 and 50040, the head itself is there', async () => {
    await using world = await startStepped()
    const head = 5_000_000 + 7_200
    const there = await world.main('block/block-fills', { height: String(head) })
    const beyond = await world.main('block/block-fills', { height: String(head + 1) })
    expect(there).toMatchObject({ status: 200, code: '0' })
    expect(beyond).toEqual({ status: 200, code: '50040', msg: 'No data for this block height', data: [] })
  })
})

describe('signed requests', () => {
  const auth = { key: 'the-key', secret: 'the-secret', passphrase: 'the-phrase' }
  const path = '/api/v5/chain/zone/cross/transaction-list'
  const ask = (
    world: SteppedSandbox,
    change: Record<string, string | undefined>,
    at = startAt,
    secret = auth.secret,
  ) => {
    const timestamp = new Date(at).toISOString()
    const sign = createHmac('sha256', secret)
      .update(`${timestamp}GET${path}?chainShortName=ZONE_CHAIN`)
      .digest('base64')
    const headers = {
      'SVC-ACCESS-KEY': auth.key,
      'SVC-ACCESS-SIGN': sign,
      'SVC-ACCESS-PASSPHRASE': auth.passphrase,
      'SVC-ACCESS-TIMESTAMP': timestamp,
      ...change,
    }
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return world.get(path, { chainShortName: 'ZONE_CHAIN' }, Object.fromEntries(given))
  }

  test('a right signature is let in, 30 s of clock difference included', async () => {
    await using world = await startStepped('name: test', { auth })
    const answers = [await ask(world, {}), await ask(world, {}, startAt - 30_000)]
    expect(answers.map((answer) => answer.code)).toEqual(['0', '0'])
  })

  test.each([
    { title: 'no key', change: { 'SVC-ACCESS-KEY': undefined }, code: '50103' },
    { title: 'no passphrase', change: { 'SVC-ACCESS-PASSPHRASE': undefined }, code: '50104' },
    { title: 'another passphrase', change: { 'SVC-ACCESS-PASSPHRASE': 'wrong' }, code: '50105' },
    { title: 'no signature', change: { 'SVC-ACCESS-SIGN': undefined }, code: '50106' },
    { title: 'no timestamp', change: { 'SVC-ACCESS-TIMESTAMP': undefined }, code: '50107' },
    { title: 'another key', change: { 'SVC-ACCESS-KEY': 'other' }, code: '50111' },
    {
      title: 'a timestamp without milliseconds',
      change: { 'SVC-ACCESS-TIMESTAMP': '2026-11-21T09:00:00Z' },
      code: '50112',
    },
    { title: 'another signature', change: { 'SVC-ACCESS-SIGN': 'AAAA' }, code: '50113' },
  ])('$title: HTTP 401 and $code', async ({ change, code }) => {
    await using world = await startStepped('name: test', { auth })
    expect(await ask(world, change)).toMatchObject({ status: 401, code, data: [] })
  })

  test('a clock more than 30 s off is 50102, a wrong secret 50113', async () => {
    await using world = await startStepped('name: test', { auth })
    const late = await ask(world, {}, startAt - 30_001)
    const wrong = await ask(world, {}, startAt, 'another-secret')
    expect([late.code, wrong.code]).toEqual(['50102', '50113'])
  })

  test('credentials without permission: HTTP 403 and 50030', async () => {
    await using world = await startStepped('name: test', { auth: { ...auth, forbidden: true } })
    expect(await ask(world, {})).toMatchObject({ status: 403, code: '50030' })
  })
})

test('another dialect changes paths, fields, directions and header names', async () => {
  const dialect = {
    path: { main: 'acme', zone: 'az' },
    field: { main: 'acme', zone: 'az' },
    direction: { main: 'Acme', zone: 'AZ' },
    headerPrefix: 'ACM',
    chains: { main: 'ACME', zone: 'AZ_CHAIN' },
  }
  await using world = await startStepped('name: test', { dialect })
  const { data } = await world.get('/api/v5/acme/az/cross/transaction-list', {
    chainShortName: 'AZ_CHAIN',
    limit: '100',
  })
  const records = data[0]?.data as Record<string, string>[]
  expect(new Set(records.map((record) => record.txType))).toEqual(new Set(['AcmeToAZ', 'AZToAcme']))
  expect(Object.keys(records[0] ?? {})).toEqual(
    expect.arrayContaining(['acmeTxHash', 'azTxHash', 'acmeBlockTime', 'azBlockHeight']),
  )
  expect(Object.keys(records[0] ?? {}).filter((key) => /^(main|zone)/.test(key))).toEqual([])
})
