import { outsideFilter } from '../../clients/explorer/fits.ts'
import { describeLacks } from '../../clients/explorer/describeLacks.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import { readsSource } from '../../kernel/running/coverage.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import { readSources } from '../../kernel/sharedFacts.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { readForgottenUntil } from '../../ledger/lessons/historyMarks.ts'
import { listNamed } from '../../ledger/transfers/named.ts'
import { toCoverage } from './toCoverage.ts'
import type { AskedPayment, GateFacts, MonitorFacts, ReachFacts, SourceFacts } from './gateFacts.ts'
import { readTransferFacts } from './readTransferFacts.ts'

/** Transfers of one hash that are judged at once: each costs about a millisecond. */
const mostTransfers = 10

/** Answers that fit no question are looked at for so long. */
const mismatchMs = 300_000

/** A second origin of one main transaction has to be as deep as a receipt that is believed. */
const usualConfirmations = 3

/** Everything that the gate judges a name by, from the ledger and from memory: no source is asked. */
export function readGate(parts: AppParts, name: string, asked: AskedPayment, now: UnixMs): GateFacts {
  const keys = listNamed(parts.db, name, mostTransfers + 1)
  return {
    now,
    name,
    asked,
    monitor: readMonitorFacts(parts),
    sources: readSourceFacts(parts, now),
    reach: readReach(parts),
    transfers: keys.length > mostTransfers ? null : readTransferFacts(parts, keys, name, now),
  }
}

function readMonitorFacts({ evaluate, state, alerts }: AppParts): MonitorFacts {
  return {
    judgedAt: evaluate.counts().lastAt,
    unchecked: state.integrity.pending(),
    isUnsaved: state.isUnsaved(),
    failingRules: alerts.listEvaluations().flatMap(({ rule, errors }) => (errors > 0 ? [rule] : [])),
  }
}

function readSourceFacts(parts: AppParts, now: UnixMs): SourceFacts {
  const { config, explorer, horizons, intervals } = parts
  const sources = readSources({ ...parts, intervals: intervals.byEndpoint })
  const lacks = describeLacks(config.explorer.dialect, explorer.keys.list())
  const mismatches = explorer.mismatches.list(now - mismatchMs)
  return {
    coverage: toCoverage(sources, intervals.byEndpoint),
    rejected: sources.flatMap(({ source, rejected }) => (rejected ? [source] : [])),
    pollers: parts.pollerStatus().filter(readsSource),
    aside: explorer.empties.listAside(now),
    lacks: [
      ...lacks.flatMap(({ use, isStill, problem }) => (use === 'judged' && isStill ? [problem] : [])),
      ...mismatches.flatMap(({ problem }) => (problem.startsWith(outsideFilter) ? [] : [problem])),
    ],
    listLag: horizons.listLag(now),
  }
}

function readReach(parts: AppParts): ReachFacts {
  const { config, db, horizons, tellSince } = parts
  const { history } = parts.cursors.read()
  return {
    horizons: horizons.read(),
    heads: listHeads(db),
    confirmations: config.canonical?.confirmations ?? usualConfirmations,
    settleMs: parts.settleMs(),
    clockLeadMs: parts.clockLeadMs(),
    watchedSince: Math.max(tellSince, history.until),
    forgottenUntil: readForgottenUntil(db),
    walk: history.done ? null : { reachedAt: history.reachedAt },
  }
}
