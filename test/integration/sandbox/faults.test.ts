import { describe, expect, test } from 'vitest'
import { rowsOf, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

const quiet = '{ name: test, traffic: { transfersPerMinute: 0, emptyIds: 0 } }'
const listPath = '/api/v5/chain/zone/cross/transaction-list?chainShortName=ZONE_CHAIN'
const raw = (world: SteppedSandbox, signal?: AbortSignal) =>
  fetch(world.sandbox.url + listPath, signal ? { signal } : {})

describe('faults of the world', () => {
  test('a failed withdrawal shows 0x0 with one side, and why in E9', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({
      fault: 'transfer.failed',
      token: 'WETH',
      amountRaw: (2n ** 255n + 1n).toString(),
      errorMessage: 'no gas',
    })
    world.step(3_000)
    const [record] = await world.records()
    const [zone] = (await world.zone('transaction/transaction-multi', { txId: String(record?.zoneTxHash) }))
      .data
    expect(record).toMatchObject({ status: '0x0', mainTxHash: '', valueRaw: (2n ** 255n + 1n).toString() })
    expect(zone).toMatchObject({ status: '0x0', errorMessage: 'no gas' })
  })

  test('a deposit that fails on arrival shows both sides and why', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'transfer.failed', direction: 'MainToZone', legs: 'both' })
    world.step(30_000)
    const [record] = await world.records()
    const [zone] = (await world.zone('transaction/transaction-fills', { txid: String(record?.zoneTxHash) }))
      .data
    expect(record).toMatchObject({ status: '0x0', mainTxHash: expect.stringMatching(/^0x/) })
    expect(zone).toMatchObject({ status: '0x0', errorMessage: expect.stringContaining('reverted') })
  })

  test('a stalled transfer arrives when its time is over, not before', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'transfer.stalled', for: '10m' })
    world.step(599_000)
    const [before] = await world.records()
    world.step(4_000)
    const [after] = await world.records()
    expect([before?.mainTxHash, after?.mainTxHash?.length]).toEqual(['', 66])
  })

  test('a late record appears far behind the newest page', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const before = (await world.records()).map((record) => record.id)
    world.sandbox.inject({ fault: 'transfer.late', behind: '30m' })
    world.step(1_000)
    const after = (await world.records()).map((record) => record.id)
    const place = after.findIndex((id) => !before.includes(id))
    expect(place).toBeGreaterThan(20)
  })

  test('a completed record is written again as 0x0 with a newer updateTime', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const [before] = await world.records({ limit: '1' })
    world.sandbox.inject({ fault: 'record.rewritten' })
    const [after] = (await world.zone('cross/transaction-multi', { txId: String(before?.zoneTxHash) })).data
    expect(after).toMatchObject({
      status: '0x0',
      updateTime: String(world.sandbox.world.now),
      valueRaw: before?.valueRaw,
    })
  })

  test('a record rewritten in its updateTime alone keeps its status', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const [before] = await world.records({ limit: '1' })
    world.sandbox.inject({ fault: 'record.rewritten', updateTimeOnly: true })
    const [after] = (await world.zone('cross/transaction-multi', { txId: String(before?.zoneTxHash) })).data
    expect(after).toMatchObject({ status: '0x1', updateTime: String(world.sandbox.world.now) })
  })

  test('a vanished record is gone and comes back', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const [newest] = await world.records()
    world.sandbox.inject({ fault: 'transfer.vanished', for: '5m' })
    world.step(1_000)
    const [gone] = await world.records()
    world.step(300_000)
    const [back] = await world.records()
    expect(gone?.id).not.toBe(newest?.id)
    expect(back?.id).toBe(newest?.id)
  })

  test.each(['zone', 'main'] as const)('the %s head stands still, then catches up', async (chain) => {
    await using world = await startStepped(quiet)
    const head = async () => {
      if (chain === 'main') return (await world.main('block/block-fills', { height: '5007210' })).code
      return rowsOf(await world.zone('block/block-list', { limit: '1' }))[0]?.height
    }
    world.sandbox.inject({ fault: 'head.stall', chain, for: '20s' })
    const still = await head()
    world.step(19_000)
    expect(await head()).toBe(still)
    world.step(1_000)
    expect(await head()).not.toBe(still)
  })

  test('hostile token names arrive as they are', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'token.name', names: ['<!channel>', 'a\u0000b'] })
    world.step(3_000)
    const names = (await world.records({ limit: '2' })).map((record) => record.tokenName)
    expect(names.toSorted((a = '', b = '') => a.length - b.length)).toEqual(['a\u0000b', '<!channel>'])
  })
})

