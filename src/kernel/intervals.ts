import { intervalOf } from './running/schedule.ts'
import type { AppConfig } from './settings.ts'

interface Intervals {
  readonly openTransfers: number
  readonly byEndpoint: Readonly<Record<string, number>>
}

/** How often each endpoint is meant to be asked, ms. */
export function intervalsOf(poll: AppConfig['poll']): Intervals {
  const transfers = intervalOf(poll.transfers)
  const openTransfers = intervalOf(poll.openTransfers)
  const heads = intervalOf(poll.heads)
  const evidence = intervalOf(poll.evidence)
  const contracts = intervalOf(poll.contracts)
  return {
    openTransfers,
    byEndpoint: {
      E3: transfers,
      'E3 by hash': Math.min(openTransfers, 10_000),
      E5: heads,
      E6: intervalOf(poll.escrows),
      E8: intervalOf(poll.escrows),
      E10: Math.max(30_000, intervalOf(poll.escrows)),
      E9: openTransfers,
      E11: heads,
      E12: openTransfers,
      E14: openTransfers,
      ...Object.fromEntries(['E2', 'E13', 'E15', 'E16', 'E21'].map((id) => [id, evidence])),
      E17: contracts,
      E19: contracts,
    },
  }
}
