import { kinds } from '../checks/index.ts'
import type { AlertSettings } from '../alerts/alertEngine.ts'
import type { KnownEscrow } from '../cases/listKeys.ts'
import { followsCases } from '../delivery/channels/createChannel.ts'
import { defaultRoute } from '../alerts/routing.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { MonitorError } from '../lib/errors.ts'
import { compileLabelPredicate, compileRouteMatch, type RouteMatch } from '../rules/cel/compileConditions.ts'

type Labels = Readonly<Record<string, string>>

/**
 * Routes and inhibitions with their expressions compiled. Whoever wrote no routes has a small bridge, or looks at
 * spanwatch for the first time: there the end of an alert is sent soon.
 * @throws MonitorError `config.invalid`
 */
export function toRouting(
  config: Pick<AppConfig, 'routes' | 'inhibit' | 'channels' | 'muteTimes'> & {
    readonly bridge?: AppConfig['bridge']
  },
): AlertSettings {
  const channels = config.channels.map(({ name }) => name)
  const toTime = (name: string) => ({ name, intervals: config.muteTimes?.[name] ?? [] })
  return {
    routes:
      config.routes.length === 0
        ? [{ ...defaultRoute(channels), groupIntervalMs: 10_000 }]
        : config.routes.map((route, index) => ({
            id: `routes[${index}]`,
            ...compileMatch(route.match, `routes[${index}].match`),
            channels: route.channels,
            groupBy: route.groupBy,
            groupWaitMs: route.groupWaitMs,
            groupIntervalMs: route.groupIntervalMs,
            repeatMs: route.repeatMs,
            maxRepeatMs: route.maxRepeatMs ?? null,
            sendResolved: route.sendResolved ?? true,
            mutes: (route.mute ?? []).map(toTime),
            active: (route.activeTimes ?? []).map(toTime),
            muteCritical: route.muteCritical ?? false,
            escalate: route.escalate ?? [],
            continue: route.continue,
          })),
    inhibit: config.inhibit.map((inhibition, index) => ({
      source: compile(inhibition.source, `inhibit[${index}].source`),
      target: compile(inhibition.target, `inhibit[${index}].target`),
      equal: inhibition.equal,
    })),
    channels: config.channels.map(({ name, type }) => ({ name, type, followsCases: followsCases(type) })),
    escrows: config.bridge === undefined ? [] : listEscrows(config.bridge),
    fallback: chooseFallback(config.channels),
  }
}

/** Where each token's money is held; without escrows a single contract holds everything. */
function listEscrows({ escrows, contracts, tokens }: AppConfig['bridge']): KnownEscrow[] {
  const [only, ...others] = contracts
  if (escrows.length > 0 || only === undefined || others.length > 0) return [...escrows]
  return ['', ...tokens.map(({ address }) => address)].map((token) => ({ address: only, token }))
}

/** Which channel gets the messages of one that refuses us: mail, which rarely fails together with the others. */
function chooseFallback(channels: AppConfig['channels']): string | null {
  if (channels.length < 2) return null
  return (channels.find(({ type }) => type === 'email') ?? channels.at(-1))?.name ?? null
}

function compileMatch(text: string | null, where: string): RouteMatch {
  if (text === null) return { matches: () => true, asksTransfer: false }
  const compiled = compileRouteMatch(kinds.names, text)
  if (compiled.ok) return compiled.run
  throw new MonitorError('config.invalid', `${where}: ${compiled.problem.message}`)
}

function compile(text: string, where: string): (labels: Labels) => boolean {
  const compiled = compileLabelPredicate(kinds.names, text)
  if (compiled.ok) return compiled.run
  throw new MonitorError('config.invalid', `${where}: ${compiled.problem.message}`)
}
