import type { Endpoint } from './endpoint.ts'
import { mainBlockDetail, zoneBlocks } from './endpoints/blocks.ts'
import { verifiedContracts } from './endpoints/contracts.ts'
import { crossDetails, crossTransactions } from './endpoints/crossRecords.ts'
import {
  addressInternals,
  manyTransactionsInternals,
  transactionInternals,
} from './endpoints/internalTransactions.ts'
import { logsByAddress, logsByBlocks, logsByTopic, logsByTransaction } from './endpoints/logs.ts'
import {
  addressTransactions,
  blockTransactions,
  manyAddressesTransactions,
} from './endpoints/mainTransactions.ts'
import {
  contractTransfers,
  manyTransactionsTransfers,
  transactionTransfers,
} from './endpoints/mainTransfers.ts'
import { zoneBlockTransactions } from './endpoints/zoneBlockTransactions.ts'
import { zoneTransactionDetail, zoneTransactions } from './endpoints/zoneTransactions.ts'

/** All 21 query endpoints, in the order of the API documentation's numbers. */
export const endpoints: readonly Endpoint[] = [
  contractTransfers,
  transactionTransfers,
  crossTransactions,
  zoneBlockTransactions,
  zoneBlocks,
  addressTransactions,
  blockTransactions,
  addressInternals,
  zoneTransactions,
  manyAddressesTransactions,
  mainBlockDetail,
  crossDetails,
  manyTransactionsTransfers,
  zoneTransactionDetail,
  manyTransactionsInternals,
  transactionInternals,
  verifiedContracts,
  logsByTopic,
  logsByBlocks,
  logsByAddress,
  logsByTransaction,
]

/** An endpoint by its number or name, in any case; null when there is none. */
export function findEndpoint(text: string): Endpoint | null {
  const wanted = text.toLowerCase()
  return endpoints.find(({ id, name }) => id.toLowerCase() === wanted || name === wanted) ?? null
}
