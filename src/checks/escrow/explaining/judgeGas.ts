import { compareDecimals, type Decimal, sumDecimals } from '../../../bridge/decimal.ts'
import { once } from '../../../lib/once.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import type { FlowJudgement } from '../flows/flowStore.ts'
import { isGas } from '../flows/gas.ts'
import { listGasSince } from '../flows/gasStore.ts'
import { type EscrowWatch, shareOf } from '../watched/watch.ts'

const dayMs = 86_400_000
/** Gas of a day beyond this share of what the escrows hold is a loss, as what leaves without an explanation is. */
const mostOfDay = 0.01
/** So many times what the others of its day cost at the median is no usual price: whoever has the key may pay a block's maker. */
const unusualTimes = 20
const neededOthers = 5
/** Before others are known; and what is next to nothing is never unusual. */
const mostWithoutOthers = 0.005
const nothing = 0.0001

/**
 * Judges what escrows paid for transactions of their own: gas, or a loss. No record has to be waited for, since nobody else made
 * them pay. All of one round is set beside one reading of what their gas cost.
 */
export function createGasJudge(
  watch: EscrowWatch,
  due: readonly StoredFlow[],
): (flow: StoredFlow) => FlowJudgement {
  const own = due.filter(isGas)
  const since = Math.min(...own.map(({ at }) => at)) - dayMs
  const known = once(() => {
    const tokens = new Set(own.map(({ token }) => token))
    return [...tokens].flatMap((token) => listGasSince(watch.db, token, since))
  })
  return (flow) => {
    const day = known().filter(
      (one) => one.token === flow.token && one.at > flow.at - dayMs && one.at <= flow.at,
    )
    const why = findExcess(watch, flow, day)
    const common = { direction: 'out', checkAt: null, absence: null, waitsFor: null } as const
    return why === null
      ? { ...common, verdict: 'explained', unexplained: null, reason: 'gas' }
      : { ...common, verdict: 'unexplained', unexplained: flow.outward, reason: why }
  }
}

function findExcess(watch: EscrowWatch, flow: StoredFlow, day: readonly StoredFlow[]): string | null {
  const sum = sumDecimals(day.map(({ outward }) => outward))
  if ((shareOf(watch, flow.token, sum) ?? 0) > mostOfDay)
    return `the gas of its own transactions within a day is more than ${mostOfDay * 100} % of what is held`
  const others = day.filter((one) => one.id !== flow.id && one.verdict !== 'unexplained')
  return isUsual(watch, flow, others) ? null : 'its own transaction cost far more than gas usually does'
}

function isUsual(watch: EscrowWatch, { token, outward }: StoredFlow, others: readonly StoredFlow[]): boolean {
  const share = shareOf(watch, token, outward)
  if (share !== null && share <= nothing) return true
  const median = medianOf(others.map((one) => one.outward))
  if (others.length < neededOthers || median === null) return (share ?? 0) <= mostWithoutOthers
  return compareDecimals(outward, { ...median, digits: median.digits * BigInt(unusualTimes) }) <= 0
}

function medianOf(amounts: readonly Decimal[]): Decimal | null {
  return amounts.toSorted(compareDecimals)[Math.floor((amounts.length - 1) / 2)] ?? null
}
