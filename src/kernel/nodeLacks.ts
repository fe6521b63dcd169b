import { sayLack } from '../clients/explorer/describeLacks.ts'
import type { AnswerLack } from '../clients/rpc/answerLacks.ts'
import type { RpcMethodName } from '../clients/rpc/rpcMethods.ts'
import type { Seat } from '../clients/seat.ts'
import type { Rpc } from '../clients/rpc/createRpc.ts'
import type { SharedFacts } from './facts.ts'

type Seats = Readonly<Record<string, Seat<Rpc> | null>>
type Lacks = SharedFacts['lacks']

/** What rows of the nodes' answers lack, in words. */
export function listNodeLacks(seats: Seats): Lacks {
  return listNodes(seats).flatMap(({ name, source, rpc }) =>
    rpc.lacks.list().map(({ method, key, ...lack }) => ({
      ...lack,
      source,
      endpoint: `${name} ${method}`,
      key,
      use: 'judged' as const,
      problem: `${sayLack({ ...lack, key })}; ${unseenBy({ method, key })}`,
      // How many of the others have it says how much is not seen.
      isWhole: false,
    })),
  )
}

/** Their endpoints and keys of which nothing was read since the start. */
export function listUnreadOfNodes(seats: Seats): string[] {
  return listNodes(seats).flatMap(({ name, rpc }) =>
    receipts
      .filter((method) => !rpc.lacks.hasRead(method))
      .flatMap((method) => receiptKeys.map((key) => `${name} ${method} ${key}`)),
  )
}

const receipts: readonly RpcMethodName[] = ['eth_getBlockReceipts', 'eth_getTransactionReceipt']
/** What a receipt has to say. */
const receiptKeys = ['logs', 'status', 'transactionHash', 'transactionIndex']

function unseenBy({ method, key }: Pick<AnswerLack, 'method' | 'key'>): string {
  if (!receipts.includes(method)) return 'what these transactions are is not seen here'
  const what = key === 'logs' ? 'moved and wrote' : 'came to'
  return `what these transactions ${what} is not seen here, and not taken for nothing`
}

/** Of several in one seat each by its own name. */
function listNodes(seats: Seats) {
  return Object.entries(seats).flatMap(([source, seat]) =>
    (seat?.members ?? []).map(({ name, client: rpc }, _, all) => ({
      source,
      name: all.length > 1 ? `${source} ${name}` : source,
      rpc,
    })),
  )
}
