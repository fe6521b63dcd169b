import { parseArgs } from 'node:util'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { createBridge } from './otherBridge/createBridge.ts'
import { mannerOf } from './otherBridge/manners.ts'
import { parseFaults } from './otherBridge/faults.ts'
import { rareTheftForms, steal, type Theft, theftForms } from './otherBridge/thefts.ts'
import { addTraffic } from './otherBridge/traffic.ts'
import { oddService, plainService, watchBridge } from './otherBridge/watchBridge.ts'

// Random thefts over a second implementation of the API, in time that leaps: which were told, how severe, how long
// after any source could show them. Exit code 1 below 97 %.
//
// --worlds 6     each with one theft of every form among honest traffic
// --seed 1       of the first world; each world is its seed's
// --form TEXT    only forms whose name holds it
// --rare         only the forms of rareThefts.ts
// --apart 60     seconds between two thefts
// --within 300   seconds after which a theft counts as missed
// --copies 0     so many copies of one theft at the same time
// --smoke 0      so many small drains at the same time, of half a unit of one token
// --throttled 0  the share of answers that are throttled, plainly or in disguise
// --ahead 0      seconds by which our clock is ahead of the service's, or below zero behind it
// --zoneNode     with the zone's own node
// --zoneLogs     with that node and the logs of each withdrawal
// --canonical    with a second source
// --manner NAME  a service that does something otherwise than the samples have it: names of otherBridge/manners.ts
// --fault TEXT   what is wrong with an endpoint or a node, as in honest.ts; several times
// --verbose      every message in full
const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    form: { type: 'string', default: '' },
    rare: { type: 'boolean', default: false },
    apart: { type: 'string', default: '60' },
    within: { type: 'string', default: '300' },
    copies: { type: 'string', default: '0' },
    smoke: { type: 'string', default: '0' },
    perMinute: { type: 'string', default: '20' },
    verbose: { type: 'boolean', default: false },
    ahead: { type: 'string', default: '0' },
    throttled: { type: 'string', default: '0' },
    canonical: { type: 'boolean', default: false },
    zoneNode: { type: 'boolean', default: false },
    zoneLogs: { type: 'boolean', default: false },
    manner: { type: 'string', default: '' },
    fault: { type: 'string', multiple: true, default: [] },
  },
})
const second = 1_000
const withinMs = Number(values.within) * second
const forms = (values.rare ? rareTheftForms : theftForms).filter((form) => form.includes(values.form))
const write = (line: string) => void process.stdout.write(`${line}\n`)
const tally = { all: 0, told: 0, warned: 0, unsaid: 0, falsely: 0, delays: [] as number[] }

for (let world = 0; world < Number(values.worlds); world += 1) await watch(Number(values.seed) + world)
const { all, told, warned, unsaid, falsely, delays } = tally
const sorted = delays.toSorted((one, other) => one - other)
const quantile = (share: number) =>
  `${((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / second).toFixed(0)} s`
write(
  `${told} of ${all} thefts told (${((100 * told) / all).toFixed(1)} %), ${warned} of them as no more than a warning, ${unsaid} with another amount or symbol; median ${quantile(0.5)}, p95 ${quantile(0.95)}, at most ${quantile(1)}; ${falsely} alerts on what was honest`,
)
process.exitCode = told < 0.97 * all ? 1 : 0

async function watch(seed: number): Promise<void> {
  const clock = createLeapingClock()
  const bridge = createBridge(seed, clock.now() + 2 * second)
  const { startAt } = bridge.chain
  const firstAt = startAt + 240 * second
  const lastAt = firstAt + forms.length * Number(values.apart) * second
  const thefts = shuffled(bridge.chance.next, forms).map((form, n) =>
    steal(bridge, form, firstAt + n * Number(values.apart) * second + bridge.chance.whole(0, 5_000)),
  )
  for (let copy = 0; copy < Number(values.copies); copy += 1)
    thefts.push(steal(bridge, 'payout of an invented origin', firstAt + copy * 1_300, 0.000_1))
  for (let drain = 0; drain < Number(values.smoke); drain += 1)
    thefts.push(steal(bridge, 'drain by a transaction of the thief', firstAt + drain * 97, 0.000_000_1))
  addTraffic(bridge, (lastAt + withinMs - startAt) / 60_000, Number(values.perMinute))
  clock.jump(Number(values.ahead) * second)
  clock.start()
  const watched = await watchBridge(bridge, {
    clock,
    served: clock.served,
    service: {
      ...(seed % 2 === 0 ? plainService : oddService),
      throttled: Number(values.throttled),
      manner: mannerOf(values.manner),
      faults: parseFaults(values.fault, startAt),
    },
    fees: seed % 2 === 1,
    secondSource: values.canonical,
    zoneNode: values.zoneNode,
    zoneLogs: values.zoneLogs,
  })
  const messages: Message[] = []
  while (clock.served.now() < lastAt + withinMs) {
    await clock.sleep(second)
    for (const text of watched.monitor.told().slice(messages.length))
      messages.push({ at: clock.served.now(), text: text.toLowerCase() })
  }
  write(`world ${seed}: ${JSON.stringify(bridge.style)}, ${messages.length} messages`)
  if (values.verbose) for (const { at, text } of messages) write(`${(at - startAt) / second} s ${text}\n`)
  for (const theft of thefts) judge(theft, messages)
  const marks = thefts.flatMap((theft) => [...theft.marks, ...theft.ids])
  for (const { kind, severity, at, subject, text } of watched.alerts()) {
    if (severity === 'info' || marks.some((mark) => text.includes(mark))) continue
    tally.falsely += 1
    write(
      `  BESIDE ${((at - startAt) / second).toFixed(0)} s ${severity} ${kind} ${subject} ${text.slice(0, 300)}`,
    )
  }
  await watched.stop()
  clock.stop()
}

interface Message {
  readonly at: number
  readonly text: string
}

/** A theft is told when a message names one of its transactions in full. */
function judge(theft: Theft, messages: readonly Message[]): void {
  const of = messages
    .filter(({ at }) => at <= theft.at + withinMs)
    .filter(({ text }) => theft.marks.some((mark) => text.includes(mark)))
  const [first] = of
  const { stolen } = theft
  const what = `${theft.form}: ${stolen ? `${stolen.amount} ${stolen.symbol}` : 'no money'}`
  tally.all += 1
  if (first === undefined) {
    write(`  MISSED ${what} ${theft.marks.join(' ')}`)
    return
  }
  tally.told += 1
  tally.delays.push(first.at - theft.at)
  const critical = of.find(({ text }) => text.includes('critical'))
  if (!critical) tally.warned += 1
  const isSaid = stolen === null || of.some(({ text }) => says(text, stolen))
  if (!isSaid) tally.unsaid += 1
  const doubts = [
    ...(first.at - theft.at > 120 * second ? ['LATE'] : []),
    ...(critical ? [] : ['WARNED']),
    ...(isSaid ? [] : ['ANOTHER AMOUNT']),
  ]
  const [line] = (critical ?? first).text.split('\n')
  write(`  ${[((first.at - theft.at) / second).toFixed(0), 's', ...doubts, what].join(' ')}: ${line}`)
}

function says(
  text: string,
  { amount, symbol }: { readonly amount: string; readonly symbol: string },
): boolean {
  const plain = text.replaceAll(/(?<=\d),(?=\d{3})/g, '')
  return plain.includes(amount) && plain.includes(symbol.toLowerCase())
}

function shuffled<T>(next: () => number, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}
