import { parseArgs } from 'node:util'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { createBridge } from './otherBridge/createBridge.ts'
import { mannerOf } from './otherBridge/manners.ts'
import { addTraffic } from './otherBridge/traffic.ts'
import { oddService, plainService, watchBridge } from './otherBridge/watchBridge.ts'

// Dense honest traffic over a second implementation of the API, with everything that honest bridges and services do:
// nothing at warning or above may be told (exit code 1). In time that leaps, or with --real in real time.
//
// --minutes 60    of the world
// --perMinute 60  transfers
// --seed 1        odd seeds: another dialect, documented spellings, fees configured
// --canonical     with a second source
// --bare          nothing is configured of the bridge but its tokens
// --manner NAME   a service that does something otherwise than the samples have it: names of otherBridge/manners.ts
// --polite        a service without throttling, lag and reorganisation
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    perMinute: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    real: { type: 'boolean', default: false },
    canonical: { type: 'boolean', default: false },
    polite: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
    manner: { type: 'string', default: '' },
  },
})
const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
const clock = createLeapingClock()
const now = () => (values.real ? Date.now() : clock.served.now())
const bridge = createBridge(seed, now() + 2_000)
const counts = addTraffic(bridge, minutes, Number(values.perMinute))
const { startAt, reorgs } = bridge.chain
const minute = 60_000
const isOdd = seed % 2 === 1
const frozen = (at: number, endpoint: string) => ({
  endpoint,
  from: startAt + at * minute,
  until: startAt + (at + 1) * minute,
  byMs: 60_000,
})
if (!values.polite)
  for (let at = 7; at < minutes; at += 12) reorgs.push({ at: startAt + at * minute, depth: 3 })
const service = {
  ...(isOdd ? oddService : plainService),
  manner: mannerOf(values.manner),
  ...(!values.polite && {
    throttled: 0.03,
    lags: ['E3', 'E9', 'E12', 'E13', 'E6', 'E8', 'E19', 'E5', 'E11', 'E7', 'E10', 'E15', 'E21'].map(
      (endpoint, n) => frozen(4 + n * 4, endpoint),
    ),
  }),
}
// Our clock is 20 s off.
clock.jump(20_000)
clock.start()
const system = {
  now: () => Date.now() + 20_000,
  monotonicMs: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
}
const watched = await watchBridge(bridge, {
  clock: values.real ? system : clock,
  now,
  service,
  fees: isOdd,
  secondSource: values.canonical,
  isBare: values.bare,
})
let shown = 0
const write = (line: string) => void process.stdout.write(`${line}\n`)
while (now() < startAt + minutes * minute) {
  await (values.real ? system.sleep(1_000) : clock.sleep(10_000))
  const alerts = watched.alerts()
  for (const { kind, severity, subject, state, at, text } of alerts.slice(shown))
    write(
      `ALERT ${((at - startAt) / minute).toFixed(1)} min ${severity} ${kind} ${state} ${subject} ${describe(text)}`,
    )
  shown = alerts.length
}
write(
  `seed ${seed} ${JSON.stringify(bridge.style)} ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
)
const known = watched.monitor.app.parts.db.prepare('SELECT sum(count) AS n FROM state_counts').get()?.['n']
write(
  `${bridge.chain.entries.filter((one) => (one.main?.at ?? one.zone?.at ?? 0) > startAt).length} transfers, ${String(known)} in the ledger, ${shown} alerts, requests ${[...watched.served.requests].map(([name, count]) => `${name} ${count}`).join(' ')}`,
)
process.exitCode = watched.alerts().some(({ severity }) => severity !== 'info') ? 1 : 0
await watched.stop()
clock.stop()

/** What a person needs to look into it. */
function describe(text: string): string {
  const { title, facts, transfer } = JSON.parse(text.slice(text.indexOf('{')))
  const { token, amountraw } = transfer ?? {}
  return `${title} ${token?.name ?? ''} ${amountraw ?? ''} ${JSON.stringify(facts).slice(0, 700)}`
}
