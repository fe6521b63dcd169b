import { parseDecimal } from '../../bridge/amount.ts'
import { toBaseUnits } from '../../bridge/decimal.ts'
import { createBalanceReads } from '../../kernel/balanceReads.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createMainReads } from '../../kernel/mainReads.ts'
import { readNewestOrigin } from '../../ledger/newestOrigin.ts'
import { givenOperators, type OperatorFact, type OperatorsPart } from './facts.ts'
import { operatorLowBalance } from './lowBalance.ts'
import { operatorQuiet } from './quiet.ts'
import { createOperatorsPoll, isSilenceProven } from './poll.ts'
import { listOperators } from './store.ts'

/** What operators hold of the native currency, and when each last sent a transaction. */
export const operators: Check<OperatorsPart> = {
  name: 'operators',
  kinds: [operatorLowBalance, operatorQuiet],
  given: givenOperators,
  open(kernel) {
    const { clock, config, db, rpcs } = kernel
    const { bridge, poll } = config
    const rpc = rpcs.canonical ?? rpcs.preconf
    const run = createOperatorsPoll({
      ...kernel,
      reads: createMainReads(kernel),
      balances: rpc && createBalanceReads({ rpc, clock }),
      addresses: bridge.operators.map(({ address }) => address.toLowerCase()),
    })
    return {
      pollers: bridge.operators.length > 0 ? [{ name: 'operators', schedule: poll.escrows, run }] : [],
      facts: () => ({ operators: listFacts(kernel), newestOriginAt: readNewestOrigin(db) }),
    }
  },
}

function listFacts({ config, db }: Pick<Kernel, 'config' | 'db'>): OperatorFact[] {
  const known = new Map(listOperators(db).map((operator) => [operator.address, operator]))
  return config.bridge.operators.map(({ address, minBalance }) => {
    const stored = known.get(address)
    const least = minBalance === null ? null : parseDecimal(minBalance)
    return {
      address,
      minBalance: least && toBaseUnits(least, 18),
      balance: stored?.balance ?? null,
      balanceAt: stored?.balanceAt ?? null,
      last: stored?.last ?? null,
      readAt: stored?.readAt ?? null,
      isSilent: stored !== undefined && isSilenceProven(stored),
    }
  })
}
