import { crossEndpoints } from './crossEndpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { mainBlockEndpoints } from './mainBlockEndpoints.ts'
import { zoneEndpoints } from './zoneEndpoints.ts'

export const endpointTable: readonly Endpoint[] = [...crossEndpoints, ...zoneEndpoints, ...mainBlockEndpoints]
