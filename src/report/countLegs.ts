import { DateTime } from 'luxon'
import type { DailyReport, LegCount } from './dailyReport.ts'
import type { Crossing } from './reconcile.ts'
import type { DayWindow } from './reportDay.ts'
import { originChain, type Transfer } from '../bridge/transfer.ts'

const chains = ['main', 'zone'] as const
const directions = ['MainToZone', 'ZoneToMain'] as const

/** Legs by the block times of the day: what left and what arrived, chain by chain. */
export function countLegs(
  transfers: readonly Pick<Transfer, 'direction' | 'main' | 'zone'>[],
  { from, until }: DayWindow,
): LegCount[] {
  return directions.flatMap((direction) =>
    chains.map((chain) => ({
      chain,
      direction,
      part: originChain(direction) === chain ? ('origin' as const) : ('destination' as const),
      count: transfers.filter((transfer) => {
        const time = transfer[chain]?.time ?? null
        return transfer.direction === direction && time !== null && time >= from && time < until
      }).length,
    })),
  )
}

/** Transfers that began in each hour: 23 or 25 hours where the clocks change. */
export function countHours(crossings: readonly Crossing[], window: DayWindow): DailyReport['hours'] {
  const starts: DateTime[] = []
  for (let at = DateTime.fromMillis(window.from, { zone: window.zone }); at.toMillis() < window.until; ) {
    starts.push(at)
    at = at.plus({ hours: 1 }).startOf('hour')
  }
  const counts = starts.map((at) => ({ hour: at.toFormat('HH'), deposits: 0, withdrawals: 0 }))
  for (const { direction, startedAt } of crossings) {
    if (startedAt < window.from || startedAt >= window.until) continue
    const index = starts.findLastIndex((at) => at.toMillis() <= startedAt)
    const hour = counts[index]
    if (hour) hour[direction === 'MainToZone' ? 'deposits' : 'withdrawals'] += 1
  }
  return counts
}
