import { describe, expect, test } from 'vitest'
import { fc, seeds } from '../../support/fastCheck.ts'
import type { CaseCommand } from '../../../src/alerts/caseOperations.ts'
import { createOperations } from '../../../src/alerts/operations.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { Message, MessageItem } from '../../../src/delivery/channels/message.ts'
import {
  drift,
  failed,
  failure,
  lack,
  minute,
  outflow,
  shortfall,
  smallDrift,
  theft,
  tx,
  unbacked,
} from './caseWorld.ts'
import { ana, createBench, createFakeChannel, createRoute, createRule, vocabulary } from './harness.ts'

const usdc = `0x${'c'.repeat(40)}`
const vault = `0x${'e'.repeat(40)}`
const stalled = createRule({ name: 'stalled', kind: 'transfer.stalled', severity: 'critical' })
const rules = [failed, unbacked, drift, smallDrift, shortfall, stalled]
const afterMs = 10 * minute

type Step =
  | { readonly do: 'theft'; readonly n: number; readonly amount: string; readonly party: number }
  | {
      readonly do: 'fail'
      readonly n: number
      readonly text: string
      readonly amount: string
      readonly tx: number
    }
  | {
      readonly do: 'drift'
      readonly moves: readonly (readonly [number, string])[]
      readonly isSmall: boolean
    }
  | { readonly do: 'lack'; readonly amount: string | null }
  | { readonly do: 'stall'; readonly ns: readonly number[] }
  | { readonly do: 'hand'; readonly verb: CaseCommand['do']; readonly nth: number }
  | { readonly do: 'silence'; readonly rule: string; readonly ms: number }
  | { readonly do: 'expire' }
  | { readonly do: 'restart' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'wall'; readonly ms: number }

const amount = fc.constantFrom('0.5', '10', '1000', '250000')
const n = fc.integer({ min: 1, max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('theft' as const), n, amount, party: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    do: fc.constant('fail' as const),
    n,
    text: fc.constantFrom('', 'nonce too low', 'out of gas'),
    amount,
    tx: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({
    do: fc.constant('drift' as const),
    moves: fc.uniqueArray(fc.tuple(n, amount), { maxLength: 3, selector: ([one]) => one }),
    isSmall: fc.boolean(),
  }),
  fc.record({ do: fc.constant('lack' as const), amount: fc.option(amount) }),
  fc.record({ do: fc.constant('stall' as const), ns: fc.uniqueArray(n, { maxLength: 3 }) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hand' as const),
      verb: fc.constantFrom('ack' as const, 'handle' as const, 'reopen' as const),
      nth: fc.nat(3),
    }),
  },
  fc.record({
    do: fc.constant('silence' as const),
    rule: fc.constantFrom(...rules.map(({ name }) => name)),
    ms: fc.constantFrom(minute, 30 * minute),
  }),
  fc.constant({ do: 'expire' as const }),
  fc.constant({ do: 'restart' as const }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, minute, 11 * minute, 70 * minute),
    }),
  },
)

const escrows = [{ address: vault, token: usdc }]
const routes = [
  createRoute({ id: 'r1', channels: ['ops', 'app'], groupWaitMs: 0, continue: true }),
  createRoute({
    id: 'r2',
    channels: ['ops'],
    groupWaitMs: 0,
    escalate: [{ afterMs, channels: ['boss'] }],
  }),
]

function start() {
  const fakes = [
    createFakeChannel('ops'),
    Object.assign(createFakeChannel('app'), { followsCases: true as const }),
    createFakeChannel('boss'),
  ]
  const channels = fakes.map(({ name, type, followsCases }) => ({
    name,
    type,
    followsCases: followsCases === true,
  }))
  const shared = { escrows, routes, fakes, channels, rules: rules }
  let bench = createBench(shared)
  const { database, clock } = bench
  bench.engine.start(clock.now())
  bench.engine.releaseStart()
  let dispatcher = bench.startSending()
  const truth = {
    drift: [] as Finding[],
    'small-drift': [] as Finding[],
    shortfall: [] as Finding[],
    stalled: [] as Finding[],
  }
  const judge = () => {
    for (const rule of [drift, smallDrift, shortfall, stalled])
      bench.engine.applyCondition(
        rule,
        { findings: truth[rule.name as keyof typeof truth], unknown: [] },
        clock.now(),
      )
  }
  const pump = async (ms: number) => {
    for (let left = ms; left >= 0; left -= 10_000) {
      judge()
      bench.engine.flush(clock.now())
      dispatcher.wake()
      await clock.advance(Math.min(10_000, Math.max(left, 0)))
      bench.engine.flush(clock.now())
      dispatcher.wake()
      await clock.advance(0)
    }
  }
  return {
    fakes,
    clock,
    truth,
    pump,
    bench: () => bench,
    tell: (rule: typeof failed, finding: Finding) =>
      bench.engine.tellEvents([{ rule, finding }], clock.now()),
    cases: () => bench.store.listCases({ states: ['open', 'acknowledged', 'handled', 'closed'], limit: 100 }),
    operations: () =>
      createOperations({
        store: bench.store,
        log: createSilentLog(),
        clock,
        kinds,
        vocabulary,
        following: new Set(['app']),
        onChanged: () => undefined,
      }),
    async restart() {
      await dispatcher.stop()
      bench = createBench({ ...shared, database, clock })
      bench.engine.start(clock.now())
      bench.engine.releaseStart()
      dispatcher = bench.startSending()
    },
    stop: () => dispatcher.stop(),
  }
}

const party = (one: number) => `0x${String(one).repeat(40)}`

