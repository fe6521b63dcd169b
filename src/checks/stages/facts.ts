import { z } from 'zod'
import type { Transfer } from '../../bridge/transfer.ts'
import { count, given, never, text } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { Standing } from '../../kernel/stages.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** Since when the stages are followed, in the ledger's `meta`. */
export const sinceName = 'stages_since'

export interface StagesPart {
  readonly stages: {
    /** Since when events of stages are read. Null where there are no stages. */
    readonly since: UnixMs | null
    /** Up to when the main chain and its logs are shown; null before they were read. */
    readonly shownUntil: UnixMs | null
    /** How often a proposal comes; null where that is not configured. */
    readonly everyMs: number | null
    readonly newestProposalAt: UnixMs | null
    /** Where a withdrawal stands; null where nothing is known of that. */
    standingOf(transfer: Transfer): Standing | null
  }
}

export const noStages: StagesPart['stages'] = {
  since: null,
  shownUntil: null,
  everyMs: null,
  newestProposalAt: null,
  standingOf: () => null,
}

export const givenStages = given(
  {
    stages: z.strictObject({
      since: moment.nullable().prefault('0s'),
      shownUntil: moment.nullable().prefault('now'),
      everyMs: count.nullable().default(null),
      newestProposalAt: never,
      /** Of every withdrawal on its way. */
      standing: z
        .strictObject({ stage: text, since: moment, until: never, isAgain: z.boolean().default(false) })
        .nullable()
        .default(null),
    }),
  },
  ({ stages }): StagesPart => {
    if (stages === undefined) return { stages: noStages }
    const { standing, ...rest } = stages
    return {
      stages: { ...rest, standingOf: ({ direction }) => (direction === 'ZoneToMain' ? standing : null) },
    }
  },
)
