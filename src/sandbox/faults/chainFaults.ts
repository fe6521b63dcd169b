import { z } from 'zod'
import { worldFault } from './fault.ts'

export const chainFaults = [
  worldFault(
    'head.stall',
    'The main or the zone chain, or the list of records, stands still as the explorer shows it, then catches up',
    { chain: z.enum(['main', 'zone', 'list']) },
    (world, params, window) => {
      world.stalls.push({ of: params.chain, ...window })
    },
  ),
]