describe('faults of answers', () => {
  test.each([
    { fault: { fault: 'api.throttle', retryAfter: '7' }, status: 429, code: '50011' },
    { fault: { fault: 'api.throttle', code: '50013' }, status: 200, code: '50013' },
    { fault: { fault: 'api.error' }, status: 500, code: '50026' },
    { fault: { fault: 'api.error', code: '50001' }, status: 503, code: '50001' },
    { fault: { fault: 'api.unauthorized', code: '50113' }, status: 401, code: '50113' },
    { fault: { fault: 'api.unauthorized', code: '50030' }, status: 403, code: '50030' },
    { fault: { fault: 'api.disguised' }, status: 200, code: '0' },
  ])(
    '$fault: HTTP $status and $code with nothing in it, until it is over',
    async ({ fault, status, code }) => {
      await using world = await startStepped(quiet)
      world.sandbox.inject({ ...fault, for: '10s' })
      world.step(9_999)
      const during = await world.zone('cross/transaction-list')
      world.step(1)
      const after = await world.records()
      expect(during).toMatchObject({ status, code, data: [] })
      expect(after.length).toBeGreaterThan(0)
    },
  )

  test('a share of answers is disguised, the others are whole', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'api.disguised', share: 0.6 })
    const counts = await Promise.all(
      Array.from({ length: 100 }, () => world.records().then((records) => records.length)),
    )
    const empty = counts.filter((count) => count === 0).length
    expect(empty).toBeGreaterThan(40)
    expect(empty).toBeLessThan(80)
  })

  test('faults keep to the endpoints they name', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'api.error', endpoints: ['E5'] })
    const codes = [await world.zone('block/block-list'), await world.zone('cross/transaction-list')]
    expect(codes.map((answer) => answer.code)).toEqual(['50026', '0'])
  })

  test('a gateway page, truncated JSON and a body of any text', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'api.html', for: '1s' })
    const html = await raw(world)
    world.step(1_000)
    world.sandbox.inject({ fault: 'api.truncated', for: '1s' })
    const cut = await (await raw(world)).text()
    world.step(1_000)
    world.sandbox.inject({ fault: 'api.body', body: 'null' })
    expect([html.status, html.headers.get('content-type')]).toEqual([502, 'text/html'])
    expect(() => JSON.parse(cut) as unknown).toThrow()
    expect(await (await raw(world)).text()).toBe('null')
  })

  test.each([{ after: 'nothing' }, { after: 'headers' }])(
    'a reset after $after is an error of the connection',
    async ({ after }) => {
      await using world = await startStepped(quiet)
      world.sandbox.inject({ fault: 'api.reset', after })
      await expect(raw(world).then((response) => response.text())).rejects.toThrow()
    },
  )

  test.each([
    { fault: 'api.hang' },
    { fault: 'api.hang', after: 'headers' },
    { fault: 'api.slow' },
    { fault: 'api.drip' },
  ])('$fault $after gives no whole answer while time stands still', async (fault) => {
    await using world = await startStepped(quiet)
    world.sandbox.inject(fault)
    const signal = AbortSignal.timeout(40)
    await expect(raw(world, signal).then((response) => response.text())).rejects.toThrow()
  })

  test('a huge body is as long as told', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'api.huge', bytes: 1_000_000 })
    expect((await (await raw(world)).text()).length).toBeGreaterThan(1_000_000)
  })

  test.each([
    { how: 'number', check: (record: Record<string, unknown>) => typeof record.valueRaw === 'number' },
    { how: 'missing', check: (record: Record<string, unknown>) => !('valueRaw' in record) },
    { how: 'null', check: (record: Record<string, unknown>) => record.valueRaw === null },
    { how: 'extra', check: (record: Record<string, unknown>) => record.unannounced === 'yes' },
  ])('bad records ($how) come among whole ones', async ({ how, check }) => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'api.badRecord', how })
    const bad = (await world.records()).filter(check).length
    expect(bad).toBeGreaterThan(0)
    expect(bad).toBeLessThan(60)
  })

  test('a repeated page, an empty page and a smaller page', async () => {
    await using world = await startStepped(quiet)
    const second = await world.records({ page: '2' })
    world.sandbox.inject({ fault: 'page.repeat', for: '1s' })
    const repeated = await world.records({ page: '3' })
    world.step(1_000)
    world.sandbox.inject({ fault: 'page.empty', page: 2, for: '1s' })
    const empty = await world.records({ page: '2' })
    world.step(1_000)
    world.sandbox.inject({ fault: 'page.cap', limit: 50 })
    const capped = await world.zone('cross/transaction-list', { limit: '100' })
    expect(repeated).toEqual(second)
    expect(empty).toEqual([])
    expect(capped.data[0]).toMatchObject({ limit: '50' })
    expect(capped.data[0]?.data).toHaveLength(50)
  })

  test('new records arrive with every request', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'page.drift', records: 5 })
    const totals = [await world.zone('cross/transaction-list'), await world.zone('cross/transaction-list')]
    const [first, second] = totals.map((answer) => Number(answer.data[0]?.total))
    expect(Number(second) - Number(first)).toBe(5)
  })
})
