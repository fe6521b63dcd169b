import type { Check, Panel, Sample } from '../../kernel/check.ts'
import { formatDecimal, fromBaseUnits } from '../../bridge/decimal.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { givenLimits, type LimitFact, type LimitsPart } from './facts.ts'
import { type LimitReadings, pollLimits } from './poll.ts'
import { limitUsed } from './used.ts'

/** Limits that contracts of the bridge keep themselves, such as a day's withdrawals: how much of each is used. */
export const limits: Check<LimitsPart> = {
  name: 'limits',
  kinds: [limitUsed],
  given: givenLimits,
  metrics: [
    {
      type: 'gauge',
      name: 'spanwatch_limit_used_ratio',
      help: 'How much of a limit of `bridge.limits` is used, 1 being all of it.',
      labels: ['contract', 'name'],
    },
  ],
  open({ clock, config, rpcs }) {
    const settings = config.bridge.limits
    const readings: LimitReadings = new Map()
    const rpc = rpcs.canonical ?? rpcs.preconf
    const isCanonical = rpcs.canonical !== null
    const list = (): LimitFact[] =>
      settings.map(({ name, address, decimals }, place) => ({
        name,
        contract: address.toLowerCase(),
        decimals,
        read: readings.get(place) ?? null,
      }))
    return {
      pollers:
        rpc === null || settings.length === 0
          ? []
          : [
              {
                name: 'limits',
                schedule: config.poll.escrows,
                run: (signal) => pollLimits({ rpc, clock, limits: settings, readings, isCanonical }, signal),
              },
            ],
      facts: () => ({ limits: list() }),
      metrics: () => ({ spanwatch_limit_used_ratio: list().flatMap(toSample) }),
      ...(settings.length > 0 && { panel: () => toPanel(list()) }),
    }
  },
}

function toSample({ contract, name, read }: LimitFact): Sample[] {
  if (read === null) return []
  const ratio = read.max === 0n ? 1 : Number((read.used * 1_000_000n) / read.max) / 1e6
  return [[{ contract, name }, ratio]]
}

function toPanel(list: readonly LimitFact[]): Panel {
  const say = ({ read, decimals }: LimitFact) => {
    if (read === null) return 'not read yet'
    const [used, max] = [read.used, read.max].map((raw) =>
      groupDigits(formatDecimal(fromBaseUnits(raw, decimals))),
    )
    return `${used} of ${max}`
  }
  return {
    id: 'limits',
    title: 'Limits',
    lines: list.map((limit) => ({ name: limit.name, value: say(limit) })),
  }
}
