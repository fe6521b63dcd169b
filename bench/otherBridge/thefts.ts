import type { Bridge } from './createBridge.ts'
import { addressOf, hashOf, type Token, toUnits } from './chain.ts'
import { rareForms } from './rareThefts.ts'
import {
  credit,
  draining,
  type Form,
  giving,
  later,
  payout,
  type Scene,
  second,
  toMain,
} from './theftScene.ts'

export interface Theft {
  readonly form: string
  /** When any source could first show it. */
  readonly at: number
  /** Hashes, one of which whoever is told must be given. */
  readonly marks: readonly string[]
  /** Of the records that the list shows of it, before their transactions are known too. */
  readonly ids: readonly string[]
  /** Null where no money moves yet. */
  readonly stolen: { readonly amount: string; readonly symbol: string } | null
}

/** How value is stolen, each drawn with other parties, tokens and amounts. */
const forms: Readonly<Record<string, Form>> = {
  'payout of an invented origin': (scene) => ({ txs: [payout(scene, scene.invented('zone'))] }),
  'payout without a named origin': (scene) => ({ txs: [payout(scene, '')] }),
  'payout that the list hides': (scene) => ({ txs: [payout(scene, scene.invented('zone'), false)] }),
  'payout that the list hides, of a real origin of another': (scene) => {
    const { left } = scene.bridge.actors.withdraw(scene.at - 90 * second, scene.other)
    return { txs: [payout(scene, left.hash, false)] }
  },
  'payout of a failed origin': (scene) => {
    const left = scene.bridge.actors.leaves(scene.at - later, [scene.deal], {
      failed: 'insufficient balance',
    })
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  'payout of a trade': (scene) => {
    const left = scene.bridge.actors.zone({
      at: scene.at - later,
      from: scene.deal.source,
      actionType: 'order',
      action: { asset: 1, size: '5' },
    })
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  'payout of a plain payment on the zone': (scene) => {
    const { deal, at, bridge } = scene
    const left = bridge.actors.zone({
      at: at - later,
      from: deal.source,
      actionType: 'spotSend',
      action: { token: deal.token.address, amount: String(deal.raw), destination: deal.target },
      value: toUnits(deal.raw, deal.token.decimals),
      valueRaw: String(deal.raw),
    })
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  "payout of the thief's own deposit": (scene) => {
    const { credit: origin } = scene.bridge.actors.deposit(scene.at - 60 * second, {
      ...scene.deal,
      source: scene.deal.target,
    })
    return { txs: [payout(scene, origin.hash, true, origin.at)] }
  },
  "payout of another's withdrawal": (scene) => {
    const { left } = scene.bridge.actors.withdraw(scene.at - 90 * second, scene.other)
    return { txs: [payout(scene, left.hash, true, left.at)] }
  },
  'payout to another recipient than the zone names': (scene) => {
    const { bridge, deal, other, at } = scene
    const left = bridge.actors.leaves(at - later, [{ ...deal, target: other.target }])
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  'payout of ten times what left': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - later, [{ ...deal, raw: deal.raw / 10n || 1n }])
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  'payout of ten times what the record says': (scene) => {
    const { bridge, deal, at } = scene
    const small = { ...deal, raw: deal.raw / 10n || 1n }
    const left = bridge.actors.leaves(at - later, [small])
    const tx = bridge.actors.pays(at, small, left.hash, deal.raw)
    bridge.actors.list(small, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'payout of another token than left': (scene) => {
    const { bridge, deal, at } = scene
    const token = bridge.chain.tokens.find(
      ({ type, address }) => type === 'ERC20' && address !== deal.token.address,
    ) as Token
    const left = bridge.actors.leaves(at - later, [{ ...deal, token, id: '' }])
    return { txs: [payout(scene, left.hash, true, left.at), left] }
  },
  'second payout of one origin, listed': (scene) => {
    const { left } = scene.bridge.actors.withdraw(scene.at - 120 * second, scene.deal)
    return { txs: [payout(scene, left.hash, true, left.at)] }
  },
  'second payout of one origin, under the same id': (scene) => {
    const { left, entry } = scene.bridge.actors.withdraw(scene.at - 120 * second, scene.deal)
    const tx = scene.bridge.actors.pays(scene.at, scene.deal, left.hash, scene.deal.raw)
    scene.bridge.actors.list(scene.deal, {
      ...entry,
      direction: toMain,
      main: tx,
      zone: left,
      writtenAt: scene.at,
    })
    return { txs: [tx, left] }
  },
  'second payout of one origin, hidden': (scene) => {
    const { left } = scene.bridge.actors.withdraw(scene.at - 120 * second, scene.deal)
    return { txs: [payout(scene, left.hash, false)] }
  },
  'second payout of what was paid long ago': (scene) => {
    const { left } = scene.bridge.actors.withdraw(scene.bridge.chain.genesisAt + 90 * second, scene.deal)
    return { txs: [payout(scene, left.hash, true, left.at)] }
  },
  'two payouts in one transaction, one listed': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - later, [deal])
    const [one, other] = [draining(scene), draining(scene)]
    const tx = bridge.actors.main({
      at,
      moves: [...one.moves, ...other.moves],
      calls: [...one.calls, ...other.calls],
      events: [bridge.actors.payoutEvent(deal, left.hash)],
    })
    bridge.actors.list(deal, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'drain by a transaction of the thief': (scene) => {
    const { bridge, at, deal } = scene
    return {
      txs: [bridge.actors.main({ at, from: deal.source, to: bridge.chain.escrow, ...draining(scene) })],
    }
  },
  'drain by many small payments': (scene) => {
    const { bridge, at, deal } = scene
    const part = deal.raw / 20n || 1n
    const txs = Array.from({ length: 20 }, (_, n) =>
      bridge.actors.main({
        at: at + n * 700,
        from: deal.source,
        to: bridge.chain.escrow,
        ...bridge.actors.carried(deal.token, bridge.chain.escrow, deal.target, part, deal.id),
      }),
    )
    return { txs, at: at + 14 * second }
  },
  'deposit of an invented transaction': (scene) => ({
    txs: [credit(scene, { hash: scene.invented('main'), at: scene.at })],
  }),
  'deposit without a named transaction': (scene) => ({ txs: [credit(scene, null)] }),
  'deposit whose transaction failed': (scene) => {
    const { bridge, deal, at } = scene
    const tx = bridge.actors.main({ at, from: deal.source, failed: true, ...giving(scene) })
    return { txs: [credit(scene, tx), tx] }
  },
  'deposit event without a movement': (scene) => {
    const { bridge, deal, at } = scene
    const tx = bridge.actors.main({ at, from: deal.source, events: [bridge.actors.depositEvent(deal)] })
    return { txs: [credit(scene, tx), tx] }
  },
  'deposit of a tenth of what is credited': (scene) => {
    const { bridge, deal, at } = scene
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      ...giving(scene, deal.raw / 10n || 1n),
      events: [bridge.actors.depositEvent(deal)],
    })
    return { txs: [credit(scene, tx), tx] }
  },
  'deposit of a worthless token of the same name': (scene) => {
    const { bridge, deal, at } = scene
    const token: Token = { ...deal.token, address: addressOf('worthless', at), type: 'ERC20', keeps: 0 }
    const moves = [{ token, from: deal.source, to: bridge.chain.escrow, raw: deal.raw }]
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      moves,
      events: [bridge.actors.depositEvent(deal)],
    })
    return { txs: [credit(scene, tx), tx] }
  },
  'deposit that goes to somebody else': (scene) => {
    const { bridge, deal, at } = scene
    const paid = bridge.actors.carried(deal.token, deal.source, bridge.actors.anybody(), deal.raw, deal.id)
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      ...paid,
      events: [bridge.actors.depositEvent(deal)],
    })
    return { txs: [credit(scene, tx), tx] }
  },
  'deposit given back in its own transaction': (scene) => {
    const { bridge, deal, at } = scene
    const [there, back] = [
      giving(scene),
      bridge.actors.carried(deal.token, bridge.chain.escrow, deal.source, deal.raw, deal.id),
    ]
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      moves: [...there.moves, ...back.moves],
      calls: [...there.calls, ...back.calls],
      events: [bridge.actors.depositEvent(deal)],
    })
    return { txs: [credit(scene, tx), tx] }
  },
  'second credit of one deposit': (scene) => {
    const { tx } = scene.bridge.actors.deposit(scene.at - 90 * second, scene.deal)
    return { txs: [credit(scene, tx), tx] }
  },
  "credit of another's deposit": (scene) => {
    const { tx } = scene.bridge.actors.deposit(scene.at - 90 * second, scene.other)
    return { txs: [credit(scene, tx), tx] }
  },
  'batch with swapped items': (scene) =>
    batch(scene, (items) => items.map((item, n) => (n === 0 ? { ...item, id: '59' } : item))),
  'batch with one item more': (scene) => batch(scene, (items) => [...items, { id: '60', raw: 5_000n }]),
  'batch with inflated amounts': (scene) =>
    batch(scene, (items) => items.map((item) => ({ ...item, raw: item.raw * 100n }))),
  'batch without a detail': (scene) =>
    batch(scene, (items) => items.map((item) => ({ ...item, raw: item.raw * 100n })), ''),
  ...rareForms,
}

