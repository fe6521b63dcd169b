import { createOperations } from '../../../src/alerts/operations.ts'
import type { CaseCommand } from '../../../src/alerts/caseOperations.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import {
  type BenchOptions,
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  type FakeChannel,
  start,
  vocabulary,
} from './harness.ts'

export const usdc = `0x${'c'.repeat(40)}`
export const vault = `0x${'e'.repeat(40)}`
export const tx = (n: number) => `0x${String(n).padStart(64, '7')}`
export const minute = 60_000

export const failed = createRule({ severity: 'critical' })
export const unbacked = createRule({ name: 'unbacked', kind: 'transfer.unbacked', severity: 'critical' })
export const drift = createRule({ name: 'drift', kind: 'escrow.drift', severity: 'critical' })
export const smallDrift = createRule({ name: 'small-drift', kind: 'escrow.drift', severity: 'warning' })
export const shortfall = createRule({ name: 'shortfall', kind: 'escrow.shortfall', severity: 'critical' })
export const slow = createRule({ name: 'slow', kind: 'transfer.stalled', severity: 'warning' })

/** A withdrawal that was paid in transaction `n` and has no origin. */
export function theft(n: number, amount: string, overrides: Partial<Transfer> = {}): Finding {
  const main = { chain: 'main' as const, hash: tx(n), height: 5, time: start - minute }
  return {
    ...createEvent(n, { main, zone: null, amount, state: 'unbacked', originProof: 'absent', ...overrides }),
    kind: 'transfer.unbacked',
    facts: { reason: 'absent' },
  }
}

export function outflow(n: number, amount: string): Finding {
  return createCondition(`${vault}:${usdc}:${tx(n)}`, {
    kind: 'escrow.drift',
    labels: { chain: 'main', escrow: vault, token: usdc },
    facts: { direction: 'out', amount, mainTxHash: tx(n), sum: '' },
  })
}

export function lack(missing: string): Finding {
  return createCondition('usdc', {
    kind: 'escrow.shortfall',
    labels: { chain: 'main', escrow: vault, token: usdc },
    facts: { missing },
  })
}

/** A failure with its text. */
export function failure(n: number, errorMessage: string, { at = start, amount = '5' } = {}): Finding {
  return { ...createEvent(n, { originAt: at, amount }), facts: { errorMessage }, since: at }
}

/** Engine and dispatcher on a clock moved by hand, with a channel `ops`, and `pager`, which follows cases. */
export function run(options: BenchOptions = {}) {
  const following = createFakeChannel('pager')
  const fakes = options.fakes ?? [
    createFakeChannel('ops'),
    Object.assign(following, { followsCases: true as const }),
  ]
  const channels = fakes.map(({ name, type, followsCases }) => ({
    name,
    type,
    followsCases: followsCases === true,
  }))
  const bench = createBench({
    escrows: [{ address: vault, token: usdc }],
    routes: [createRoute({ channels: fakes.map(({ name }) => name), groupWaitMs: 0 })],
    ...options,
    fakes,
    channels,
  })
  const { engine, clock, store } = bench
  const dispatcher = bench.startSending()
  const actor = { by: 'ana', from: { via: 'cli' as const, address: null, role: null, session: null } }
  const operations = createOperations({
    store,
    log: createSilentLog(),
    clock,
    kinds,
    vocabulary,
    following: new Set(['pager']),
    onChanged: () => undefined,
  })
  const send = async (ms = 0) => {
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(ms)
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(0)
  }
  return {
    ...bench,
    pager: fakes[1] as FakeChannel,
    send,
    async tell(rule: typeof failed, ...findings: Finding[]) {
      engine.tellEvents(
        findings.map((finding) => ({ rule, finding })),
        clock.now(),
      )
      await send()
    },
    async judge(rule: typeof failed, ...findings: Finding[]) {
      engine.applyCondition(rule, { findings, unknown: [] }, clock.now())
      await send()
    },
    async by(id: string, verb: CaseCommand['do'], text: string | null = null, turn?: number) {
      const row = operations.changeCase({ id, do: verb, text, turn }, actor)
      await send()
      return row
    },
    cases: () =>
      store
        .listCases({ states: ['open', 'acknowledged', 'handled', 'closed'], limit: 100 })
        .toSorted((a, b) => a.id - b.id),
    stop: () => dispatcher.stop(),
  }
}
