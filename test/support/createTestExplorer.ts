import {
  createExplorer,
  type Explorer,
  type ExplorerOptions,
} from '../../src/clients/explorer/createExplorer.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { createSteppedClock } from './steppedClock.ts'

/** An explorer client on a clock that never really waits. */
export function createTestExplorer(baseUrl: string, overrides: Partial<ExplorerOptions> = {}): Explorer {
  return createExplorer({
    baseUrl,
    chains: { main: 'MAINCHAIN', zone: 'ZONE_CHAIN' },
    auth: null,
    pace: { maxRequestsPerSecond: 1_000, concurrency: 4 },
    timeoutMs: 5_000,
    clock: createSteppedClock(),
    log: createSilentLog(),
    ...overrides,
  })
}
