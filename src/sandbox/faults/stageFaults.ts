import { z } from 'zod'
import { duration } from '../settings.ts'
import { removeProposals } from '../stages.ts'
import { worldFault } from './fault.ts'
import { injectMany, transferShape } from './putIn.ts'

/** What happens to withdrawals on their way through stages; only in a world that has some. */
export const stageFaults = [
  worldFault('proposal.stopped', 'Nothing is proposed any more, until it is over', {}, (world, _, window) => {
    world.stages?.stops.push(window)
  }),
  worldFault(
    'proposal.removed',
    'What was proposed lately is disputed and removed: what was proven by it has to be proven again',
    { back: duration.default(3_600_000).describe('Of how long ago the oldest one is') },
    (world, { back }) => {
      if (world.stages !== null) removeProposals(world, world.stages, world.now - back)
    },
  ),
  worldFault(
    'withdrawal.forgotten',
    'Withdrawals that nobody proves, or that are proven and that nobody claims',
    { ...transferShape, step: z.enum(['prove', 'claim']).default('claim') },
    (world, params) => {
      injectMany(world, params, () => ({ direction: 'ZoneToMain', nobody: params.step }))
    },
  ),
]
