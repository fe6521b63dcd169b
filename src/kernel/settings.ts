import type { Route } from '../alerts/routing.ts'
import type { TransactionLinks } from '../delivery/itemFields.ts'
import type { Dialect } from '../clients/explorer/dialect.ts'
import type { PaceOptions } from '../clients/explorer/pace.ts'
import type { ExplorerAuth } from '../clients/explorer/sign.ts'
import type { Config, NamedUrl } from '../config/config.ts'
import type { Secret } from '../lib/secret.ts'
import type { ChannelConfig } from '../delivery/channels/createChannel.ts'

/** What the monitor uses of a configuration; `Config` of config/ is one. Durations in ms, schedules in cron. */
export interface AppConfig {
  readonly explorer: {
    readonly baseUrl: string
    /** Its host, when left out. */
    readonly name?: string
    readonly others?: readonly NamedUrl<string>[]
    readonly quorum?: number
    readonly chains: { readonly main: string; readonly zone: string }
    readonly dialect: Dialect
    readonly auth: ExplorerAuth | null
    readonly pace: PaceOptions
    readonly timeoutMs: number
    readonly links: { readonly tx: TransactionLinks }
  }
  readonly preconf: Config['preconf']
  readonly canonical: Config['canonical']
  readonly zoneRpc: Config['zoneRpc']
  readonly bridge: Config['bridge']
  readonly poll: Config['poll']
  readonly reports: Config['reports']
  readonly start: { readonly from: StartFrom }
  readonly stateDir: string
  readonly rulesDir: string
  readonly channels: readonly ChannelConfig[]
  readonly routes: readonly RouteConfig[]
  readonly muteTimes?: Config['muteTimes']
  readonly inhibit: readonly {
    readonly source: string
    readonly target: string
    readonly equal: readonly string[]
  }[]
  readonly canary: Config['canary']
  readonly heartbeat: { readonly url: Secret; readonly everyMs: number } | null
  readonly retention: Config['retention']
  readonly backups: Config['backups']
  readonly replicas?: Config['replicas']
  readonly http: {
    readonly host: string
    readonly port: number
    readonly token: Secret | null
    readonly publicUrl: string | null
    readonly readToken?: Secret | null
    readonly trustProxy?: readonly string[]
    readonly sessions?: string
  } | null
}

export type StartFrom =
  | { readonly kind: 'now' }
  | { readonly kind: 'genesis' }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'height'; readonly chain: 'main' | 'zone'; readonly height: number }

interface RouteConfig extends Omit<Route, 'id' | 'matches' | 'mutes' | 'active'> {
  readonly match: string | null
  /** Names of mute times. */
  readonly mute?: readonly string[]
  readonly activeTimes?: readonly string[]
}
