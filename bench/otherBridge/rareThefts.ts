import { toEventSelector } from 'viem/utils'
import { addressOf, dataOf, type MainTx, settled, type Token, topicOf } from './chain.ts'
import type { Deal } from './actors.ts'
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
  toZone,
} from './theftScene.ts'

const invents = (scene: Scene, more: { lagMs?: number; hiddenFrom?: readonly string[] } = {}) => {
  const { actors } = scene.bridge
  const zone = { hash: scene.invented('zone'), at: scene.at - later }
  const { lagMs, ...rest } = more
  const tx = actors.pays(scene.at, scene.deal, zone.hash, scene.deal.raw, rest)
  actors.list(scene.deal, { direction: toMain, main: tx, zone, ...(lagMs !== undefined && { lagMs }) })
  return tx
}

/** The same theft of another amount. */
const worth = (scene: Scene, raw: bigint): Scene => ({ ...scene, deal: { ...scene.deal, raw } })
const share = (raw: bigint, percent: number) => (raw * BigInt(percent)) / 100n || 1n

/** One transaction with the movements of several deals out of the escrow. */
function paysTogether({ bridge, at }: Scene, deals: readonly Deal[], more: Partial<MainTx> = {}) {
  const parts = deals.map(({ token, raw, id, target }) =>
    bridge.actors.carried(token, bridge.chain.escrow, target, raw, id),
  )
  return bridge.actors.main({
    at,
    moves: parts.flatMap(({ moves }) => moves),
    calls: parts.flatMap(({ calls }) => calls),
    ...more,
  })
}

function items({ bridge, deal }: Scene): Deal {
  const token = bridge.chain.tokens.find(({ type }) => type === 'ERC1155') as Token
  return { ...deal, token, id: String(bridge.chance.whole(1, 60)), raw: BigInt(bridge.chance.whole(20, 90)) }
}

/** A batch as asked for and recorded; what is paid is said by `paid`. */
function batch(
  scene: Scene,
  paid: (deal: Deal, n: number) => readonly { id: string; raw: bigint; to: string }[],
) {
  const { bridge, at } = scene
  const deal = { ...items(scene), id: '' }
  const tokenIds = ['11', '12', '13'].map((id) => String(Number(id) + 3 * bridge.chance.whole(0, 15)))
  const amounts = tokenIds.map(() => BigInt(bridge.chance.whole(2, 9)))
  const asked = { ...deal, raw: amounts.reduce((sum, amount) => sum + amount, 0n) }
  const columns = { tokenIds, amounts: amounts.map(String) }
  const left = bridge.actors.leaves(at - later, [asked], {
    actionType: 'batchWithdraw',
    action: { token: deal.token.address, ...columns, destination: deal.target },
    value: '',
    valueRaw: '',
  })
  const moves = tokenIds.flatMap((id, n) => paid({ ...deal, id, raw: amounts[n] ?? 0n }, n))
  const tx = bridge.actors.main({
    at,
    moves: moves.map((move) => ({ token: deal.token, from: bridge.chain.escrow, ...move })),
    events: [bridge.actors.payoutEvent(asked, left.hash)],
  })
  bridge.actors.list(asked, {
    direction: toMain,
    crossType: 'BatchWithdraw',
    main: tx,
    zone: left,
    batchDetail: JSON.stringify(columns),
  })
  return { txs: [tx, left], deal: asked }
}

/** An act of administration on the bridge's contract. */
const administration =
  (signature: string, ...values: readonly (string | number)[]): Form =>
  ({ bridge, at }) => {
    const named = values.map((value) => (typeof value === 'number' ? value : addressOf(value, at)))
    const data = named.filter((value) => typeof value === 'number')
    const topics = [
      toEventSelector(signature),
      ...named.filter((value) => typeof value === 'string').map(topicOf),
    ]
    const event = { address: bridge.chain.bridge, topics, data: data.length > 0 ? dataOf(...data) : '0x' }
    return { txs: [bridge.actors.main({ at, from: bridge.actors.user(1), events: [event] })], deal: null }
  }

