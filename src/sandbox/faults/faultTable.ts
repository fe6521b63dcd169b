import { answerFaults } from './answerFaults.ts'
import { chainFaults } from './chainFaults.ts'
import type { FaultRow } from './fault.ts'
import { preconfFaults } from './preconfFaults.ts'
import { theftFaults } from './theftFaults.ts'
import { transferFaults } from './transferFaults.ts'

/** Every fault that a scenario can name. A new one is a new row in one of these lists. */
export const faultTable: readonly FaultRow[] = [
  ...transferFaults,
  ...theftFaults,
  ...chainFaults,
  ...preconfFaults,
  ...answerFaults,
]
