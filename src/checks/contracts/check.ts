import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import { indexAdministration, readAdministration } from './administration.ts'
import { contractChanged, toPreconfirmedAct, toWordsFinding } from './changed.ts'
import { followContract } from './followContract.ts'
import { createContractHistory } from './history.ts'
import { type ContractsPart, givenContracts } from './facts.ts'
import { judgeLogs } from './judgeLogs.ts'
import { createLogLag } from './logLag.ts'
import { forgetSamples, hasLog, purgeLogs } from './logStore.ts'
import { createNoLogsReader } from './noLogs.ts'
import { readProgress } from './progressStore.ts'
import { contractSilent } from './silent.ts'
import { verifySource } from './verifySource.ts'
import type { Finding } from '../../bridge/finding.ts'
import { partyOf, type Transfer } from '../../bridge/transfer.ts'
import type { RelatedTransfers } from '../../ledger/context.ts'
import { accuses } from '../../alerts/store/accused.ts'
import { listConsent, listDissent } from '../../meaning/taught.ts'

/** A run of the history takes no longer, however much else is asked. */
const historyRunMs = 30_000

/**
 * How often a verified source is read: code may be exchanged without an event, and is reported within two minutes, the
 * confirming reading and the ticks between included. With many contracts more rarely.
 */
const leastVerifyMs = 40_000
const verifySpacingMs = 6_000

/** How often the logs of an escrow are read that is none of the bridge's contracts: reported within three minutes. */
const escrowEveryMs = 60_000

/** Logs of the last quarter of an hour are read again; open ones may still find their transfer for a day. */
const keptBlocks = 3_000
const openMs = 86_400_000
const purgedAtOnce = 5_000

/** The bridge's contracts: their logs against the ledger, what their administration does, and their verified sources. */
export const contracts: Check<ContractsPart> = {
  name: 'contracts',
  kinds: [contractChanged, contractSilent],
  given: givenContracts,
  open(kernel) {
    const { acts, config, db, trigger } = kernel
    const { bridge, poll } = config
    const configured = new Map(bridge.events.map(({ topic, means }) => [topic, means]))
    const named = bridge.events.flatMap(({ topic, means, name }): [string, string][] =>
      means === 'administration' ? [[topic, name]] : [],
    )
    const common = { ...kernel, administration: indexAdministration(), named: new Map(named) }
    acts.follow({ actOf: (log, now) => readAct(common, log, now) })
    const watched = bridge.contracts.map((address) => ({ ...common, address }))
    const follow = watched.map((contract) => followContract(contract))
    const administered = listAdministered(bridge).map((address) => ({
      ...common,
      address,
      isEscrow: true,
    }))
    const followNext = takeTurns(
      kernel.clock,
      administered.map((contract) => followContract(contract)),
    )
    const newest = async (signal: AbortSignal) => {
      const results = await Promise.allSettled(follow.map((read) => read({ priority: 'tail', signal })))
      if (judgeLogs({ ...kernel, configured })) trigger('contracts')
      throwFirst(results)
    }
    // What was missed, and the past: apart, because it waits for whatever else is asked.
    const all = [...watched, ...administered]
    const everyMs = Math.max(leastVerifyMs, all.length * verifySpacingMs)
    const readHistory = createContractHistory(all)
    const logLag = createLogLag(kernel)
    const history = (signal: AbortSignal) =>
      withinTime(kernel.clock, signal, async (inner) => {
        await logLag.confirm({ priority: 'sweep', signal: inner })
        await followNext({ priority: 'sweep', signal: inner })
        for (const contract of [...watched, ...administered.filter(({ address }) => emits(db, address))])
          await verifySource({ ...contract, everyMs }, inner)
        await readHistory(inner)
      })
    const readNoLogs = createNoLogsReader(kernel)
    const pollers = [
      ...(watched.length > 0 ? [{ name: 'contracts', schedule: poll.contracts, run: newest }] : []),
      { name: 'contractHistory', schedule: poll.contracts, isBackground: true, run: history },
    ]
    return {
      pollers: all.length > 0 ? pollers : [],
      facts: (now) => ({ noLogs: readNoLogs(now) }),
      onTransfers: (changed) => logLag.note(changed),
      onAccused({ main }) {
        if (main !== null) forgetSamples(db, main.hash)
      },
      onJudged: (transfer, found, related, now) => weighDissent(kernel, transfer, found, related, now),
      prune(now) {
        for (const { address } of all) pruneLogs(db, address, now)
      },
    }
  },
}

