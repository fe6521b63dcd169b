import type { BridgeLog } from '../bridge/bridgeLog.ts'

/** Who looks at every log of a bridge contract that was not known: inside the commit that saves it. */
export type LogListeners = Set<(logs: readonly BridgeLog[]) => void>