export const theftForms = Object.keys(forms)
export const rareTheftForms = Object.keys(rareForms)

type Item = { readonly id: string; readonly raw: bigint }

/** A batch whose record and payment are `changed` from what left the zone. */
function batch({ bridge, at }: Scene, changed: (items: readonly Item[]) => readonly Item[], detail?: string) {
  const token = bridge.chain.tokens.find(({ type }) => type === 'ERC1155') as Token
  const asked = [1, 2, 3].map((n) => ({
    id: String(n + bridge.chance.whole(0, 40)),
    raw: BigInt(bridge.chance.whole(1, 9)),
  }))
  const items = changed(asked)
  const [source, raw] = [bridge.actors.anybody(), items.reduce((sum, item) => sum + item.raw, 0n)]
  const deal = { token, raw, id: '', source, target: source }
  const columns = (list: readonly Item[]) => ({
    tokenIds: list.map(({ id }) => id),
    amounts: list.map((item) => String(item.raw)),
  })
  const left = bridge.actors.zone({
    at: at - later,
    from: source,
    actionType: 'batchWithdraw',
    action: { token: token.address, ...columns(asked), destination: source },
  })
  const tx = bridge.actors.main({
    at,
    moves: items.map((item) => ({ token, from: bridge.chain.escrow, to: source, ...item })),
    events: [bridge.actors.payoutEvent(deal, left.hash)],
  })
  const batchDetail = detail ?? JSON.stringify(columns(items))
  bridge.actors.list(deal, {
    direction: toMain,
    crossType: 'BatchWithdraw',
    main: tx,
    zone: left,
    batchDetail,
  })
  return { txs: [tx, left], deal }
}

