import { describe, expect, test } from 'vitest'
import { rowsOf, startStepped } from './steppedSandbox.ts'

describe('one transfer through every list', () => {
  test.each(['MainToZone', 'ZoneToMain'])(
    'a completed %s is the same in E3, E12, E9, E14, E5 and E11',
    async (txType) => {
      await using world = await startStepped()
      const record = (await world.records()).find(
        (each) => each.txType === txType && each.mainTxHash && each.zoneTxHash,
      )
      const zoneTxHash = String(record?.zoneTxHash)
      const [detail] = (await world.zone('cross/transaction-multi', { txId: zoneTxHash })).data
      const multi = await world.zone('transaction/transaction-multi', { txId: zoneTxHash })
      const fills = await world.zone('transaction/transaction-fills', { txid: zoneTxHash })
      const blocks = await world.zone('block/block-list', { height: String(record?.zoneBlockHeight) })
      const mainBlock = await world.main('block/block-fills', { height: String(record?.mainBlockHeight) })
      expect(detail).toMatchObject(record as object)
      expect(fills.data).toEqual(multi.data)
      expect(multi.data[0]).toMatchObject({
        hash: zoneTxHash,
        blockHeight: record?.zoneBlockHeight,
        blockTime: record?.zoneBlockTime,
        blockHash: detail?.zoneBlockHash,
        status: '0x1',
      })
      expect(rowsOf(blocks)[0]).toMatchObject({
        height: record?.zoneBlockHeight,
        blockTime: record?.zoneBlockTime,
        hash: detail?.zoneBlockHash,
      })
      expect(mainBlock.data[0]).toMatchObject({
        height: record?.mainBlockHeight,
        blockTime: record?.mainBlockTime,
      })
    },
  )

  test('a transfer in flight has an empty far side until it arrives', async () => {
    await using world = await startStepped('{ name: test, traffic: { transfersPerMinute: 0 } }')
    world.sandbox.inject({ fault: 'transfer.normal', direction: 'ZoneToMain', token: 'USDC', amount: '1.5' })
    world.step(2_000)
    const [waiting] = await world.records()
    expect(waiting).toMatchObject({
      mainTxHash: '',
      mainBlockHeight: '',
      mainBlockTime: '',
      value: '1.5',
      valueRaw: '1500000',
    })
    world.step(30_000)
    const [arrived] = await world.records()
    expect(arrived).toMatchObject({
      zoneTxHash: waiting?.zoneTxHash,
      mainTxHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })

  test('transfers that share a zone transaction come as several records of E12', async () => {
    await using world = await startStepped('{ name: test, traffic: { bundles: 1, depositShare: 0 } }')
    const [record] = await world.records()
    const { data } = await world.zone('cross/transaction-multi', { txId: String(record?.zoneTxHash) })
    expect(data.length).toBeGreaterThan(1)
    expect(new Set(data.map((each) => each.zoneEventIndex)).size).toBe(data.length)
    expect(new Set(data.map((each) => each.zoneTxHash)).size).toBe(1)
  })

  test('two withdrawals paid in one main transaction share its hash', async () => {
    await using world = await startStepped(
      '{ name: test, traffic: { sharedPayouts: 1, depositShare: 0 }, history: { transfers: 3000 } }',
    )
    const records = (await world.records()).filter((each) => each.mainTxHash !== '')
    const hashes = records.map((each) => each.mainTxHash)
    expect(new Set(hashes).size).toBeLessThan(hashes.length)
  })

  test('the zone count is below the head of the chain', async () => {
    await using world = await startStepped()
    const answer = await world.zone('block/block-list', { limit: '1' })
    const head = rowsOf(answer)[0]?.height
    expect(Number(answer.data[0]?.total)).toBeLessThan(Number(head))
  })

  test('an unknown hash gives empty data', async () => {
    await using world = await startStepped()
    const hash = `0x${'ab'.repeat(32)}`
    const answers = await Promise.all([
      world.zone('cross/transaction-multi', { txId: hash }),
      world.zone('transaction/transaction-multi', { txId: hash }),
      world.zone('transaction/transaction-fills', { txid: hash }),
      world.zone('cross/transaction-list', { txid: hash }),
    ])
    expect(answers).toEqual(answers.map(() => ({ status: 200, code: '0', msg: '', data: [] })))
  })
})

describe('filters and pages', () => {
  test('E3 finds a transfer by its main and by its zone hash', async () => {
    await using world = await startStepped()
    const record = (await world.records()).find((each) => each.mainTxHash && each.zoneTxHash)
    const byMain = await world.records({ txid: String(record?.mainTxHash) })
    const byZone = await world.records({ txid: String(record?.zoneTxHash) })
    expect([byMain, byZone].map((found) => found.some((each) => each.valueRaw === record?.valueRaw))).toEqual(
      [true, true],
    )
  })

  test('E3 by address, token and heights keeps to them', async () => {
    await using world = await startStepped()
    const [newest] = await world.records()
    const byAddress = await world.records({ address: String(newest?.targetAddress) })
    const byToken = await world.records({ tokenContractAddress: String(newest?.tokenContractAddress) })
    const height = (await world.records()).find((each) => each.zoneBlockHeight !== '')?.zoneBlockHeight
    const byHeight = await world.records({ startBlockHeight: String(height), endBlockHeight: String(height) })
    expect(
      byAddress.every((each) =>
        [each.from, each.to, each.sourceAddress, each.targetAddress].includes(
          newest?.targetAddress as string,
        ),
      ),
    ).toBe(true)
    expect(byToken.every((each) => each.tokenContractAddress === newest?.tokenContractAddress)).toBe(true)
    expect(byHeight.map((each) => each.zoneBlockHeight)).toEqual(byHeight.map(() => height))
    expect([byAddress.length, byToken.length, byHeight.length].every((count) => count > 0)).toBe(true)
  })

  test('pages cover the whole list once while nothing new arrives', async () => {
    await using world = await startStepped('{ name: test, traffic: { emptyIds: 0 } }')
    const pages = await Promise.all(['1', '2', '3', '4', '5'].map((page) => world.records({ page })))
    const [total] = (await world.zone('cross/transaction-list')).data.map((page) => Number(page.total))
    const ids = pages.flat().map((record) => record.id)
    expect(ids.length).toBe(total)
    expect(new Set(ids).size).toBe(total)
  })

  test('a new record moves the last one of a page to the next page', async () => {
    await using world = await startStepped('{ name: test, traffic: { transfersPerMinute: 0, emptyIds: 0 } }')
    world.step(120_000)
    const before = await world.records({ limit: '10' })
    world.sandbox.inject({ fault: 'transfer.normal' })
    world.step(3_000)
    const second = await world.records({ limit: '10', page: '2' })
    expect(second[0]).toEqual(before.at(-1))
  })

  test('a limit over the maximum is lowered without a word, and the default is 20', async () => {
    await using world = await startStepped()
    const over = await world.zone('cross/transaction-list', { limit: '500' })
    const none = await world.zone('cross/transaction-list')
    expect([over.data[0]?.limit, none.data[0]?.limit]).toEqual(['100', '20'])
  })
})
