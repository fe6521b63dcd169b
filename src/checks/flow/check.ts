import type { Check } from '../../kernel/check.ts'
import { createTokenBook } from '../../ledger/lessons/tokenBook.ts'
import { flowFailing } from './failing.ts'
import type { FlowPart } from './facts.ts'
import { flowImbalance } from './imbalance.ts'
import { flowKept } from './kept.ts'
import { flowQuiet } from './quiet.ts'
import { createFlow } from './read.ts'
import { type EscrowAmounts, flowSurge } from './surge.ts'

/** How much crosses the bridge, against its own past. It asks nothing: the ledger knows. */
export const flow: Check<FlowPart, EscrowAmounts> = {
  name: 'flow',
  kinds: [flowSurge, flowQuiet, flowImbalance, flowFailing],
  kept: flowKept,
  // What crosses the bridge in a test is what its records say.
  given: {
    shape: {},
    open(ground) {
      const read = createFlow({ ...ground, limits: { folds: 1e6, windows: 1e6, failures: 1e6 } })
      return (_, now) => ({ flow: read(now) })
    },
  },
  open({ config, db, list, settleMs }) {
    const book = createTokenBook(db, config.bridge.tokens)
    const read = createFlow({
      db,
      settleMs,
      readAt: () => list.readAt,
      token: (address) => book.find(address),
    })
    return { pollers: [], facts: (now) => ({ flow: read(now) }) }
  },
}
