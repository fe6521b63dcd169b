import { type Absence, isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import type { Finding } from '../../bridge/finding.ts'
import { withdrawEarly } from '../../kernel/earlyFindings.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import { isGone } from '../../kernel/reads/isGone.ts'
import type { SpanRead } from '../../kernel/reads/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { readAdministration } from './administration.ts'
import { contractChanged, toActFinding } from './changed.ts'
import { dropLogs, listPlaces, newestBelow, toControl } from './logPlaces.ts'
import { listLogs } from './logStore.ts'
import { readProgress, saveProgress } from './progressStore.ts'
import type { WatchedContract } from './takeLogs.ts'

/** Acts of administration, and what others go by, that an answer lacks, by transaction: how often, and that none has it. */
export type LostActs = Map<string, { readonly height: number; readonly absence: Absence }>

/** So many are asked about at a tick. */
const askedAtOnce = 5

/**
 * Whether the newest log that is known was taken by a reorganisation: then it is no control question any more, and a contract
 * that has emitted nothing since is rightly shown without logs.
 */
export async function forgetGoneControl(
  contract: WatchedContract,
  { first, last }: BlockSpan,
  options: ReadOptions,
): Promise<boolean> {
  const { address, commit, db } = contract
  const { lastLogHash: hash, lastLogHeight: height } = readProgress(db, address)
  if (hash === null || height === null || height < first || height > last) return false
  if (!(await isGone(contract, { hash, height }, options))) return false
  commit({
    apply: () => {
      const control = toControl(newestBelow(db, address, height))
      saveProgress(db, address, { ...readProgress(db, address), ...control })
      return []
    },
  })
  return true
}

/**
 * Acts that were told and that a whole answer lacks by now. By the rules of absence: a service whose logs lag shows as little.
 * @returns the transactions that are in no block any more
 */
export async function findLostActs(
  contract: WatchedContract,
  lost: LostActs,
  { logs, missed, first, last }: SpanRead & BlockSpan,
  options: ReadOptions,
): Promise<string[]> {
  if (missed.length > 0) return []
  const { address, clock, db } = contract
  const shown = new Set(logs.map(({ hash }) => hash))
  for (const hash of lost.keys()) if (shown.has(hash)) lost.delete(hash)
  for (const { hash, height } of listPlaces(db, address, { first, last })) {
    if (shown.has(hash) || lost.has(hash)) continue
    if (listActs(contract, hash).length === 0 && !isGoneBy(contract, hash)) continue
    lost.set(hash, { height, absence: notYetAbsent })
  }
  for (const [hash, { height, absence }] of [...lost].slice(0, askedAtOnce)) {
    lost.delete(hash)
    if (!(await isGone(contract, { hash, height }, options))) continue
    // Those that wait go behind the others.
    lost.set(hash, {
      height,
      absence: noteReading(absence, { kind: 'absent-among-others', at: clock.now() }),
    })
  }
  return [...lost].flatMap(([hash, { absence }]) => (isAbsent(absence) ? [hash] : []))
}

/** Whether somebody goes by what the contract emitted in a transaction. */
function isGoneBy({ address, logListeners }: WatchedContract, hash: string): boolean {
  return [...logListeners].some((listener) => listener.goesBy(address, hash))
}

/** Takes back what was told of these transactions; runs inside a commit. */
export function takeBackActs(contract: WatchedContract, hashes: readonly string[], now: UnixMs): Finding[] {
  const { address, db } = contract
  const says = 'the transaction is in no block any more'
  const { canonical, preconf } = contract.rpcs
  const source = canonical ? 'canonical RPC' : preconf ? 'preconf' : 'E7'
  return hashes.flatMap((hash) => {
    const acts = listActs(contract, hash)
    withdrawEarly(db, hash, { source, says, kind: contractChanged.kind }, now)
    dropLogs(db, address, hash)
    for (const listener of contract.logListeners) listener.forget(address, hash)
    return acts.map((told) => {
      const evidence = [...told.evidence, { source, at: now, says }]
      return { ...told, title: `${told.title}: ${says}`, evidence, isOver: true }
    })
  })
}

/** What was told of the acts in a transaction. */
function listActs(
  { address, administration, clock, db, named, tellSince }: WatchedContract,
  hash: string,
): Finding[] {
  return listLogs(db, hash).flatMap(({ log, seenAt }) => {
    const isTold = log.contract === address && (log.time ?? clock.now()) >= tellSince
    const act = isTold ? readAdministration(administration, named, log) : null
    return act === null ? [] : [toActFinding(log, act, seenAt)]
  })
}
