import type { Seat } from '../seat.ts'
import type { Explorer } from './createExplorer.ts'

/** Several deployments of the API as one: the same interface, and whoever is well answers. */
export function joinExplorers(seat: Seat<Explorer>): Explorer {
  const active = () => seat.current().client
  const all = () => seat.members.map(({ client }) => client)
  return {
    get host() {
      return active().host
    },
    call: (endpoint, params, how) => seat.ask((one) => one.call(endpoint, params, how), how.signal),
    callNonEmpty: (endpoint, params, how) =>
      seat.ask((one) => one.callNonEmpty(endpoint, params, how), how.signal),
    // One that breaks off is begun again elsewhere, and says so by `onBegin`.
    walk: (endpoint, params, how) => seat.ask((one) => one.walk(endpoint, params, how), how.signal),
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
