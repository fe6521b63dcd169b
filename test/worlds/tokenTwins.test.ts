import { describe, expect, test } from 'vitest'
import { type BridgeWorld, createBridgeWorld, escrow, user } from '../support/bridgeWorld.ts'

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
`
const zoneToken = (n: number) => `0x${String(n).padStart(40, 'c')}`
const mainToken = (n: number) => `0x${String(n).padStart(40, 'd')}`

/** A withdrawal whose record names one token while another moves in its place, to the last unit and to the same recipient. */
function pay({ withdraw, main }: BridgeWorld, n: number, record: string, moved: string): void {
  const { value = '', mainTxHash = '' } = withdraw(n, { tokenContractAddress: record })
  main(mainTxHash, { moves: [{ token: moved, from: escrow, to: user(n), amount: value }] })
}

const toldAfterMs = ({ monitor }: BridgeWorld) =>
  monitor.app.parts.db
    .prepare("SELECT active_at, subject FROM alerts WHERE kind = 'transfer.mismatch'")
    .all()
    .map(({ active_at, subject }) => {
      const seenAt = monitor.app.parts.ledger.getTransfer(String(subject))?.firstSeenAt ?? 0
      return Number(active_at) - seenAt
    })

/** A bridge whose records name main tokens, and that took up a token that they name by its address on the zone. */
async function takeUp(moved: string, zoneAddress?: string): Promise<BridgeWorld> {
  const token = { address: mainToken(9), symbol: 'NEW', decimals: 6 }
  const world = await createBridgeWorld({
    rules: `${rules}  - { name: unknown, on: transfer.unknown_token, severity: warning }\n`,
    bridge: {
      tokens: [
        ...[0, 1, 2].map((n) => ({ address: mainToken(n), symbol: `T${n}`, decimals: 6 })),
        { ...token, ...(zoneAddress !== undefined && { zoneAddress }) },
      ],
    },
  })
  for (let n = 0; n < 9; n += 1) pay(world, n, mainToken(n % 3), mainToken(n % 3))
  await world.pass(60_000)
  for (let n = 30; n < 34; n += 1) pay(world, n, zoneToken(9), moved)
  await world.pass(150_000)
  return world
}

describe('another token in place of the record’s', () => {
  test('is told within two minutes where nothing is known of the bridge', async () => {
    const world = await createBridgeWorld({ rules })
    pay(world, 1, zoneToken(1), mainToken(1))
    await world.until(() => world.told().length > 0, 'the mismatch')
    expect(toldAfterMs(world)[0]).toBeLessThanOrEqual(120_000)
    expect(world.told()).toMatchObject([{ facts: { what: 'token' } }])
  })

  test('is told at once where it is known as another token of the records', async () => {
    const world = await createBridgeWorld({ rules })
    for (let n = 0; n < 8; n += 1) pay(world, n, zoneToken(n % 2), mainToken(n % 2))
    const known = () =>
      world.monitor.app.parts.db
        .prepare(
          "SELECT count(*) AS n FROM learned_samples s JOIN lessons l ON l.id = s.lesson WHERE l.value = 'other'",
        )
        .get()
    await world.until(() => Number(known()?.['n']) === 2, 'both pairs')
    pay(world, 20, zoneToken(7), mainToken(1))
    await world.until(() => world.told().length > 0, 'the mismatch')
    expect(toldAfterMs(world)[0]).toBeLessThan(90_000)
  })

  test('is none on a bridge whose records name the zone’s tokens, rare and new ones included', async () => {
    const world = await createBridgeWorld({ rules })
    for (let n = 0; n < 6; n += 1) {
      pay(world, n, zoneToken(n % 3), mainToken(n % 3))
      await world.pass(45_000)
    }
    for (let n = 6; n < 12; n += 1) pay(world, n, zoneToken(n % 3), mainToken(n % 3))
    pay(world, 30, zoneToken(9), mainToken(9))
    await world.pass(900_000)
    expect(world.told()).toEqual([])
  })

  test('is none where deposits name the main token and withdrawals the zone’s', async () => {
    const world = await createBridgeWorld({ rules })
    for (let n = 0; n < 4; n += 1) {
      const deposit = world.withdraw(40 + n, {
        txType: 'MainToZone',
        crossType: 'Deposit',
        tokenContractAddress: mainToken(1),
      })
      const moves = [{ token: mainToken(1), from: user(40 + n), to: escrow, amount: deposit['value'] ?? '' }]
      world.main(deposit['mainTxHash'] ?? '', { moves })
    }
    for (let n = 0; n < 5; n += 1) pay(world, n, zoneToken(1), mainToken(1))
    await world.pass(300_000)
    expect(world.told()).toEqual([])
  })

  test('is none where the configuration says so, on a bridge whose other tokens bear their own names', async () => {
    const world = await takeUp(mainToken(9), zoneToken(9).toUpperCase().replace('0X', '0x'))
    expect(world.told()).toEqual([])
  })

  test.each([
    ['nothing is said of it', mainToken(9), undefined],
    ['the configuration says another', mainToken(2), zoneToken(9)],
  ])('is told of each there where %s', async (_, moved, zoneAddress) => {
    const world = await takeUp(moved, zoneAddress)
    expect(world.told('transfer.mismatch')).toHaveLength(4)
  })
})
