import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import { indexAdministration, readAdministration } from './administration.ts'
import { contractChanged, toPreconfirmedAct, toWordsFinding } from './changed.ts'
import { followContract } from './followContract.ts'
import { emits, followEscrows, listEscrowContracts } from './followEscrows.ts'
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
    const escrows = listEscrowContracts(bridge).map((address) => ({ ...common, address, isEscrow: true }))
    const followNextEscrow = followEscrows(kernel.clock, escrows)
    const newest = async (signal: AbortSignal) => {
      const results = await Promise.allSettled(follow.map((read) => read({ priority: 'tail', signal })))
      if (judgeLogs({ ...kernel, configured })) trigger('contracts')
      throwFirst(results)
    }
    // What was missed, and the past: apart, because it waits for whatever else is asked.
    const all = [...watched, ...escrows]
    const everyMs = Math.max(leastVerifyMs, all.length * verifySpacingMs)
    const readHistory = createContractHistory(all)
    const logLag = createLogLag(kernel)
    const readOthers = async (signal: AbortSignal) => {
      await logLag.confirm({ priority: 'sweep', signal })
      for (const contract of [...watched, ...escrows.filter(emits)])
        await verifySource({ ...contract, everyMs }, signal)
      await readHistory(signal)
    }
    // Escrows beside the rest: whoever does not answer for one of them holds up nothing of the bridge.
    const history = (signal: AbortSignal) =>
      withinTime(kernel.clock, signal, async (inner) =>
        throwFirst(
          await Promise.allSettled([
            readOthers(inner),
            followNextEscrow({ priority: 'sweep', signal: inner }),
          ]),
        ),
      )
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
