import type { AnswerFault, Disruption, PlannedFault } from './faults/fault.ts'
import { mixUnit } from './random.ts'
import type { TimedFault, World } from './world.ts'

/** Faults of answers with the instants between which they hold. */
export interface ActiveFault extends AnswerFault {
  readonly from: number
  readonly until: number
}

/** The faults of a timeline that change the world, as the world wants them: times relative to its start. */
export function worldFaults(planned: readonly PlannedFault[]): TimedFault[] {
  return planned.flatMap((fault) => {
    const { world: change } = fault
    const leadMs = fault.leadMs ?? 0
    const apply = (world: World) => applyAt(world, fault, world.startAt + fault.at)
    return change ? [{ at: fault.at - leadMs, apply }] : []
  })
}

/** Lets a fault of the world happen at an instant: now, or later when it has to be prepared. */
export function applyAt(world: World, fault: PlannedFault, from: number): void {
  fault.world?.(world, { from, until: from + fault.lastsMs })
}

/** A fault of answers, from an instant on. */
export function activate(fault: PlannedFault, from: number): ActiveFault[] {
  return fault.answer ? [{ ...fault.answer, from, until: from + fault.lastsMs }] : []
}

/**
 * What happens to the answer of request number `count` at `now`: the faults that hold, later ones over earlier ones.
 * Which share of answers a fault hits is drawn from the request's number, so that a run can be repeated.
 */
export function disruptionOf(
  faults: readonly ActiveFault[],
  request: { readonly endpoint: string; readonly now: number; readonly count: number; readonly seed: number },
): Disruption {
  const hits = faults.filter((fault, place) => {
    if (request.now < fault.from || request.now >= fault.until) return false
    const named =
      fault.endpoints.length === 0
        ? /^E\d/.test(request.endpoint)
        : fault.endpoints.includes(request.endpoint)
    return named && mixUnit(request.seed, request.count, place, 0xfa) < fault.share
  })
  return Object.assign({}, ...hits.map((hit) => hit.disruption)) as Disruption
}
