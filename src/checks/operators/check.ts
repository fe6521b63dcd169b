import { createBalanceReads } from '../../kernel/reads/balanceReads.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createMainReads } from '../../kernel/reads/mainReads.ts'
import { readNewestOrigin, readOldestOriginSince } from '../../ledger/deriving/newestOrigin.ts'
import { givenOperators, type OperatorFact, type OperatorsPart } from './facts.ts'
import { operatorsKept } from './kept.ts'
import { operatorLowBalance } from './lowBalance.ts'
import { operatorQuiet } from './quiet.ts'
import { createOperatorsPoll, isSilenceProven } from './poll.ts'
import { burnHourMs, type BurnHour } from './burn.ts'
import { leastOf, listBurn, listOperators, purgeBurn, type StoredOperator } from './store.ts'

const weekMs = 7 * 86_400_000
/** As long as what crosses the bridge: so far back rules can be tried on it. */
const burnKeptMs = 32 * 86_400_000
const purgedAtOnce = 200

/** What operators hold of the native currency, and when each last sent a transaction. */
export const operators: Check<OperatorsPart> = {
  name: 'operators',
  kinds: [operatorLowBalance, operatorQuiet],
  given: givenOperators,
  kept: operatorsKept,
  open(kernel) {
    const { clock, config, db, rpcs } = kernel
    const { bridge, poll } = config
    const burnOf = createBurnReader(db)
    const rpc = rpcs.canonical ?? rpcs.preconf
    const run = createOperatorsPoll({
      ...kernel,
      reads: createMainReads(kernel),
      balances: rpc && createBalanceReads({ rpc, clock }),
      addresses: bridge.operators.map(({ address }) => address.toLowerCase()),
    })
    return {
      pollers: bridge.operators.length > 0 ? [{ name: 'operators', schedule: poll.escrows, run }] : [],
      facts: () => ({
        operators: listFacts(kernel, burnOf),
        newestOriginAt: readNewestOrigin(db),
      }),
      prune: (now) => purgeBurn(db, now - burnKeptMs, purgedAtOnce),
    }
  },
}

type BurnReader = (operator: StoredOperator) => readonly BurnHour[]

/** The last week of each operator, read anew when its balance was. */
function createBurnReader(db: Kernel['db']): BurnReader {
  const kept = new Map<string, { readonly at: number | null; readonly hours: readonly BurnHour[] }>()
  return ({ address, balanceAt }) => {
    const known = kept.get(address)
    if (known && known.at === balanceAt) return known.hours
    const hours = balanceAt === null ? [] : listBurn(db, address, balanceAt - weekMs - burnHourMs)
    kept.set(address, { at: balanceAt, hours })
    return hours
  }
}

function listFacts({ config, db }: Pick<Kernel, 'config' | 'db'>, burnOf: BurnReader): OperatorFact[] {
  const known = new Map(listOperators(db).map((operator) => [operator.address, operator]))
  return config.bridge.operators.map((operator) => {
    const { address } = operator
    const stored = known.get(address)
    return {
      address,
      minBalance: leastOf(operator),
      balance: stored?.balance ?? null,
      balanceAt: stored?.balanceAt ?? null,
      burn: stored ? burnOf(stored) : [],
      last: stored?.last ?? null,
      readAt: stored?.readAt ?? null,
      busySince: stored?.last ? readOldestOriginSince(db, stored.last.at) : null,
      isSilent: stored !== undefined && isSilenceProven(stored),
    }
  })
}
