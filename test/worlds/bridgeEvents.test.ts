import { expect, onTestFinished, test } from 'vitest'
import { type ScenarioRun, runScenario } from '../support/runScenario.ts'
import { until } from '../support/startMonitor.ts'

/** Of real time, for a state that is sure to come: a loaded machine makes the world slow. */
const patientMs = 200_000

async function run(scenario: string, options: Partial<Parameters<typeof runScenario>[0]> = {}) {
  const started = await runScenario({ scenario, ...options })
  onTestFinished(() => started.stop())
  return started
}

const unlisted = (monitor: ScenarioRun) =>
  monitor.app.parts.ledger.listTransfers({ limit: 10_000 }).filter(({ isListed }) => !isListed)

test.each(['nomad-2022', 'poly-2021', 'ronin-2024', 'shibarium-2025'])(
  '%s: the change of the contract is told within two minutes',
  async (scenario) => {
    // Slower than other tests: at full speed a busy machine's own delays count as the world's.
    const monitor = await run(scenario, { speed: 8 })
    expect(await monitor.untilTold('contract.changed')).toBeLessThan(120_000)
  },
)

test('the same event of another contract is not told', async () => {
  const monitor = await run(
    'name: other\ntimeline:\n  - { at: 10s, fault: contract.changed, what: owner }\n',
    {
      contracts: (world) => [world.tokens[0]?.address ?? ''],
    },
  )
  await monitor.pass(90_000)
  expect(monitor.alerts().map(({ kind }) => kind)).not.toContain('contract.changed')
})

test('healthy traffic opens no transfer beside the listed ones', async () => {
  const monitor = await run('healthy')
  await monitor.pass(180_000)
  expect(unlisted(monitor)).toEqual([])
  const kinds = monitor.alerts().map(({ kind }) => kind)
  expect(kinds.filter((kind) => /^(contract|transfer.unbacked|transfer.stalled)/.test(kind))).toEqual([])
})

test('a deposit that is listed only once it is complete is pending before, and one transfer in the end', async () => {
  const monitor = await run(
    `name: hidden
traffic: { inFlight: hidden }
timeline:
  - { at: 20s, fault: transfer.stalled, direction: MainToZone, token: USDC, amount: "123.45", for: 3m }
`,
    { speed: 10 },
  )
  const find = () =>
    monitor.app.parts.ledger
      .listTransfers({ limit: 10_000 })
      .filter(({ amountRaw }) => amountRaw === 123_450_000n)
  await until(() => find().length > 0, patientMs)
  expect(find()).toMatchObject([{ state: 'pending', isListed: false, direction: 'MainToZone' }])
  await until(() => find()[0]?.isListed === true, patientMs)
  expect(find()).toMatchObject([{ state: 'completed', isListed: true }])
})

test('a payout without a record is seen from its event and told within two minutes, once', async () => {
  const monitor = await run(
    `name: unlisted
timeline:
  - { at: 20s, fault: transfer.unbacked, record: none, token: USDC, amount: "54321" }
`,
    { speed: 6 },
  )
  await until(() => unlisted(monitor).length > 0, patientMs)
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
