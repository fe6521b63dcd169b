import type { Direction } from '../../bridge/observation.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Shown } from '../../kernel/endpointLags.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listLogs } from './logStore.ts'

type Watching = Pick<Kernel, 'config' | 'db' | 'endpointLags' | 'startedAt'>

/** So often a contract was seen to emit something for transfers of a direction before it is known to do so. */
const neededSeen = 5

export const shownLogs = (contract: string): Shown => ({ endpoint: 'E19', list: `logs of ${contract}` })

/**
 * Takes note of which contracts have to show a log of a transfer that others prove: those that did of others of its
 * direction.
 */
export function createLogLagNotes({
  config,
  db,
  endpointLags,
  startedAt,
}: Watching): (changed: readonly Transfer[]) => void {
  const { contracts } = config.bridge
  const seen = new Map<`${string} ${Direction}`, number>()
  return (changed) => {
    for (const { direction, evidence, main } of changed) {
      if (main === null || main.height === null || main.time === null || main.time < startedAt) continue
      const { hash, height, time } = main
      const isProven = evidence.some(
        (one) => one.chain === 'main' && one.hash === hash && one.status === 'success',
      )
      if (!isProven) continue
      const shown = new Set(listLogs(db, hash).map(({ log }) => log.contract))
      for (const contract of contracts) {
        const times = seen.get(`${contract} ${direction}`) ?? 0
        if (shown.has(contract)) seen.set(`${contract} ${direction}`, times + 1)
        else if (times >= neededSeen) endpointLags.noteHappened(shownLogs(contract), { hash, height, time })
      }
    }
  }
}