/** Puts a theft of a form into the world; who, what and how much is drawn by lot. */
export function steal(bridge: Bridge, form: string, at: number, share?: number): Theft {
  const { chain, chance, actors } = bridge
  const fungible = chain.tokens.filter(({ type, keeps }) => type !== 'ERC1155' && keeps === 0)
  const token = fungible[chance.whole(0, fungible.length - 1)] as Token
  const thief = addressOf('thief', form, at)
  const deal = { ...actors.deal(token, share ?? chance.between(0.001, 0.03)), source: thief, target: thief }
  const other = actors.deal(fungible[chance.whole(0, fungible.length - 1)] as Token)
  const make = forms[form]
  if (!make) throw new Error(`no form ${form}`)
  const scene = { bridge, at, deal, other, invented: (what: string) => hashOf('invented', what, form, at) }
  const listedBefore = chain.entries.length
  const made = make(scene)
  const stolen = made.deal === undefined ? deal : made.deal
  return {
    form,
    at: made.at ?? Math.max(...made.txs.map((tx) => tx.at)),
    marks: (made.marks ?? made.txs).map(({ hash }) => hash),
    ids: chain.entries
      .slice(listedBefore)
      .flatMap(({ id, target }) => (id !== '' && target === (stolen ?? deal).target ? [id] : [])),
    stolen: stolen && {
      amount: toUnits(stolen.raw, stolen.token.decimals),
      symbol: stolen.token.symbol,
    },
  }
}
