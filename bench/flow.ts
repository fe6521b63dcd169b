import { createFlow } from '../src/checks/flow/read.ts'
import { flowImbalance } from '../src/checks/flow/imbalance.ts'
import { flowQuiet } from '../src/checks/flow/quiet.ts'
import { flowSurge } from '../src/checks/flow/surge.ts'
import type { Facts } from '../src/checks/index.ts'
import { openDatabase } from '../src/store/database.ts'
import { recount } from '../src/ledger/amounts/flow.ts'
import { toStep } from '../src/ledger/amounts/flowSteps.ts'

/**
 * What a tick costs that judges a dozen rules on the flow, with 30 days of 20 tokens in the ledger, 100,000 transfers a
 * day. Run with `node bench/flow.ts`.
 */
const perDay = Number(process.argv[2] ?? 100_000)
const days = Number(process.argv[3] ?? 30)
const dayMs = 86_400_000
const start = Date.UTC(2026, 0, 1)

const db = openDatabase(':memory:')
let seed = 1
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
function countOne(at: number): void {
  const s = toStep(at)
  const token = `0x${Math.floor(random() ** 2 * 20)}`
  const d = random() < 0.5 ? 'MainToZone' : 'ZoneToMain'
  const a = String(BigInt(Math.floor(random() * 1e9)) * 10n ** 12n)
  const flow = JSON.stringify([a, s, toStep(at + 20_000), null])
  recount(db, null, { state: 'completed', token, direction: d, flow, originAt: at, destinationAt: null })
}
const began = performance.now()
for (let day = days; day > 0; day -= 1) {
  db.transaction(() => {
    for (let n = 0; n < perDay; n += 1) countOne(start - day * dayMs + (n * dayMs) / perDay)
  })
}
console.log(`counted ${perDay * days} transfers in ${Math.round(performance.now() - began)} ms`)

const observed = { since: () => start - days * dayMs, share: () => 1 }
const token = () => ({ symbol: null, decimals: 18 })
const settleMs = () => 60_000
const folding = createFlow({
  db,
  observed,
  token,
  settleMs,
  limits: { folds: 1e6, windows: 12, failures: 2_000 },
})
db.transaction(() => folding(start))
const read = createFlow({ db, observed, token, settleMs })

const surge = (params: object) => [flowSurge, flowSurge.params.parse(params)] as const
const rules = [
  surge({ window: '15m', copies: 5 }),
  surge({ window: '1h', direction: 'ZoneToMain', share: 0.3 }),
  surge({ window: '15m', timesPast: 4, minCount: 50 }),
  surge({ window: '1h', timesPast: 4 }),
  surge({ window: '1h', timesPastAmount: 4 }),
  surge({ window: '6h', maxAmount: { '0x1': '1000000000' } }),
  surge({ window: '24h', maxCount: 1_000_000 }),
  surge({ window: '15m', side: 'started', timesPast: 4 }),
  [flowQuiet, flowQuiet.params.parse({})],
  [flowQuiet, flowQuiet.params.parse({ window: '30m' })],
  [flowQuiet, flowQuiet.params.parse({ by: 'token' })],
  [flowImbalance, flowImbalance.params.parse({})],
] as const

const took: number[] = []
for (let second = 0; second < 400; second += 1) {
  const now = start + second * 1_000
  db.transaction(() => countOne(now))
  const from = performance.now()
  db.transaction(() => {
    // Of all facts these judge by the flow alone.
    const facts = {
      now,
      flow: read(now),
      listLag: null,
      escrow: { moves: [], holdings: [] },
    } as unknown as Facts
    for (const [detector, params] of rules) detector.judge(facts, params)
  })
  took.push(performance.now() - from)
}
const percentile = (of: readonly number[], share: number) =>
  [...of].sort((a, b) => a - b)[Math.min(of.length - 1, Math.floor(of.length * share))]?.toFixed(2)
console.log(`first tick after a start: ${took[0]?.toFixed(1)} ms`)
console.log(`while the past is read: median ${percentile(took.slice(1, 70), 0.5)} ms`)
const steady = took.slice(100)
console.log(
  `a tick of ${rules.length} rules: median ${percentile(steady, 0.5)} ms, p99 ${percentile(steady, 0.99)} ms`,
)
