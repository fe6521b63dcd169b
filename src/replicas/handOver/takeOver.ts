import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { Actor } from '../../store/actor.ts'
import { type Handed, topicOf } from './handed.ts'
import { takeAlertAck, takeCaseWork } from './takeCase.ts'
import { takeEntry } from './takeEntry.ts'
import { takeSilence, takeSilenceEnd } from './takeSilence.ts'
import type { TakeOverDeps, Taken, Taking } from './taking.ts'
import { markTold } from './told.ts'

/** Does here what was done on a node that was cut off, unless it is done. Inside a transaction. */
export function takeOver(
  deps: TakeOverDeps,
  given: { readonly of: Handed; readonly actor: Actor; readonly from: string; readonly now: UnixMs },
): Taken {
  const { of, actor, from, now } = given
  const way = `${new Date(of.at).toISOString()}, by way of node ${from}, which was cut off`
  const taking: Taking = { ...deps, actor, now, way }
  try {
    return take(taking, of)
  } catch (error) {
    // Operations refuse before they write; what they refuse for may not be known here yet.
    if (!(error instanceof MonitorError) || (error.code !== 'usage' && error.code !== 'not_found'))
      throw error
    return { wait: error.message }
  }
}

function take(taking: Taking, of: Handed): Taken {
  switch (of.kind) {
    case 'told': {
      const outcome = markTold(taking.db, taking.store, of)
      return outcome === 'not yet' ? { wait: 'nothing like it was found here' } : { done: outcome }
    }
    case 'alert':
      return takeAlertAck(taking, of)
    case 'case':
      return takeCaseWork(taking, of)
    case 'silence':
      return takeSilence(taking, of)
    case 'silence end':
      return takeSilenceEnd(taking, of)
    case 'break':
      return takeEntry(taking, of)
  }
}

/** What could not be taken over is kept where people look. Inside a transaction. */
export function keepUntaken(
  { store }: Pick<TakeOverDeps, 'store'>,
  given: {
    readonly of: Handed
    readonly actor: Actor
    readonly from: string
    readonly now: UnixMs
    readonly why: string
  },
): void {
  const { of, actor, from, now, why } = given
  const detail = `${topicOf(of) ?? of.kind} at ${new Date(of.at).toISOString()}, by way of node ${from}: ${why}. ${JSON.stringify(of)}`
  store.recordChange(actor, { what: 'not taken over', about: 'list', aboutId: of.kind, detail }, now)
}
