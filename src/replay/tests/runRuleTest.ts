import { nth } from '../../lib/nth.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { evaluate } from '../../kernel/evaluate.ts'
import { evaluateConditions } from '../../rules/evaluateRules.ts'
import { originChain, originLeg } from '../../bridge/transfer.ts'
import { applyInput } from './applyInput.ts'
import { compareExpectation, type Difference } from './compareExpectation.ts'
import { createTestWorld, readableUntil, readTestFacts, settleMs, type TestWorld } from './createTestWorld.ts'
import { createDeliverer, type Deliverer, type Told } from './deliverNow.ts'
import type { LoadedTests } from './loadRuleTests.ts'
import type { RuleTest, TestInput } from './testSchema.ts'

export interface TestResult {
  readonly name: string
  /** Its place in the file. */
  readonly index: number
  readonly differences: readonly Difference[]
}

interface Run {
  readonly world: TestWorld
  readonly deliverer: Deliverer
  readonly test: RuleTest
  readonly everyMs: number
  /** Told since an expectation last spoke of it. */
  told: Told[]
  /** When something is due by itself. */
  nextAt: UnixMs | null
}

/**
 * Runs one test: time goes from one moment at which something can change to the next, so that a day costs what happens
 * in it. What happens is what the daemon would do at those moments.
 */
export function runRuleTest({ file, rules }: LoadedTests, index: number): TestResult {
  const test = nth(file.tests, index)
  const world = createTestWorld(file, rules, test)
  const run: Run = {
    world,
    deliverer: createDeliverer(world),
    test,
    everyMs: test.every ?? file.every,
    told: [],
    nextAt: null,
  }
  try {
    return { name: test.name, index, differences: go(run) }
  } finally {
    world.db.close()
  }
}

function go(run: Run): Difference[] {
  const { world, test } = run
  const inputs = test.inputs.flatMap((input, place) =>
    spread(input).map((one) => ({ input: one, place, at: world.start + one.at })),
  )
  inputs.sort((a, b) => a.at - b.at || a.place - b.place)
  const differences: Difference[] = []
  let now = world.start
  for (const [place, expectation] of test.expect.entries()) {
    const until = world.start + expectation.at
    for (;;) {
      world.clock.set(now)
      while (inputs[0] && inputs[0].at <= now) {
        const [next] = inputs.splice(0, 1)
        const problem = next && tryInput(run, next.input, next.place)
        if (problem) return [...differences, problem]
      }
      tick(run, now)
      if (now >= until) break
      now = findNext(run, now, Math.min(until, inputs[0]?.at ?? until))
    }
    differences.push(...compareExpectation(world, { expectation, place, told: run.told }))
    if (expectation.told !== undefined || expectation.silent) run.told = []
  }
  return differences
}

/** One input for each of the transfers that it stands for. */
function spread(input: TestInput): TestInput[] {
  const { transfer, count, apart = 0 } = input
  if (transfer === undefined || count === undefined) return [input]
  return Array.from({ length: count }, (_, index) => ({
    ...input,
    at: input.at + index * apart,
    transfer: `${transfer}.${index + 1}`,
  }))
}

function tryInput(run: Run, input: RuleTest['inputs'][number], place: number): Difference | null {
  try {
    applyInput(run.world, input)
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { path: ['inputs', place], at: input.at, key: 'input', message, expected: [], got: [] }
  }
}

function tick(run: Run, now: UnixMs): void {
  const { world } = run
  readAgain(world, now)
  const { engine, rules, said } = world
  world.db.transaction(() => {
    evaluate({ engine, rules, facts: readTestFacts(world, now), raised: [...said.raised.values()] }, now)
    engine.flush(now)
  })
  const { told, nextAt } = run.deliverer.deliver(now)
  run.told.push(...told)
  const flushAt = world.db.transaction(() => world.engine.flush(now))
  run.nextAt = earliest([flushAt, nextAt, ...listTimers(world)], now)
}

