import type { Direction } from '../../bridge/observation.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Happened, Shown } from '../../kernel/heads/endpointLags.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import { MonitorError } from '../../lib/errors.ts'
import { listLogs } from './logStore.ts'

type Watching = Pick<Kernel, 'clock' | 'config' | 'contractReads' | 'db' | 'endpointLags' | 'startedAt'>

export interface LogLag {
  /** Takes note of transfers that are proven, and of which contracts usually emit something for such. */
  note(changed: readonly Transfer[]): void
  /** Asks whether what the logs of the contracts lack is there: then they lag. */
  confirm(options: ReadOptions): Promise<void>
}

/** So many transactions of a direction are seen with a log of a contract before others are missed. */
const neededSeen = 5
/** Others may show a transaction sooner: only logs that lack it so much later may lag. */
const shownWithinMs = 60_000
const askedAtOnce = 3
const mostAsks = 5
const mostWaiting = 100

export const shownLogs = (contract: string): Shown => ({ endpoint: 'E19', list: `logs of ${contract}` })

type Kind = `${string} ${Direction}`

interface Missed extends Happened {
  readonly contract: string
  /** What it is of, and of which token. */
  readonly sort: `${Kind} ${string}`
  asks: number
}

/**
 * Finds out whether the logs of a contract lag. That it usually emits something is a guess: it may be one of several, or
 * replaced. The logs of the transaction itself (E21) decide.
 */
export function createLogLag({
  clock,
  config,
  contractReads,
  db,
  endpointLags,
  startedAt,
}: Watching): LogLag {
  const { contracts } = config.bridge
  const seen = new Map<Kind, Set<string>>()
  /** Of what a contract was asked in vain, until it emits something for such again. */
  const denied = new Set<Missed['sort']>()
  const missed = new Map<string, Missed>()
  const hasLog = ({ contract, hash }: Pick<Missed, 'contract' | 'hash'>) =>
    listLogs(db, hash).some(({ log }) => log.contract === contract)

  function deny(sort: Missed['sort']): void {
    denied.add(sort)
    for (const [name, one] of missed) if (one.sort === sort) missed.delete(name)
  }

  async function ask(one: Missed, name: string, { priority, signal }: ReadOptions): Promise<void> {
    const { contract, sort, hash, height, time } = one
    const emitted = await contractReads.hasEmitted(contract, hash, { priority, signal })
    one.asks += 1
    if (emitted === false) return deny(sort)
    if (emitted === true) endpointLags.noteHappened(shownLogs(contract), { hash, height, time })
    if (emitted === true || one.asks >= mostAsks) missed.delete(name)
  }

  return {
    note(changed) {
      for (const { direction, evidence, main, token } of changed) {
        if (main === null || main.height === null || main.time === null || main.time < startedAt) continue
        const { hash, height, time } = main
        const isProven = evidence.some(
          (one) => one.chain === 'main' && one.hash === hash && one.status === 'success',
        )
        if (!isProven) continue
        for (const contract of contracts) {
          const kind = `${contract} ${direction}` as const
          const sort = `${kind} ${token.address}` as const
          const known = seen.get(kind) ?? new Set()
          if (hasLog({ contract, hash })) {
            denied.delete(sort)
            if (known.size < neededSeen) seen.set(kind, known.add(hash))
          } else if (known.size >= neededSeen && !denied.has(sort) && missed.size < mostWaiting)
            missed.set(`${contract} ${hash}`, { contract, sort, hash, height, time, asks: 0 })
        }
      }
    },
    async confirm(options) {
      const isDue = ({ time }: Missed) => time <= clock.now() - shownWithinMs
      for (const [name, one] of missed) if (hasLog(one)) missed.delete(name)
      const due = [...missed].filter(([, one]) => isDue(one)).slice(0, askedAtOnce)
      for (const [name, one] of due) {
        if (!missed.has(name)) continue
        try {
          await ask(one, name, options)
        } catch (error) {
          options.signal.throwIfAborted()
          // Whoever does not answer is told of as that.
          if (!(error instanceof MonitorError)) throw error
          return
        }
      }
    },
  }
}
