import { createOperations } from '../../src/alerts/operations.ts'
import type { CaseCommand } from '../../src/alerts/caseOperations.ts'
import type { Finding } from '../../src/bridge/finding.ts'
import type { Transfer } from '../../src/bridge/transfer.ts'
import { kinds } from '../../src/checks/index.ts'
import { toTokenFacts } from '../../src/delivery/describeCase.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import type { LoadedRule } from '../../src/rules/types.ts'
import { createAlertViews } from '../../src/web/views/toAlertView.ts'
import type { CaseStorySource } from '../../src/web/views/toCaseView.ts'
import {
  ana,
  type BenchOptions,
  createBench,
  createCondition,
  createEvent,
  createRoute,
  createRule,
  start,
  vocabulary,
} from '../unit/alerts/harness.ts'

export const usdc = `0x${'c'.repeat(40)}`
export const unbacked = createRule({ name: 'unbacked', kind: 'transfer.unbacked', severity: 'critical' })
export const failed = createRule({ severity: 'critical' })
export const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'warning' })

const tx = (n: number) => `0x${String(n).padStart(64, '7')}`

/** A withdrawal that was paid in a transaction of its own and has no origin. */
export function theft(n: number, amount: string, overrides: Partial<Transfer> = {}): Finding {
  const main = { chain: 'main' as const, hash: tx(n), height: 5, time: start - 60_000 }
  const about = { main, zone: null, amount, state: 'unbacked' as const, originProof: 'absent' as const }
  return {
    ...createEvent(n, { ...about, ...overrides }),
    kind: 'transfer.unbacked',
    facts: { reason: 'absent' },
  }
}

/** One of many that failed for the same reason. */
export function failure(n: number, amount: string, at = start): Finding {
  return {
    ...createEvent(n, { originAt: at, amount }),
    facts: { errorMessage: 'nonce too low' },
    since: at,
  }
}

/** Alerts, their cases, and what people do with them, on a clock that is moved by hand. */
export function createCaseWorld(options: BenchOptions = {}) {
  const routes = [createRoute({ escalate: [{ afterMs: 600_000, channels: ['pager'] }] })]
  const rules: LoadedRule[] = [unbacked, failed, stalled]
  const bench = createBench({ routes, rules, ...options })
  const { store, clock, engine } = bench
  const operations = createOperations({
    store,
    log: createSilentLog(),
    clock,
    kinds,
    vocabulary,
    following: new Set(),
    onChanged: () => undefined,
  })
  return {
    ...bench,
    tell: (rule: LoadedRule, ...findings: Finding[]) =>
      engine.tellEvents(
        findings.map((finding) => ({ rule, finding })),
        clock.now(),
      ),
    judge: (rule: LoadedRule, ...findings: Finding[]) =>
      engine.applyCondition(rule, { findings, unknown: [] }, clock.now()),
    stall: (chain: string) => createCondition(chain, { since: clock.now() }),
    by: (id: string, verb: CaseCommand['do'], text: string | null = null) =>
      operations.changeCase({ id, do: verb, text }, ana),
    views: (): CaseStorySource => ({
      ...createAlertViews(store, rules, clock.now()),
      tokens: toTokenFacts({ tokens: [{ address: usdc, symbol: 'USDC', usd: '0.5' }] }),
      routes,
      links: { main: null, zone: null },
    }),
  }
}
