import { crossEndpoints } from './crossEndpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { contractEndpoints, logEndpoints } from './logEndpoints.ts'
import { mainAddressEndpoints } from './mainAddressEndpoints.ts'
import { mainBlockEndpoints } from './mainBlockEndpoints.ts'
import { mainTransactionEndpoints } from './mainTransactionEndpoints.ts'
import { zoneEndpoints } from './zoneEndpoints.ts'

/** Every endpoint of the explorer API, E1 to E21. */
export const endpointTable: readonly Endpoint[] = [
  ...crossEndpoints,
  ...zoneEndpoints,
  ...mainBlockEndpoints,
  ...mainAddressEndpoints,
  ...mainTransactionEndpoints,
  ...logEndpoints,
  ...contractEndpoints,
]
