import { toEventSelector } from 'viem/utils'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { home } from '../lib/home.ts'
import { Secret } from '../lib/secret.ts'
import type { ParsedConfig } from './schema.ts'

/** The rules that come with spanwatch, and their tests. */
export const shippedFolder = join(home, 'rules')

/** A configuration as the rest of spanwatch uses it: durations in ms, folders absolute, secrets wrapped. */
export type Config = ReturnType<typeof toConfig>
export type ChannelSettings = Config['channels'][number]

/** `folder` is the configuration file's: `state` and `rules` are relative to it. */
export function toConfig(
  parsed: ParsedConfig,
  places: {
    readonly folder: string
    readonly isFolder: (path: string) => boolean
  },
) {
  const { timeout, baseUrl, quorum, ...explorer } = parsed.explorer
  const [first, ...others] = toSources(baseUrl)
  const { sweep, ...schedules } = parsed.poll
  return {
    explorer: { ...explorer, baseUrl: first.url, name: first.name, others, quorum, timeoutMs: timeout },
    preconf: parsed.preconf && {
      ...toNodes(parsed.preconf),
      intervalMs: parsed.preconf.interval,
    },
    canonical: parsed.canonical && toNodeSettings(parsed.canonical),
    zoneRpc: parsed.zoneRpc && toNodeSettings(parsed.zoneRpc),
    bridge: {
      ...parsed.bridge,
      stages: parsed.bridge.stages.map(toStage),
      probes: parsed.bridge.probes.map(({ every, ...probe }) => ({ ...probe, everyMs: every })),
      ...(parsed.bridge.prices !== undefined && { prices: resolve(places.folder, parsed.bridge.prices) }),
    },
    poll: { ...schedules, sweepMs: sweep },
    start: parsed.start,
    stateDir: resolve(places.folder, parsed.state),
    rulesDir: chooseRules(parsed.rules, places),
    channels: toChannels(parsed.channels),
    routes: parsed.routes.map(toRoute),
    muteTimes: parsed.muteTimes,
    inhibit: parsed.inhibit,
    reports: parsed.reports,
    http: toHttp(parsed.http),
    canary: parsed.canary,
    heartbeat: parsed.heartbeat && { url: parsed.heartbeat.url, everyMs: parsed.heartbeat.every },
    backups: parsed.backups && toBackups(parsed.backups),
    replicas: parsed.replicas && toReplicas(parsed.replicas, places.folder),
    retention: {
      transfersMs: parsed.retention.transfers,
      preconfMs: parsed.retention.preconf,
      auditMs: parsed.retention.audit,
    },
  } as const
}

/** A source by the name that messages call it. */
export interface NamedUrl<T> {
  readonly name: string
  readonly url: T
}

/** The first of a seat's sources, and the others that take its place. */
export interface Nodes {
  readonly url: Secret
  /** Its host, when left out. */
  readonly name?: string
  readonly others?: readonly NamedUrl<Secret>[]
  /** How many of them have to say what an accusation rests on; one, when left out. */
  readonly quorum?: number
}

type Listed<T> = T | (T | { name?: string | undefined; url: T })[]

/** Every source with its name: its own, else its host; a host that comes again is counted. */
function toSources<T extends string | Secret>(listed: Listed<T>): [NamedUrl<T>, ...NamedUrl<T>[]] {
  const entries = Array.isArray(listed) ? listed : [listed]
  const counts = new Map<string, number>()
  const named = entries.map((entry): NamedUrl<T> => {
    // Either an address, or a mapping with one.
    const { name, url } = (typeof entry === 'string' || entry instanceof Secret ? { url: entry } : entry) as {
      readonly name?: string
      readonly url: T
    }
    const own = name ?? new URL(url instanceof Secret ? url.reveal() : url).host
    const count = (counts.get(own) ?? 0) + 1
    counts.set(own, count)
    return { name: count === 1 ? own : `${own} ${count}`, url }
  })
  // The schema asks for one at least.
  return named as [NamedUrl<T>, ...NamedUrl<T>[]]
}

interface ListedNodes {
  readonly url: Listed<Secret>
  readonly quorum: number
}

function toNodes({ url, quorum }: ListedNodes): Nodes {
  const [first, ...others] = toSources(url)
  return { ...first, others, quorum }
}

function toNodeSettings<T extends ListedNodes>({
  url,
  quorum,
  ...settings
}: T): Omit<T, keyof ListedNodes> & Nodes {
  return { ...settings, ...toNodes({ url, quorum }) }
}

/** A route in the units of the program: ms. */
export function toRoute(route: ParsedConfig['routes'][number]) {
  const { groupWait, groupInterval, repeat, repeatMax, escalate, ...rest } = route
  return {
    ...rest,
    groupWaitMs: groupWait,
    groupIntervalMs: groupInterval,
    repeatMs: repeat,
    maxRepeatMs: repeatMax,
    escalate: escalate.map(({ after, channels }) => ({ afterMs: after, channels })),
  }
}

function chooseRules(written: string | undefined, places: Parameters<typeof toConfig>[1]): string {
  if (written !== undefined) return resolve(places.folder, written)
  const beside = join(places.folder, 'rules')
  return places.isFolder(beside) ? beside : shippedFolder
}

/** Without channels and routes people still hear: on the console. */
export function toChannels(channels: ParsedConfig['channels']) {
  const named = Object.entries(channels).map(([name, channel]) => {
    if (channel.type === 'slack-app') {
      const { appToken, ...rest } = channel
      return { name, ...rest, ...(appToken === undefined ? {} : { appToken }) }
    }
    if (channel.type === 'telegram') {
      const { messageThreadId, ...rest } = channel
      return { name, ...rest, ...(messageThreadId === undefined ? {} : { messageThreadId }) }
    }
    if (channel.type !== 'webhook') return { name, ...channel }
    const { secret, body, contentType, ...rest } = channel
    return {
      name,
      ...rest,
      ...(secret !== undefined && { secret }),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
    }
  })
  return named.length > 0 ? named : [{ name: 'console', type: 'console' } as const]
}

function toStage({ event, lasts, every, names, height, ...rest }: ParsedConfig['bridge']['stages'][number]) {
  return {
    ...rest,
    /** As the entry of an ABI; null where time or a challenge begins it. */
    event: event === undefined ? null : { topic: toEventSelector(event), abi: JSON.stringify(event) },
    names: names ?? null,
    height: height ?? null,
    lastsMs: lasts ?? null,
    everyMs: every ?? null,
  }
}

function toReplicas({ ca, node, ...rest }: NonNullable<ParsedConfig['replicas']>, folder: string) {
  return { ...rest, node: node ?? hostname(), caFile: ca === undefined ? null : resolve(folder, ca) }
}

function toBackups({ every, ...rest }: NonNullable<ParsedConfig['backups']>) {
  return { everyMs: every, ...rest }
}

export function toHttp(http: ParsedConfig['http']) {
  if (http === null) return null
  const { listen, ...rest } = http
  return { host: listen.host, port: listen.port, ...rest }
}
