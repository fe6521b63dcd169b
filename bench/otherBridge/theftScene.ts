import { type MainTx, type ZoneTx } from './chain.ts'
import type { Bridge } from './createBridge.ts'
import type { Deal } from './actors.ts'

export interface Scene {
  readonly bridge: Bridge
  readonly at: number
  readonly deal: Deal
  /** Another who is honest. */
  readonly other: Deal
  readonly invented: (what: string) => string
}

/** What a theft does; whoever is told must be given one of the hashes of `marks`, else of `txs`. */
export type Form = (scene: Scene) => {
  readonly at?: number
  readonly marks?: readonly { readonly hash: string }[]
  readonly txs: readonly (MainTx | ZoneTx)[]
  /** What is stolen, unless it is the scene's deal; null: no money yet. */
  readonly deal?: Deal | null
}

export const second = 1_000
export const later = 10 * second

export const toMain = 'ZoneToMain' as const
export const toZone = 'MainToZone' as const

/** Pays out of escrow and has the list say that it completes `zone`. */
export function payout({ bridge, at, deal }: Scene, zoneHash: string, isListed = true, zoneAt = at - later) {
  const tx = bridge.actors.pays(at, deal, zoneHash, deal.raw)
  if (isListed)
    bridge.actors.list(deal, {
      direction: toMain,
      main: tx,
      zone: zoneHash === '' ? null : { hash: zoneHash, at: zoneAt },
      // Nobody shows the false record of another's origin before there is a payout to explain.
      ...(zoneAt !== at - later && { writtenAt: at }),
    })
  return tx
}

/** Credits on the zone what the list says was left by `main`. */
export function credit({ bridge, at, deal }: Scene, main: { hash: string; at: number } | null) {
  const zone = bridge.actors.arrives(at + 4 * second, deal)
  bridge.actors.list(deal, { direction: toZone, main, zone })
  return zone
}

export const draining = ({ bridge, deal }: Scene) =>
  bridge.actors.carried(deal.token, bridge.chain.escrow, deal.target, deal.raw, deal.id)
export const giving = ({ bridge, deal }: Scene, raw = deal.raw) =>
  bridge.actors.carried(deal.token, deal.source, bridge.chain.escrow, raw, deal.id)