/** Thefts of other kinds, and with the traces of a common one in other places. */
export const rareForms: Readonly<Record<string, Form>> = {
  'payout of a few percent too much': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - later, [deal])
    const tx = bridge.actors.pays(at, deal, left.hash, share(deal.raw, 100 + bridge.chance.whole(3, 10)))
    bridge.actors.list(deal, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'payout of a few percent too much, in the record too': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - later, [deal])
    const more = worth(scene, share(deal.raw, 100 + bridge.chance.whole(3, 10)))
    return { txs: [payout(more, left.hash, true, left.at), left], deal: more.deal }
  },
  'credit of a percent too much': (scene) => {
    const { bridge, deal, at } = scene
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      ...giving(scene),
      events: [bridge.actors.depositEvent(deal)],
    })
    const more = worth(scene, share(deal.raw, 101))
    return { txs: [credit(more, tx), tx], deal: more.deal }
  },
  'credit of another token than deposited': (scene) => {
    const { bridge, deal, at, other } = scene
    const given = bridge.chain.tokens.find(({ symbol }) => symbol !== deal.token.symbol) as Token
    const gift = { ...deal, token: given, raw: other.raw }
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      ...bridge.actors.carried(given, deal.source, bridge.chain.escrow, gift.raw),
      events: [bridge.actors.depositEvent(gift)],
    })
    return { txs: [credit(scene, tx), tx] }
  },
  'credit to another than the deposit names': (scene) => {
    const { bridge, deal, at, other } = scene
    const named = { ...deal, source: other.source, target: other.source }
    const tx = bridge.actors.main({
      at,
      from: other.source,
      ...bridge.actors.carried(deal.token, other.source, bridge.chain.escrow, deal.raw),
      events: [bridge.actors.depositEvent(named)],
    })
    const stolen = { ...deal, source: other.source }
    return { txs: [credit({ ...scene, deal: stolen }, tx), tx] }
  },
  'two credits of one deposit in one zone transaction': (scene) => {
    const { bridge, deal, at } = scene
    const { tx, credit: zone } = bridge.actors.deposit(at, deal)
    bridge.actors.list(deal, { direction: toZone, main: tx, zone, eventIndex: 1 })
    return { txs: [zone, tx] }
  },
  'zone credit of ten times what the record says': (scene) => {
    const { bridge, deal, at } = scene
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      ...giving(scene),
      events: [bridge.actors.depositEvent(deal)],
    })
    const zone = bridge.actors.arrives(at + 4 * second, { ...deal, raw: deal.raw * 10n })
    bridge.actors.list(deal, { direction: toZone, main: tx, zone })
    return { txs: [zone, tx] }
  },
  'zone credit to another than the record names': (scene) => {
    const { bridge, deal, other, at } = scene
    const victim = { ...deal, source: other.source, target: other.source }
    const tx = bridge.actors.main({
      at,
      from: other.source,
      ...bridge.actors.carried(deal.token, other.source, bridge.chain.escrow, deal.raw),
      events: [bridge.actors.depositEvent(victim)],
    })
    const zone = bridge.actors.arrives(at + 4 * second, deal)
    bridge.actors.list(victim, { direction: toZone, main: tx, zone })
    return { txs: [zone, tx] }
  },
  'deposit with a drain of another token in its transaction': (scene) => {
    const { bridge, deal, other, at } = scene
    const given = { ...other, source: deal.source, target: deal.target }
    const token = bridge.chain.tokens.find(({ symbol }) => symbol !== given.token.symbol) as Token
    const taken = { ...deal, token, raw: bridge.actors.deal(token, 0.01).raw }
    const { moves, calls } = bridge.actors.carried(given.token, given.source, bridge.chain.escrow, given.raw)
    const drained = bridge.actors.carried(taken.token, bridge.chain.escrow, taken.target, taken.raw)
    const tx = bridge.actors.main({
      at,
      from: given.source,
      moves: [...moves, ...drained.moves],
      calls: [...calls, ...drained.calls],
      events: [bridge.actors.depositEvent(given)],
    })
    const zone = bridge.actors.arrives(at + 4 * second, given)
    bridge.actors.list(given, { direction: toZone, main: tx, zone })
    return { txs: [tx, zone], deal: taken }
  },
  'second payout of one origin, under another event index': (scene) => {
    const { bridge, deal, at } = scene
    const { left } = bridge.actors.withdraw(at - 90 * second, deal)
    const tx = bridge.actors.pays(at, deal, left.hash, deal.raw)
    bridge.actors.list(deal, { direction: toMain, main: tx, zone: left, eventIndex: 1 })
    return { txs: [tx, left], at }
  },
  'second payout of one origin, of five times as much': (scene) => {
    const { bridge, deal, other, at } = scene
    const small = { ...other, token: deal.token, id: deal.id, raw: deal.raw / 5n || 1n }
    const { left } = bridge.actors.withdraw(at - 90 * second, small)
    return { txs: [payout(scene, left.hash, true, left.at)], at }
  },
  'drain of which most is given back in its transaction': (scene) => {
    const { bridge, at, deal } = scene
    const back = share(deal.raw, 90)
    const [out, home] = [
      draining(scene),
      bridge.actors.carried(deal.token, deal.target, bridge.chain.escrow, back, deal.id),
    ]
    const tx = bridge.actors.main({
      at,
      from: deal.source,
      to: addressOf('helper', at),
      moves: [...out.moves, ...home.moves],
      calls: [...out.calls, ...home.calls],
    })
    return { txs: [tx], deal: { ...deal, raw: deal.raw - back } }
  },
  'credit of a deposit that is reorganised away': (scene) => {
    const { bridge, deal, at } = scene
    const { chain } = bridge
    const goneAt = at + 8 * second
    chain.reorgs.push({ at: goneAt, depth: 10 })
    const tx = bridge.actors.main({
      at,
      goneAt,
      from: deal.source,
      ...giving(scene),
      events: [bridge.actors.depositEvent(deal)],
    })
    return { txs: [credit(scene, tx), tx], at: goneAt }
  },
  'credit of a withdrawal that was paid': (scene) => {
    const { tx } = scene.bridge.actors.withdraw(scene.at - 60 * second, scene.deal, later)
    return { txs: [credit(scene, settled(scene.bridge.chain, tx)), tx] }
  },
  "payout in another's stead": (scene) => {
    const { bridge, deal, other, at } = scene
    const honest = { ...other, token: deal.token, id: deal.id, raw: deal.raw }
    const { left } = bridge.actors.withdraw(at - later, honest, 40 * second)
    const tx = payout(scene, left.hash, true, left.at)
    return { txs: [tx] }
  },
  "payout in another's stead that the list hides": (scene) => {
    const { bridge, deal, other, at } = scene
    const honest = { ...other, token: deal.token, id: deal.id, raw: deal.raw }
    const { left } = bridge.actors.withdraw(at - later, honest, 40 * second)
    return { txs: [payout(scene, left.hash, false)] }
  },
  'payout to another than the record names': (scene) => {
    const { bridge, deal, other, at } = scene
    const named = { ...deal, source: other.source, target: other.target }
    const left = bridge.actors.leaves(at - later, [named])
    const tx = bridge.actors.main({
      at,
      ...draining(scene),
      events: [bridge.actors.payoutEvent(named, left.hash)],
    })
    bridge.actors.list(named, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'payout of which a fifth goes to somebody else': (scene) => {
    const { bridge, deal, other, at } = scene
    const named = { ...deal, source: other.source, target: other.target }
    const left = bridge.actors.leaves(at - later, [named])
    const fifth = share(deal.raw, 20)
    const tx = paysTogether(
      scene,
      [
        { ...named, raw: deal.raw - fifth },
        { ...deal, raw: fifth },
      ],
      { events: [bridge.actors.payoutEvent(named, left.hash)] },
    )
    bridge.actors.list(named, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'payout with a little beside it to somebody else': (scene) => {
    const { bridge, deal, other, at } = scene
    const left = bridge.actors.leaves(at - later, [other])
    const beside = { ...deal, token: other.token, id: other.id, raw: share(other.raw, 1) }
    const tx = paysTogether(scene, [other, beside], { events: [bridge.actors.payoutEvent(other, left.hash)] })
    bridge.actors.list(other, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left], deal: beside }
  },
  'payout of other items than left': (scene) => {
    const { bridge, at } = scene
    const deal = items(scene)
    const left = bridge.actors.leaves(at - later, [{ ...deal, id: String((Number(deal.id) % 60) + 1) }])
    return { txs: [payout({ ...scene, deal }, left.hash, true, left.at), left], deal }
  },
  'payout before its origin': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at + 50 * second, [deal])
    return { txs: [payout(scene, left.hash, true, left.at), left], at: left.at }
  },
  'payout whose event names another origin than the record': (scene) => {
    const { bridge, deal, other, at } = scene
    const { left } = bridge.actors.withdraw(at - 30 * second, other)
    const tx = bridge.actors.pays(at, deal, left.hash, deal.raw)
    bridge.actors.list(deal, {
      direction: toMain,
      main: tx,
      zone: { hash: scene.invented('zone'), at: at - later },
    })
    return { txs: [tx] }
  },
  'payout of a withdrawal that is shown as failed': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - 60 * second, [deal])
    bridge.actors.list(deal, { direction: toMain, main: null, zone: left, status: '0x0' })
    return { txs: [payout(scene, left.hash, false)] }
  },
  'payout that names no origin, to whom as much is on its way': (scene) => {
    const { at, bridge, deal } = scene
    bridge.actors.withdraw(at - 60 * second, deal, 1_200 * second)
    return { txs: [payout(scene, '')] }
  },
  'payout listed a minute late': (scene) => ({ txs: [invents(scene, { lagMs: 60 * second })] }),
  'payout that no list of movements shows': (scene) => ({
    txs: [invents(scene, { hiddenFrom: ['E6', 'E8', 'E7', 'E10', 'E19', 'E18', 'E20', 'E1'] })],
  }),
  'hidden payout that no list of movements shows': (scene) => {
    const tx = scene.bridge.actors.pays(scene.at, scene.deal, scene.invented('zone'), scene.deal.raw, {
      hiddenFrom: ['E6', 'E8', 'E7', 'E10', 'E1'],
    })
    return { txs: [tx] }
  },
  'ten payouts of one origin at once': (scene) => {
    const { bridge, deal, at } = scene
    const left = bridge.actors.leaves(at - later, [deal])
    const txs = Array.from({ length: 10 }, () => payout(scene, left.hash, true, left.at))
    return { txs: [...txs, left], at }
  },
  'five payouts of invented origins in one transaction': (scene) => {
    const { bridge, deal, at } = scene
    const deals = [1, 2, 3, 4, 5].map((n) => ({
      ...deal,
      raw: deal.raw / BigInt(n + 2) || 1n,
      target: addressOf('thief', at, n),
    }))
    const zones = deals.map((_, n) => ({ hash: scene.invented(`zone ${n}`), at: at - later }))
    const events = deals.map((one, n) => bridge.actors.payoutEvent(one, zones[n]?.hash ?? ''))
    const tx = paysTogether(scene, deals, { events })
    for (const [n, one] of deals.entries())
      bridge.actors.list(one, { direction: toMain, main: tx, zone: zones[n] ?? null })
    return { txs: [tx], deal: deals[0] as Deal }
  },
  'honest payout with a drain in its transaction': (scene) => {
    const { bridge, deal, other, at } = scene
    const left = bridge.actors.leaves(at - later, [other])
    const tx = paysTogether(scene, [other, deal], { events: [bridge.actors.payoutEvent(other, left.hash)] })
    bridge.actors.list(other, { direction: toMain, main: tx, zone: left })
    return { txs: [tx, left] }
  },
  'drain of items': (scene) => {
    const deal = items(scene)
    return {
      txs: [paysTogether(scene, [deal], { from: deal.source, to: deal.token.address })],
      deal,
    }
  },
  'drain of native currency by an inner call': (scene) => {
    const { bridge, at, deal } = scene
    const token = bridge.chain.tokens.find(({ type }) => type === 'NATIVE') as Token
    const raw = BigInt(bridge.chance.whole(100, 2_000)) * 10n ** 18n
    const from = bridge.actors.anybody()
    const tx = bridge.actors.main({
      at,
      from,
      to: addressOf('helper', at),
      calls: [{ from: bridge.chain.escrow, to: deal.target, wei: raw }],
    })
    return { txs: [tx], deal: { ...deal, token, raw } }
  },
  'drain of a token that lay still': (scene) => {
    const { bridge, at, deal } = scene
    const { chain, actors } = bridge
    const address = addressOf('dormant', at)
    const token: Token = {
      ...deal.token,
      symbol: 'IDLE',
      name: 'IDLE token',
      address,
      type: 'ERC20',
      decimals: 6,
    }
    chain.dormant.push(token)
    const idle = { ...deal, token, raw: 40_000_000_000n }
    actors.deposit(chain.genesisAt + 30 * second, { ...idle, source: actors.user(9), target: actors.user(9) })
    return { txs: [paysTogether({ ...scene, at }, [idle], { from: deal.source })], deal: idle }
  },
  'drain of two tokens in one transaction': (scene) => {
    const { bridge, deal } = scene
    const other = bridge.chain.tokens.find(
      ({ type, symbol, keeps }) => type === 'ERC20' && keeps === 0 && symbol !== deal.token.symbol,
    ) as Token
    const second = { ...bridge.actors.deal(other, 0.01), target: deal.target }
    return { txs: [paysTogether(scene, [deal, second], { from: deal.source })] }
  },
  'drain by an allowance': (scene) => {
    const { deal } = scene
    return { txs: [paysTogether(scene, [deal], { from: deal.source, to: deal.token.address })] }
  },
  'drain behind a token of the same symbol': (scene) => {
    const { bridge, deal, at } = scene
    const token: Token = { ...deal.token, address: addressOf('own', at), type: 'ERC20' }
    const { escrow } = bridge.chain
    for (let n = 0; n < 200; n += 1)
      bridge.actors.main({
        at: at - 5 * second + n * 60,
        from: deal.source,
        to: token.address,
        moves: [{ token, from: escrow, to: deal.target, raw: deal.raw * 1_000n }],
      })
    return { txs: [paysTogether(scene, [deal], { from: deal.source })] }
  },
  'drain after probes of dust': (scene) => {
    const { at, deal } = scene
    for (const before of [100, 60, 20])
      paysTogether({ ...scene, at: at - before * second }, [{ ...deal, raw: 1n }], { from: deal.source })
    return { txs: [paysTogether(scene, [deal], { from: deal.source })] }
  },
  'batch with one recipient replaced': (scene) =>
    batch(scene, ({ id, raw, target }, n) => [
      { id, raw, to: n === 1 ? addressOf('else', id, raw) : target },
    ]),
  'batch that pays one item twice': (scene) =>
    batch(scene, ({ id, raw, target }, n) =>
      Array.from({ length: n === 2 ? 2 : 1 }, () => ({ id, raw, to: target })),
    ),
  'role granted': administration('RoleGranted(bytes32,address,address)', 'role', 'grantee', 'granter'),
  'upgrade of the contract': administration('Upgraded(address)', 'code'),
  'change of the owner': administration('OwnershipTransferred(address,address)', 'owner', 'thief'),
  'signer added': administration('AddedOwner(address)', 'signer'),
  'threshold lowered': administration('ChangedThreshold(uint256)', 1),
  'bridge paused': administration('Paused(address)', 'pauser'),
  'relayer replaced by an event of its own kind': administration('RelayerSet(address,bool)', 'relayer', 1),
  'payout limit lifted': administration('WithdrawalLimitUpdated(uint256,uint256)', 1, 1_000_000),
}
