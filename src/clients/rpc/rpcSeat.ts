import { isOfSource, mayOtherAnswer, type Member, type Seat } from '../seat.ts'
import type { Rpc, RpcCall, RpcOutcome } from './createRpc.ts'
import type { RpcMethodName, RpcResult } from './rpcMethods.ts'

interface Signalled {
  readonly signal?: AbortSignal | undefined
}

/** Several nodes as one: the same interface, and whoever is well answers. */
export function joinRpcs(seat: Seat<Rpc>): Rpc {
  const active = () => seat.current().client
  return {
    get host() {
      return active().host
    },
    call: (method, params, how) => seat.ask((rpc) => rpc.call(method, params, how), how?.signal),
    callMany: (calls, how = {}) => callMany(seat, calls, how),
    session: () => bind(seat),
    health: () => active().health(),
    get lacks() {
      return active().lacks
    },
    batchSize: () => active().batchSize(),
    async close() {
      await Promise.all(seat.members.map(({ client }) => client.close()))
    },
  }
}

/** Questions that one node did not answer are put to the next. */
async function callMany<M extends RpcMethodName>(
  seat: Seat<Rpc>,
  calls: readonly RpcCall<M>[],
  how: Signalled,
): Promise<RpcOutcome<RpcResult<M>>[]> {
  const first = seat.current()
  const others = seat.othersOf(first)
  const outcomes = await askMember(seat, first, calls, how)
  for (const member of others) {
    const open = outcomes.flatMap((outcome, at) => {
      const call = calls[at]
      return call && !outcome.ok && mayOtherAnswer(outcome.error) ? [{ call, at }] : []
    })
    if (open.length === 0) break
    const again = await askMember(
      seat,
      member,
      open.map(({ call }) => call),
      how,
    )
    for (const [place, { at }] of open.entries()) {
      const outcome = again[place]
      if (outcome?.ok) outcomes[at] = outcome
    }
  }
  return outcomes
}

/** A node that answers none of many questions has failed; of one that answers some the questions may be why. */
async function askMember<M extends RpcMethodName>(
  seat: Seat<Rpc>,
  member: Member<Rpc>,
  calls: readonly RpcCall<M>[],
  how: Signalled,
): Promise<RpcOutcome<RpcResult<M>>[]> {
  const outcomes = await member.client.callMany(calls, how)
  if (outcomes.length > 0) seat.note(member, hasFailed(outcomes))
  return outcomes
}

function hasFailed(outcomes: readonly RpcOutcome<unknown>[]): boolean {
  return outcomes.every((outcome) => !outcome.ok && isOfSource(outcome.error))
}

/** One of them for several questions that belong together: whoever answers the first answers all. */
function bind(seat: Seat<Rpc>): Rpc {
  let bound: Rpc | null = null
  const session: Rpc = {
    ...joinRpcs(seat),
    call: (method, params, how) =>
      bound === null
        ? seat.ask(async (rpc) => {
            const answer = await rpc.call(method, params, how)
            bound ??= rpc
            return answer
          }, how?.signal)
        : bound.call(method, params, how),
    async callMany<M extends RpcMethodName>(calls: readonly RpcCall<M>[], how: Signalled = {}) {
      if (bound !== null) return bound.callMany(calls, how)
      const first = seat.current()
      let outcomes: RpcOutcome<RpcResult<M>>[] = []
      for (const member of [first, ...seat.othersOf(first)]) {
        outcomes = await askMember(seat, member, calls, how)
        if (hasFailed(outcomes)) continue
        bound ??= member.client
        break
      }
      return outcomes
    },
    session: () => session,
  }
  return session
}
