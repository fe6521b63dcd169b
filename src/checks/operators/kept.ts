import { type Kept, notKeptYet } from '../../kernel/kept.ts'
import { instant } from '../../store/table.ts'
import { burnHourMs, toBurnHour } from './burn.ts'
import type { OperatorsPart } from './facts.ts'
import { leastOf, listBurn } from './store.ts'

const weekMs = 7 * 86_400_000

/** The least that an operator held in an hour stands for all of it. */
export const operatorsKept: Kept<OperatorsPart> = {
  kinds: ['operator.low_balance'],
  docs: 'the least that each operator held in an hour, and what it burned, for 32 days',
  open({ bridge, db }) {
    const operators = bridge.operators.map((operator) => {
      const address = operator.address.toLowerCase()
      return { address, minBalance: leastOf(operator), hours: listBurn(db, address, 0) }
    })
    const oldest = instant.orNull().get(db, 'SELECT min(at) FROM operator_burn')
    return {
      everyMs: burnHourMs,
      since: () => oldest ?? notKeptYet,
      facts: (now) => ({
        newestOriginAt: null,
        operators: operators.map(({ address, minBalance, hours }) => {
          const known = hours.filter(({ at }) => at <= now && at >= toBurnHour(now - weekMs))
          const hour = known.at(-1)
          const isOfNow = hour !== undefined && hour.at === toBurnHour(now)
          return {
            address,
            minBalance,
            balance: isOfNow ? hour.least : null,
            balanceAt: isOfNow ? now : null,
            burn: known,
            last: null,
            readAt: null,
            busySince: null,
            isSilent: false,
          }
        }),
      }),
    }
  },
}
