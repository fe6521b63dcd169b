import { expect, onTestFinished, test } from 'vitest'
import { shippedPoll } from '../support/incidents.ts'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runScenario } from '../support/runScenario.ts'

// Nothing is wrong in these worlds: whatever the service's wording is, nothing must be told.

const busy = 'traffic: { transfersPerMinute: 60, batches: 1'
const quick = 'withdrawalLatency: { min: 4s, max: 9s }'

test.for([
  [
    'batches come as one row for each item',
    `${busy}, ${quick} }\nanswers: { batches: items, batchDetail: objects }`,
  ],
  ['transfers in flight are hidden', `${busy}, ${quick}, inFlight: hidden }`],
  [
    'pages are small and lists without rows are pages',
    `${busy}, ${quick} }\nanswers: { pageLimit: 9, empty: page-0 }`,
  ],
  [
    'everything is worded as the document words it, with fields that it does not name',
    `${busy}, ${quick} }\nanswers: { arrays: documented, hashKey: txid, difficulty: documented, extraFields: true, libraries: array, heights: push, empty: page-1, batchDetail: quoted }`,
  ],
])('a healthy bridge is silent when %s', { timeout: 300_000 }, async ([, yaml]) => {
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario: `name: calm\nhistory: { for: 10m, transfers: 200 }\n${yaml}\n`,
    clock,
    preconfIntervalMs: 1_000,
    timeoutMs: 20_000,
    config: { poll: shippedPoll },
  })
  onTestFinished(async () => {
    await run.stop()
    clock.stop()
  })
  await run.pass(75_000)
  expect(run.alerts()).toEqual([])
})