/** Escrows beside the contracts: of their logs only who governs them matters, and it can wait for minutes. */
function listAdministered({
  contracts,
  escrows,
}: Pick<Kernel['config']['bridge'], 'contracts' | 'escrows'>): string[] {
  const named = new Set(contracts.map((address) => address.toLowerCase()))
  return [...new Set(escrows.map(({ address }) => address.toLowerCase()))].filter((one) => !named.has(one))
}

/** Each of them at its pace, but at most one at a time, so that many do not crowd out what is asked behind them. */
function takeTurns(
  clock: Clock,
  runs: readonly ((options: ReadOptions) => Promise<void>)[],
): (options: ReadOptions) => Promise<void> {
  let turn = 0
  let dueMs = 0
  return async (options) => {
    const run = runs[turn % runs.length]
    const nowMs = clock.monotonicMs()
    if (!run || nowMs < dueMs) return
    turn += 1
    dueMs = nowMs + escrowEveryMs / runs.length
    await run(options)
  }
}

/** Whether it is known to be a contract: of a wallet there is no source, and an explorer may refuse to be asked for one. */
function emits(db: Database, address: string): boolean {
  return readProgress(db, address).lastLogHeight !== null
}

/** An act in a transaction that is in no block yet; null where its log was read already. */
function readAct(
  {
    administration,
    db,
    named,
  }: Pick<Kernel, 'db'> & {
    readonly administration: ReturnType<typeof indexAdministration>
    readonly named: ReadonlyMap<string, string>
  },
  log: BridgeLog,
  now: UnixMs,
): Finding | null {
  const act = readAdministration(administration, named, log)
  return act === null || hasLog(db, log) ? null : toPreconfirmedAct(log, act, now)
}

function pruneLogs(db: Database, contract: string, now: UnixMs): void {
  const { next, lastLogHeight } = readProgress(db, contract)
  if (next === null) return
  const belowHeight = Math.min(next - keptBlocks, lastLogHeight ?? next)
  purgeLogs(db, { contract, belowHeight, openSince: now - openMs, limit: purgedAtOnce })
}

/** Work that waits behind everything else gives up after a time and goes on at the next tick. */
async function withinTime(
  clock: Clock,
  signal: AbortSignal,
  work: (inner: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const late = new AbortController()
  const waiting = clock.sleep(historyRunMs, AbortSignal.any([signal, ended.signal])).then(() => late.abort())
  try {
    await work(AbortSignal.any([signal, late.signal]))
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error
  } finally {
    ended.abort()
    await waiting
  }
}

/** One contract's trouble must not hide the others' logs, but has to be seen. */
function throwFirst(results: readonly PromiseSettledResult<void>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Counts who disagrees with what was learned of zone actions, each after it was reported by itself: enough in a row of
 * different parties suspend what was learned. An upgrade is reported in this way, and honest transfers no more.
 */
function weighDissent(
  { config, horizons, kinds, learned }: Pick<Kernel, 'config' | 'horizons' | 'kinds' | 'learned'>,
  transfer: Transfer,
  found: readonly Finding[],
  related: RelatedTransfers,
  now: UnixMs,
): Finding[] {
  if (!transfer.isListed || transfer.zone === null || transfer.status === 'failed') return []
  const { zone, firstSeenAt: at } = transfer
  const accusing = found.filter((one) => accuses(kinds, one))
  if (accusing.length === 0 && !learned.hasDissent()) return []
  const listedUntil = horizons.read().list
  const example = { transfer, related, learned, bridge: config.bridge, now, listedUntil }
  if (accusing.length === 0) {
    for (const meaning of listConsent(example)) learned.consent(meaning, at)
    return []
  }
  if (accusing.some(({ kind, facts }) => kinds.find(kind)?.readsActions?.(facts) !== true)) return []
  return listDissent(example)
    .filter((meaning) => learned.dissent(meaning, { hash: zone.hash, party: partyOf(transfer) }, at))
    .map((meaning) => toWordsFinding(transfer, meaning, now))
}
