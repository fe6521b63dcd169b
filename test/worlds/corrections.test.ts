import { describe, expect, test } from 'vitest'
import { createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: failed, on: transfer.failed, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: rewritten, on: transfer.rewritten, severity: critical }
  - { name: unresolved, on: batch.unresolved, severity: warning }
  - { name: large, on: transfer.large, where: 'transfer.amount >= amount("200")', severity: info }
`
const move = (to: string, amount: string) => ({ moves: [{ token, from: escrow, to, amount }] })

describe('what was told and is otherwise now is corrected once', () => {
  test('a mismatch whose evidence agrees later', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(1)
    const hash = record['mainTxHash'] ?? ''
    world.main(hash, move(user(1), '90'))
    await world.until(() => world.told('transfer.mismatch').length === 1, 'the mismatch')
    expect(world.told()).toMatchObject([{ isOver: false, corrections: 0 }])
    world.main(hash, move(user(1), '101'))
    await world.until(() => world.told('transfer.mismatch')[0]?.corrections === 1, 'its correction')
    await world.until(
      () => world.monitor.told().some((text) => text.includes('agree by now')),
      'the words of it',
    )
    await world.pass(300_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.mismatch', isOver: true, corrections: 1 }])
  })

  test('a mismatch of a cent that turns out to be a payout of a million is told as that', async () => {
    const world = await createBridgeWorld({
      rules,
      prepare(bare) {
        for (let n = 10; n < 40; n += 1) bare.withdraw(n)
      },
    })
    await world.pass(180_000)
    const zoneTxHash = `0x${'77'.repeat(32)}`
    const onItsWay = { zoneTxHash, zoneBlockTime: String(world.now()), status: '' }
    const noPayout = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }
    const amount = { value: '160.01', valueRaw: '160010000' }
    world.zone(zoneTxHash, { value: '160', valueRaw: '160000000' })
    const record = world.withdraw(60, { ...amount, ...onItsWay, ...noPayout })
    await world.until(() => world.told('transfer.mismatch').length === 1, 'the cent')
    await world.pass(300_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.mismatch', corrections: 0 }])
    const mainTxHash = `0x${'3a'.repeat(32)}`
    world.main(mainTxHash, move(user(60), '1000000'))
    const paid = { status: '0x1', mainTxHash, mainBlockHeight: '9500', mainBlockTime: String(world.now()) }
    Object.assign(record, { ...paid, updateTime: String(world.now()) })
    await world.until(() => world.monitor.told().some((text) => /1,?000,?000/.test(text)), 'the million')
    await world.pass(300_000)
    expect(world.told('transfer.mismatch')).toMatchObject([{ isOver: false, corrections: 1 }])
  })

  test('a mismatch whose payout stands is not taken back because its record says by now that it failed', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(7)
    world.main(record['mainTxHash'] ?? '', move(user(7), '1000000'))
    await world.until(() => world.told('transfer.mismatch').length === 1, 'the mismatch')
    Object.assign(record, { status: '0x0', updateTime: String(world.now()) })
    const { ledger } = world.monitor.app.parts
    await world.until(() => ledger.listTransfers({ limit: 9 })[0]?.status === 'failed', 'the failed record')
    await world.pass(120_000)
    expect(world.told('transfer.mismatch')).toMatchObject([{ isOver: false, corrections: 0 }])
  })

  test('a payout without an origin: a name alone takes nothing back, its proof does', async () => {
    const world = await createBridgeWorld({ rules })
    for (let n = 10; n < 14; n += 1) world.withdraw(n)
    const record = world.withdraw(2, { zoneTxHash: '', zoneBlockHeight: '', zoneBlockTime: '' })
    await world.until(() => world.told('transfer.unbacked').length === 1, 'the payout')
    const named = `0x${'2e'.repeat(32)}`
    Object.assign(record, { zoneTxHash: named, zoneBlockTime: String(world.now() - 120_000) })
    await world.pass(180_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.unbacked', corrections: 0 }])
    world.zone(named, { value: '102', valueRaw: '102000000' })
    await world.until(() => world.told('transfer.unbacked')[0]?.corrections === 1, 'its correction')
    await world.pass(300_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.unbacked', corrections: 1 }])
  })

  test('a failure that succeeds', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(3, {
      status: '0x0',
      mainTxHash: '',
      mainBlockHeight: '',
      mainBlockTime: '',
    })
    await world.until(() => world.told('transfer.failed').length === 1, 'the failure')
    const hash = `0x${'3a'.repeat(32)}`
    world.main(hash, move(user(3), '103'))
    Object.assign(record, {
      status: '0x1',
      mainTxHash: hash,
      mainBlockHeight: '9500',
      mainBlockTime: String(world.now()),
      updateTime: String(world.now()),
    })
    await world.until(() => world.told('transfer.failed')[0]?.corrections === 1, 'its correction')
    await world.pass(300_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.failed', corrections: 1 }])
  })

  test('an origin paid twice, of which one payout is taken back', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(4)
    const [first, second] = [record['mainTxHash'] ?? '', `0x${'4a'.repeat(32)}`]
    const transfers = () => world.monitor.app.parts.ledger.listTransfers({ limit: 9 })
    await world.until(() => transfers()[0]?.evidence.length === 2, 'the evidence of the first payout')
    world.main(second, move(user(4), '104'))
    Object.assign(record, { mainTxHash: second, updateTime: String(world.now()) })
    await world.until(() => world.told('transfer.duplicate').length === 1, 'the duplicate')
    // Both stand: that is no rewriting.
    expect(world.told('transfer.rewritten')).toEqual([])
    world.chain.transactions.delete(first)
    await world.until(() => world.told('transfer.duplicate')[0]?.corrections === 1, 'its correction')
    await world.pass(300_000)
    expect(world.told('transfer.duplicate')).toMatchObject([{ isOver: true, corrections: 1 }])
  })

  test('a batch whose detail can be read later', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(5, { crossType: 'BatchWithdraw', batchDetail: '<none>' })
    await world.until(() => world.told('batch.unresolved').length === 1, 'the batch')
    record['batchDetail'] = '[{"amount":"105000000"}]'
    record['updateTime'] = String(world.now())
    await world.until(() => world.told('batch.unresolved')[0]?.corrections === 1, 'its correction')
    await world.pass(300_000)
    expect(world.told()).toMatchObject([{ kind: 'batch.unresolved', isOver: true, corrections: 1 }])
  })

  test('an amount that was told to be large and arrives is no correction', async () => {
    const world = await createBridgeWorld({ rules })
    const record = world.withdraw(106, { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' })
    await world.until(() => world.told('transfer.large').length === 1, 'the large one')
    const hash = `0x${'6a'.repeat(32)}`
    world.main(hash, move(user(106), '206'))
    Object.assign(record, { mainTxHash: hash, mainBlockHeight: '9500', mainBlockTime: String(world.now()) })
    const { ledger } = world.monitor.app.parts
    await world.until(() => ledger.countByState().completed === 1, 'its arrival')
    await world.pass(120_000)
    expect(world.told()).toMatchObject([{ kind: 'transfer.large', corrections: 0 }])
  })
})
