import { expect, test } from 'vitest'
import { startStepped } from './steppedSandbox.ts'

const traffic = (more: string) =>
  `{ name: test, history: { for: 0s, transfers: 0 }, traffic: { transfersPerMinute: 60, sharedPayouts: 0, ${more} } }`
const noContract = `0x${'0'.repeat(40)}`

test('native currency crosses without a token, and the escrow holds what came and did not leave', async () => {
  await using world = await startStepped(traffic('native: 0.5'))
  world.step(120_000)
  const done = (await world.records()).filter(
    (record) =>
      record.tokenContractAddress === noContract && record.mainTxHash !== '' && record.zoneTxHash !== '',
  )
  const [payout] = done.filter(({ txType }) => txType === 'ZoneToMain')
  const [deposit] = done.filter(({ txType }) => txType === 'MainToZone')
  const inside = async (txId = '') =>
    rowsOf(await world.main('transaction/internal-transaction-multi', { txId })).filter(
      ({ amount }) => amount !== '0',
    )
  expect(await inside(payout?.mainTxHash)).toMatchObject([
    { to: payout?.targetAddress, amount: payout?.value },
  ])
  expect(await inside(deposit?.mainTxHash)).toMatchObject([{ amount: deposit?.value }])
  expect(
    rowsOf(await world.main('transaction/token-transfer-multi', { txId: payout?.mainTxHash ?? '' })),
  ).toEqual([])
})

test('a fee is kept back of payouts in tokens', async () => {
  await using world = await startStepped(traffic('fee: 0.001'))
  world.step(120_000)
  const [payout] = (await world.records()).filter(
    ({ txType, tokenName, value, mainTxHash }) =>
      txType === 'ZoneToMain' && tokenName === 'USDC' && Number(value) > 10 && mainTxHash !== '',
  )
  const [moved] = rowsOf(
    await world.main('transaction/token-transfer-multi', { txId: payout?.mainTxHash ?? '' }),
  )
  expect(Number(payout?.value) - Number(moved?.amount)).toBeCloseTo(1.8, 6)
})

/** The rows of a page of the main chain, whatever their array is called. */
function rowsOf({ data }: { data: readonly unknown[] }): Record<string, string>[] {
  const page = (data[0] ?? {}) as Record<string, unknown>
  return (Object.values(page).find(Array.isArray) ?? []) as Record<string, string>[]
}
