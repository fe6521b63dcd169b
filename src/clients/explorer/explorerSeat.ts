import { mayOtherAnswer, type Seat } from '../seat.ts'
import type { Explorer } from './createExplorer.ts'

/** Several deployments of the API as one: the same interface, and whoever is well answers. */
export function joinExplorers(seat: Seat<Explorer>): Explorer {
  return joinBy(seat, (question, signal) => seat.ask(question, signal))
}

type Ask = Seat<Explorer>['ask']

function joinBy(seat: Seat<Explorer>, ask: Ask): Explorer {
  const active = () => seat.current().client
  const all = () => seat.members.map(({ client }) => client)
  return {
    get host() {
      return active().host
    },
    call: (endpoint, params, how) => ask((one) => one.call(endpoint, params, how), how.signal),
    callNonEmpty: (endpoint, params, how) =>
      ask((one) => one.callNonEmpty(endpoint, params, how), how.signal),
    // One that breaks off is begun again elsewhere, and says so by `onBegin`.
    walk: (endpoint, params, how) => ask((one) => one.walk(endpoint, params, how), how.signal),
    session: () => joinBy(seat, bind(seat)),
    get empties() {
      return active().empties
    },
    mismatches: { list: (since) => all().flatMap(({ mismatches }) => mismatches.list(since)) },
    health: () => active().health(),
    get keys() {
      return active().keys
    },
    rebaseClock(jump) {
      for (const one of all()) one.rebaseClock(jump)
    },
    paceMetrics: () => active().paceMetrics(),
    async close() {
      await Promise.all(all().map((one) => one.close()))
    },
  }
}

/** Whoever answers the first question answers all. One that fails at a later one rests: another begins anew the next time. */
function bind(seat: Seat<Explorer>): Ask {
  let bound: Explorer | null = null
  return async (question, signal) => {
    if (bound === null)
      return seat.ask(async (one) => {
        const answer = await question(one)
        bound ??= one
        return answer
      }, signal)
    try {
      return await question(bound)
    } catch (error) {
      signal?.throwIfAborted()
      const member = seat.members.find(({ client }) => client === bound)
      if (member && mayOtherAnswer(error)) seat.note(member, true)
      throw error
    }
  }
}