async function play(world: ReturnType<typeof start>, steps: readonly Step[], check: () => void) {
  for (const one of steps) {
    // Each step has a time of its own.
    await world.clock.advance(1_000)
    switch (one.do) {
      case 'theft':
        world.tell(
          unbacked,
          theft(one.n, one.amount, {
            amountRaw: BigInt(Math.round(Number(one.amount) * 1e6)),
            targetAddress: party(one.party),
          }),
        )
        break
      case 'fail': {
        const f = failure(100 + one.n, one.text, { amount: one.amount, at: world.clock.now() })
        const main =
          one.tx === 0
            ? null
            : { chain: 'main' as const, hash: tx(one.tx), height: 5, time: world.clock.now() }
        world.tell(failed, { ...f, transfer: { ...(f.transfer as Transfer), amountRaw: 5n, main } })
        break
      }
      case 'drift':
        world.truth[one.isSmall ? 'small-drift' : 'drift'] = one.moves.map(([m, a]) => outflow(m, a))
        break
      case 'lack':
        world.truth.shortfall = one.amount === null ? [] : [lack(one.amount)]
        break
      case 'stall':
        world.truth.stalled = one.ns.map((m) => ({ ...theft(m, '10'), kind: 'transfer.stalled', facts: {} }))
        break
      case 'hand': {
        const row = world.cases()[one.nth]
        try {
          if (row) world.operations().changeCase({ id: `c${row.id}`, do: one.verb, text: 'x' }, ana)
        } catch (error) {
          if ((error as { code?: string }).code !== 'usage') throw error
        }
        break
      }
      case 'silence':
        world.bench().store.insertSilence({
          matchers: [`rule="${one.rule}"`],
          startsAt: world.clock.now(),
          endsAt: world.clock.now() + one.ms,
          author: 'a',
          comment: 'c',
          createdAt: world.clock.now(),
          transfer: null,
        })
        break
      case 'expire':
        for (const silence of world.bench().store.listSilencesAt(world.clock.now()))
          world.operations().expireSilence(silence.id, ana)
        break
      case 'restart':
        await world.restart()
        break
      case 'wait':
        await world.pump(one.ms)
        break
      case 'wall':
        world.clock.step(one.ms)
        break
    }
    await world.pump(0)
    if (one.do !== 'hand') check()
  }
}

/** What is critical and came just now lies in an open case. */
function assertOpened(world: ReturnType<typeof start>): void {
  for (const row of world.cases())
    for (const alert of world.bench().store.listCaseAlerts(row.id, 1_000)) {
      // One more of a storm that somebody has opens nothing.
      if (alert.severity !== 'critical' || alert.kind === 'transfer.failed') continue
      if (alert.firedAt === world.clock.now() && alert.state !== 'resolved') expect(row.state).toBe('open')
    }
}

const itemsOf = (messages: readonly Message[]) =>
  messages
    .flatMap(({ items, rest }) => [...items, ...rest])
    .flatMap((item): MessageItem[] => [item, ...item.joined])

describe('whatever happens to a case', () => {
  test.each([
    ...seeds().map((seed) => ({ seed, numRuns: Number(process.env['RUNS'] ?? 12) })),
    // What it once found.
    { seed: 1195400336, path: '4', numRuns: 1 },
  ])(
    'seed $seed: everything critical reaches every channel, and an untaken case escalates',
    async (run) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
          const world = start()
          const [ops, app, boss] = world.fakes as [
            (typeof world.fakes)[0],
            (typeof world.fakes)[0],
            (typeof world.fakes)[0],
          ]
          await play(world, steps, () => assertOpened(world))
          // All silences end, and everything has its time.
          await world.pump(31 * minute)
          const { store } = world.bench()
          const now = world.clock.now()
          for (const row of world.cases()) {
            const told = [ops, app].map((channel) => itemsOf(channel.sent).map(({ alertId }) => alertId))
            for (const alert of store.listCaseAlerts(row.id, 1_000)) {
              const id = alert.fingerprint.slice(0, 8)
              const isDue =
                alert.severity === 'critical' && (alert.nature === 'event' || alert.state === 'firing')
              if (!isDue) continue
              for (const [index, ids] of told.entries()) {
                if (!ids.includes(id))
                  throw new Error(
                    `${alert.rule} ${alert.subject} (${id}) was not told to ${index === 0 ? 'ops' : 'app'}`,
                  )
              }
            }
            // Escalated since its turn began.
            if (row.state === 'open' && now - row.turnAt > afterMs + minute) {
              const since = boss.sent.filter(
                (message) =>
                  message.createdAt >= row.turnAt &&
                  (message.case === null || message.case.id === `c${row.id}`),
              )
              const standing = store.listStanding(row.id, { now, limit: 10 })
              if (standing.length > 0 && since.length === 0) throw new Error(`c${row.id} did not escalate`)
            }
          }
          for (const channel of [ops, app]) {
            for (const row of world.cases())
              for (const alert of store.listCaseAlerts(row.id, 1_000)) {
                const id = alert.fingerprint.slice(0, 8)
                const fired = itemsOf(channel.sent).filter(
                  (item) => item.alertId === id && item.status === 'firing',
                )
                if (fired.length > alert.episode)
                  throw new Error(
                    `${alert.rule} ${alert.subject} fired ${fired.length} times to ${channel.name} in ${alert.episode} episodes`,
                  )
              }
            const firsts = itemsOf(channel.sent)
              .filter(({ status }) => status === 'event')
              .map(({ alertId }) => alertId)
            expect(new Set(firsts).size).toBe(firsts.length)
          }
          await world.stop()
        }),
        run,
      )
    },
    600_000,
  )
})
