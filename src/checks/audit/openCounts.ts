import type { Direction } from '../../bridge/observation.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import { readAuditState, saveAuditState } from './store.ts'
import type { Database } from '../../store/database.ts'

/** Open transfers of a direction that were listed before the list is known to show such. */
const neededOpen = 3

/** Whether the list shows transfers before they are complete, by direction. */
export function createOpenCounts(db: Database) {
  const name = (direction: Direction) => `open ${direction}`
  const counts = new Map<Direction, number>()
  const read = (direction: Direction) => {
    const known = counts.get(direction) ?? Number(readAuditState(db, name(direction)) ?? 0)
    counts.set(direction, known)
    return known
  }
  return {
    note(transfer: Transfer): void {
      const { direction, isListed, state, status } = transfer
      if (!isListed || state !== 'pending' || status === 'failed' || destinationLeg(transfer) !== null) return
      const count = read(direction)
      if (count >= neededOpen) return
      counts.set(direction, count + 1)
      saveAuditState(db, name(direction), count + 1)
    },
    isShown: (direction: Direction) => read(direction) >= neededOpen,
  }
}
