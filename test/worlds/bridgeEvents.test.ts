import { expect, test } from 'vitest'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

const patientMs = 600_000

async function until(holds: () => boolean, run: ScenarioRun): Promise<void> {
  for (let waitedMs = 0; !holds() && waitedMs < patientMs; waitedMs += 1_000) await run.pass(1_000)
}

const unlisted = (monitor: ScenarioRun) =>
  monitor.app.parts.ledger.listTransfers({ limit: 10_000 }).filter(({ isListed }) => !isListed)

test.each(['nomad-2022', 'poly-2021', 'ronin-2024', 'shibarium-2025'])(
  '%s: the change of the contract is told within two minutes',
  async (scenario) => {
    const monitor = await runLeaping({ scenario })
    expect(await monitor.untilTold('contract.changed')).toBeLessThan(120_000)
  },
)

test('the same event of another contract is not told', async () => {
  const monitor = await runLeaping({
    scenario: 'name: other\ntimeline:\n  - { at: 10s, fault: contract.changed, what: owner }\n',
    contracts: (world) => [world.tokens[0]?.address ?? ''],
  })
  await monitor.pass(90_000)
  expect(monitor.alerts().map(({ kind }) => kind)).not.toContain('contract.changed')
})

test('healthy traffic opens no transfer beside the listed ones', async () => {
  const monitor = await runLeaping({ scenario: 'healthy' })
  await monitor.pass(180_000)
  expect(unlisted(monitor)).toEqual([])
  const kinds = monitor.alerts().map(({ kind }) => kind)
  expect(kinds.filter((kind) => /^(contract|transfer.unbacked|transfer.stalled)/.test(kind))).toEqual([])
})

test('a deposit that is listed only once it is complete is pending before, and one transfer in the end', async () => {
  const monitor = await runLeaping({
    scenario: `name: hidden
traffic: { inFlight: hidden }
timeline:
  - { at: 20s, fault: transfer.stalled, direction: MainToZone, token: USDC, amount: "123.45", for: 3m }
`,
  })
  const find = () =>
    monitor.app.parts.ledger
      .listTransfers({ limit: 10_000 })
      .filter(({ amountRaw }) => amountRaw === 123_450_000n)
  await until(() => find().length > 0, monitor)
  expect(find()).toMatchObject([{ state: 'pending', isListed: false, direction: 'MainToZone' }])
  await until(() => find()[0]?.isListed === true, monitor)
  expect(find()).toMatchObject([{ state: 'completed', isListed: true }])
})

test('a payout without a record is seen from its event and told within two minutes, once (semantics 13)', async () => {
  const monitor = await runLeaping({
    scenario: `name: unlisted
timeline:
  - { at: 20s, fault: transfer.unbacked, record: none, token: USDC, amount: "54321" }
`,
  })
  await until(() => unlisted(monitor).length > 0, monitor)
  expect(unlisted(monitor)).toMatchObject([
    { state: 'unbacked', direction: 'ZoneToMain', amountRaw: 54_321_000_000n },
  ])
  expect(await monitor.untilTold('transfer.unbacked', 160_000)).toBeLessThan(140_000)
  await monitor.pass(30_000)
  const told = monitor.alerts().map(({ kind }) => kind)
  expect(told.filter((kind) => kind === 'transfer.unbacked' || kind === 'ledger.incomplete')).toEqual([
    'transfer.unbacked',
  ])
})
