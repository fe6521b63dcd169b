import { Secret } from '../src/lib/secret.ts'
import type { Sandbox } from '../src/sandbox/createSandbox.ts'
import type { AppConfig } from '../src/kernel/settings.ts'
import { shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario } from '../test/support/runScenario.ts'

// Requests a minute that each source gets in the steady state, at the shipped pace and schedule, with one source of each
// kind more at a time. The sandbox plays every one of them. A number runs that row alone.
const settleMs = 300_000
const measuredMs = 600_000
const scenario = 'name: bench\nhistory: { for: 1h, transfers: 60 }\ntraffic: { transfersPerMinute: 30 }\n'
const limits = { verifyAbove: '0', sample: 1, confirmations: 3 }

type Extra = (sandbox: Sandbox) => Partial<AppConfig>

const canonical = ({ canonicalUrl }: Sandbox) => ({ url: new Secret(canonicalUrl), ...limits })
const zoneRpc = ({ zoneRpcUrl, world }: Sandbox) => ({
  url: new Secret(zoneRpcUrl),
  contracts: [world.contracts.zoneBridge],
  ...limits,
})
const again = (url: string) => [{ name: 'second', url: new Secret(url) }]

const setups: readonly (readonly [string, Extra])[] = [
  ['explorer alone', () => ({})],
  ['with `canonical`', (sandbox) => ({ canonical: canonical(sandbox) })],
  ['with `zoneRpc` too', (sandbox) => ({ canonical: canonical(sandbox), zoneRpc: zoneRpc(sandbox) })],
  [
    'two nodes of each chain',
    (sandbox) => ({
      canonical: { ...canonical(sandbox), others: again(sandbox.canonicalUrl) },
      zoneRpc: { ...zoneRpc(sandbox), others: again(sandbox.zoneRpcUrl) },
    }),
  ],
]

console.log('| sources | explorer | canonical | zoneRpc |\n|---|---|---|---|')
const [only] = process.argv.slice(2)
for (const [name, extra] of only === undefined ? setups : setups.slice(Number(only), Number(only) + 1)) {
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario,
    clock,
    timeoutMs: 60_000,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    configOf: (sandbox) => ({ poll: shippedPoll, preconf: null, ...extra(sandbox) }),
  })
  await run.pass(settleMs)
  const before = count(run.sandbox)
  await run.pass(measuredMs)
  const after = count(run.sandbox)
  const perMinute = (of: keyof typeof after) => ((after[of] - before[of]) / (measuredMs / 60_000)).toFixed(0)
  console.log(`| ${name} | ${perMinute('explorer')} | ${perMinute('canonical')} | ${perMinute('zoneRpc')} |`)
  await run.stop()
  clock.stop()
}

function count({ requests }: Sandbox) {
  const of = (isOne: (name: string) => boolean) =>
    [...requests].reduce((sum, [name, asked]) => sum + (isOne(name) ? asked : 0), 0)
  return {
    explorer: of((name) => /^E\d/.test(name)),
    canonical: of((name) => name === 'canonical'),
    zoneRpc: of((name) => name === 'zoneRpc'),
  }
}
