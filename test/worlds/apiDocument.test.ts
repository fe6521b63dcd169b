import { expect, test } from 'vitest'
import { playBesideApi, readAll } from '../support/playBesideApi.ts'

test.each([
  ['storm', 120_000],
  // Later its answers hang, and time would stand.
  ['outage', 118_000],
  ['hostile-names', 60_000],
  ['preconfirmations', 120_000],
  ['ronin-2022', 120_000],
])('%s: all that the API gives is as its document says', async (scenario, worldMs) => {
  const { alerts } = await readAll(await playBesideApi(scenario, worldMs))
  expect(alerts.length).toBeGreaterThan(0)
})
