import type { UnixMs } from '../../lib/clock.ts'
import type { Facts } from '../../checks/facts.ts'
import type { SourceHealth } from '../../clients/sourceHealth.ts'
import type { Head } from '../../kernel/heads.ts'
import { type HeadState, readableUntil, type SourceState, type TestWorld } from './createTestWorld.ts'
import { resolveMoments } from './moment.ts'

/** Everything that conditions are judged on, as it would be at `now` if no further input came. */
export function readTestFacts(world: TestWorld, now: UnixMs): Facts {
  const { said, ledger, start, db, flow, latency } = world
  const readAt = readableUntil(said, now)
  const { challenges, ...given } = resolveMoments(said.facts, { start, now })
  return {
    now,
    heads: [...said.heads].map(([chain, head]) => toHead(chain, head, readAt)),
    sources: [...said.sources].map(([name, source]) => toSource(name, source, { start, now })),
    canonicalHead: null,
    preconf: null,
    pollers: [],
    drift: [],
    lacks: [],
    unreadKeys: [],
    rulesRejected: null,
    empties: { source: 'explorer', since: now - 300_000, answers: 0, contradicted: 0 },
    listLag: null,
    incomplete: [],
    // Whatever is open is read again as long as the explorer answers: only the time of reading is other then.
    *listPending(filter) {
      for (const transfer of ledger.listPending(filter))
        yield { ...transfer, readAt: Math.max(transfer.readAt, readAt) }
    },
    countPending: () => ledger.countByState().pending,
    escrow: { moves: [], sums: [], unjudged: [], holdings: [] },
    operators: [],
    newestOriginAt: null,
    // What it sums up it saves.
    flow: db.transaction(() => flow(now)),
    latency: latency(now),
    challenges: {
      terminal: challenges?.terminal ?? [],
      listUnsettled: (sinceOrBefore) =>
        (challenges?.unsettled ?? []).filter(({ since }) => since <= sinceOrBefore),
    },
    ...given,
  }
}

function toHead(chain: Head['chain'], { height, from, everyMs }: HeadState, readAt: UnixMs): Head {
  const steps = everyMs === null || readAt <= from ? 0 : Math.floor((readAt - from) / everyMs)
  const advancedAt = from + steps * (everyMs ?? 0)
  return { chain, height: height + steps, blockTime: advancedAt, advancedAt, readAt: Math.max(readAt, from) }
}

const intervalMs = 5_000

function toSource(
  source: string,
  { state, since, reason }: SourceState,
  { start, now }: { readonly start: UnixMs; readonly now: UnixMs },
): SourceHealth {
  const isGood = state === 'good'
  return {
    source,
    host: `${source}.example.com`,
    startedAt: start,
    endpoints: [
      {
        endpoint: source === 'explorer' ? 'E3' : 'eth_blockNumber',
        firstAskedAt: start,
        lastGoodAt: isGood ? now : since,
        lastFailureAt: isGood ? null : now,
        lastFailure: isGood ? null : reason,
        failingSince: isGood ? null : since,
        ownFailures: 0,
        isThrottling: false,
        backAt: isGood ? since : null,
        intervalMs,
      },
    ],
    backAt: isGood ? since : null,
    rejected: state === 'rejected' ? { at: since, reason } : null,
  }
}
