import { z } from 'zod'
import { worldFault } from './fault.ts'

export const chainFaults = [
  worldFault(
    'head.stall',
    'The main or the zone chain, the list of records, or the preconfirmations stand still as the explorer shows it, then catches up',
    {
      chain: z.enum(['main', 'zone', 'list', 'preconf']),
      rpc: z.boolean().default(true).describe('Whether the RPC of a standing main chain stands still too'),
    },
    (world, params, window) => {
      world.stalls.push({ of: params.chain, ...window })
      if (params.chain === 'main' && params.rpc) world.stalls.push({ of: 'rpc', ...window })
    },
  ),
]
