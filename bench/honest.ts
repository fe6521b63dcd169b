import { parseArgs } from 'node:util'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { createBridge } from './otherBridge/createBridge.ts'
import { mannerOf } from './otherBridge/manners.ts'
import { parseFaults } from './otherBridge/faults.ts'
import { addOddTraffic } from './otherBridge/oddTraffic.ts'
import { addTraffic } from './otherBridge/traffic.ts'
import { oddService, plainService, watchBridge } from './otherBridge/watchBridge.ts'

// Dense honest traffic over a second implementation of the API, with everything that honest bridges and services do:
// nothing at warning or above may be told (exit code 1). In time that leaps, or with --real in real time.
//
// --minutes 60    of the world
// --perMinute 60  transfers
// --seed 1        odd seeds: another dialect, documented spellings, fees configured
// --ahead 20      seconds by which our clock is ahead of the service's, or below zero behind it
// --zoneNode      with the zone's own node
// --zoneLogs      with that node and the logs of each withdrawal
// --canonical     with a second source
// --bare          nothing is configured of the bridge but its tokens
// --manner NAME   a service that does something otherwise than the samples have it: names of otherBridge/manners.ts
// --polite        a service without throttling, lag and reorganisation
// --fault TEXT    what is wrong with an endpoint or a node, such as E9+E14:lag:180:6:12 (otherBridge/faults.ts); several times
// --killed 20     the daemon is killed in this minute and started again; several times
// --stopped 20:180    its process stands still in this minute for so many seconds; several times
// --suspended 20:180  its machine sleeps; several times
// --odd 0         so many transfers of odd shapes a minute beside (otherBridge/oddTraffic.ts)
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    perMinute: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    real: { type: 'boolean', default: false },
    ahead: { type: 'string', default: '20' },
    canonical: { type: 'boolean', default: false },
    zoneNode: { type: 'boolean', default: false },
    zoneLogs: { type: 'boolean', default: false },
    polite: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
    manner: { type: 'string', default: '' },
    fault: { type: 'string', multiple: true, default: [] },
    killed: { type: 'string', multiple: true, default: [] },
    stopped: { type: 'string', multiple: true, default: [] },
    suspended: { type: 'string', multiple: true, default: [] },
    odd: { type: 'string', default: '0' },
  },
})
const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
const clock = createLeapingClock()
const now = () => (values.real ? Date.now() : clock.served.now())
const bridge = createBridge(seed, now() + 2_000)
const minute = 60_000
const { startAt, genesisAt, reorgs } = bridge.chain
const span = { from: genesisAt + 5 * minute, until: startAt + (minutes - 5) * minute }
const odd = Number(values.odd) > 0 ? addOddTraffic(bridge, { ...span, perMinute: Number(values.odd) }) : null
const counts = addTraffic(bridge, minutes, Number(values.perMinute))
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
  faults: parseFaults(values.fault, startAt),
  ...(!values.polite && {
    throttled: 0.03,
    lags: ['E3', 'E9', 'E12', 'E13', 'E6', 'E8', 'E19', 'E5', 'E11', 'E7', 'E10', 'E15', 'E21'].map(
      (endpoint, n) => frozen(4 + n * 4, endpoint),
    ),
  }),
}
const aheadMs = Number(values.ahead) * 1_000
clock.jump(aheadMs)
clock.start()
const system = {
  now: () => Date.now() + aheadMs,
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
  served: values.real ? { now, sleep: system.sleep } : clock.served,
  service,
  fees: isOdd,
  secondSource: values.canonical,
  zoneNode: values.zoneNode,
  zoneLogs: values.zoneLogs,
  isBare: values.bare,
})
let shown = 0
const incidents = [
  ...values.killed.map((at) => ({ at: Number(at), happen: () => watched.kill() })),
  ...values.stopped.map(pauseBy((forMs) => clock.stall(forMs))),
  ...values.suspended.map(pauseBy((forMs) => clock.suspend(forMs))),
].toSorted((one, other) => one.at - other.at)
const write = (line: string) => void process.stdout.write(`${line}\n`)
while (now() < startAt + minutes * minute) {
  await (values.real ? system.sleep(1_000) : clock.sleep(10_000))
  if (incidents[0] && now() >= startAt + incidents[0].at * minute) await incidents.shift()?.happen()
  const alerts = watched.alerts().filter((alert) => !isTrue(alert))
  for (const { kind, severity, subject, state, at, text } of alerts.slice(shown))
    write(
      `ALERT ${((at - startAt) / minute).toFixed(1)} min ${severity} ${kind} ${state} ${subject} ${describe(text)}`,
    )
  shown = alerts.length
}
write(
  `seed ${seed} ${JSON.stringify(bridge.style)} ${[...counts, ...(odd?.counts ?? [])].map(([name, count]) => `${name} ${count}`).join(', ')}`,
)
const known = watched.monitor.app.parts.db.prepare('SELECT sum(count) AS n FROM state_counts').get()?.['n']
write(
  `${bridge.chain.entries.filter((one) => (one.main?.at ?? one.zone?.at ?? 0) > startAt).length} transfers, ${String(known)} in the ledger, ${shown} alerts, requests ${[...watched.served.requests].map(([name, count]) => `${name} ${count}`).join(' ')}`,
)
process.exitCode = watched.alerts().some((alert) => alert.severity !== 'info' && !isTrue(alert)) ? 1 : 0
await watched.stop()
clock.stop()

/** Whether what is told of a transfer of an odd shape is so. */
function isTrue({ kind, text }: { readonly kind: string; readonly text: string }): boolean {
  if (odd === null) return false
  return (
    kind === 'chain.reorg' || [...odd.truths].some(([hash, kinds]) => text.includes(hash) && kinds.test(kind))
  )
}

/** What `pause` does in a minute for so many seconds, as in `20:180`. */
function pauseBy(pause: (forMs: number) => void) {
  return (text: string) => {
    const [at, forSeconds] = text.split(':').map(Number)
    return { at: at ?? 0, happen: async () => pause((forSeconds ?? 0) * 1_000) }
  }
}

/** What a person needs to look into it. */
function describe(text: string): string {
  const { title, facts, transfer } = JSON.parse(text.slice(text.indexOf('{')))
  const { token, amountraw } = transfer ?? {}
  return `${title} ${token?.name ?? ''} ${amountraw ?? ''} ${JSON.stringify(facts).slice(0, 700)}`
}