/** A record that names no origin is judged once it was read again after records have had their time. */
function readAgain(world: TestWorld, now: UnixMs): void {
  for (const [name, reading] of listUnnamed(world)) {
    const dueAt = reading.dueAt
    if (now < dueAt || readableUntil(world.said, now) < dueAt) continue
    const key = world.said.keys.get(name)
    if (key === undefined || (world.ledger.getTransfer(key)?.readAt ?? now) >= dueAt) continue
    world.commit({ answers: [[{ ...reading.observation, requestedAt: now }]], judge: [key] })
  }
}

function listUnnamed(world: TestWorld) {
  return [...world.said.readings].flatMap(([name, { observation }]) => {
    if (observation[originChain(observation.direction) === 'main' ? 'mainHash' : 'zoneHash'] !== null)
      return []
    const key = world.said.keys.get(name)
    const transfer = key === undefined ? null : world.ledger.getTransfer(key)
    if (transfer?.state !== 'unbacked' || originLeg(transfer) !== null) return []
    const dueAt = (transfer.destinationAt ?? transfer.firstSeenAt) + settleMs
    return [[name, { observation, dueAt }] as const]
  })
}

const noDataMs = 300_000

/** When an alert, or what the engine says of itself, changes by the passing of time alone. */
function listTimers(world: TestWorld): (UnixMs | null)[] {
  const { store, rules } = world
  const byName = new Map(rules.map((rule) => [rule.name, rule]))
  const alerts = store.listActive().map((head) => {
    const rule = byName.get(head.rule)
    if (head.state === 'pending') return head.activeAt + (rule?.forMs ?? 0)
    return head.keepSince === null ? null : head.keepSince + (rule?.keepFiringForMs ?? 0)
  })
  const evaluations = store
    .listEvaluations()
    .flatMap(({ unknownSince, errors, failingSince }) => [
      unknownSince === null ? null : unknownSince + noDataMs,
      errors === 0 || failingSince === null ? null : failingSince + noDataMs,
    ])
  return [...alerts, ...evaluations, ...listUnnamed(world).map(([, { dueAt }]) => dueAt)]
}

function earliest(times: readonly (UnixMs | null)[], after: UnixMs): UnixMs | null {
  const later = times.filter((time): time is UnixMs => time !== null && time > after)
  return later.length === 0 ? null : Math.min(...later)
}

/** Looks at most so many evaluations ahead at once: what is true for a shorter time could be passed over. */
const longestStep = 8

/** The next moment after `now` at which something is due or a condition is judged otherwise; `until` at the latest. */
function findNext(run: Run, now: UnixMs, until: UnixMs): UnixMs {
  const limit = Math.min(until, run.nextAt ?? until)
  // There is nothing in between.
  if (limit - now <= run.everyMs) return limit
  const before = judge(run, now)
  let step = 1
  let from = now
  while (from < limit) {
    const to = Math.min(from + step * run.everyMs, limit)
    if (judge(run, to) !== before) return findEdge(run, { from, to, before })
    from = to
    step = Math.min(step * 2, longestStep)
  }
  return limit
}

function findEdge(run: Run, of: { from: UnixMs; to: UnixMs; before: string }): UnixMs {
  let low = 0
  let high = Math.ceil((of.to - of.from) / run.everyMs)
  const at = (step: number) => Math.min(of.from + step * run.everyMs, of.to)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (judge(run, at(middle)) === of.before) low = middle
    else high = middle
  }
  return at(high)
}

/** What every condition says at a time, as one text to compare. */
function judge({ world }: Run, at: UnixMs): string {
  const raised = [...world.said.raised.values()]
  return evaluateConditions(world.rules, readTestFacts(world, at), raised)
    .map(({ rule, judgement, errors }) => {
      const subjects = judgement.findings.map(({ subject }) => subject).join()
      return `${rule.name}:${subjects}/${String(judgement.unknown)}/${errors.length}`
    })
    .join('|')
}
