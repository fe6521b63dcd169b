import {
  addressOf,
  type Chain,
  type Chance,
  dataOf,
  type Entry,
  hashOf,
  type MainTx,
  type Move,
  settled,
  toUnits,
  type Token,
  topicOf,
  type ZoneTx,
} from './chain.ts'
import type { Style } from './chain.ts'

/** What a transfer is about. */
export interface Deal {
  readonly token: Token
  readonly raw: bigint
  readonly id: string
  readonly source: string
  readonly target: string
}

export type Actors = ReturnType<typeof createActors>

const depositTopic = hashOf('event', 'deposit')
const payoutTopic = hashOf('event', 'payout')

/** Everybody who uses the bridge, and the bridge itself: each call puts what happens on the chains and into the list. */
export function createActors(seed: number | string, chain: Chain, style: Style, chance: Chance) {
  const user = (n: number) => addressOf(seed, 'user', n)
  const anybody = () => user(chance.whole(1, 200))
  const treasury = addressOf(seed, 'treasury')
  const collector = addressOf(seed, 'collector')
  const router = addressOf(seed, 'router')
  let serial = 0
  const hash = (what: string) => hashOf(seed, what, (serial += 1))

  const main = (tx: Partial<MainTx> & Pick<MainTx, 'at'>): MainTx => {
    const made = {
      hash: hash('main'),
      from: chain.relayer,
      to: chain.bridge,
      moves: [],
      calls: [],
      events: [],
      ...tx,
    }
    chain.mainTxs.push(made)
    return made
  }
  const zone = (tx: Partial<ZoneTx> & Pick<ZoneTx, 'at' | 'actionType' | 'action'>): ZoneTx => {
    const made = { hash: hash('zone'), from: chain.signer, value: '', valueRaw: '', ...tx }
    chain.zoneTxs.push(made)
    return made
  }
  const list = (deal: Deal, entry: Partial<Entry> & Pick<Entry, 'direction' | 'main' | 'zone'>): Entry => {
    const made: Entry = {
      id: chance.is(0.03) ? '' : hash('id'),
      crossType: entry.direction === 'MainToZone' ? 'Deposit' : 'Withdraw',
      token: deal.token,
      tokenId: deal.id,
      raw: deal.raw,
      source: deal.source,
      target: deal.target,
      eventIndex: 0,
      batchDetail: '',
      lagMs: chance.is(0.1) ? chance.whole(2_000, 9_000) : chance.whole(300, 1_500),
      ...(chance.is(0.04) && {
        filledLate: {
          keys: chance.pick([
            ['id'],
            ['value', 'valueRaw'],
            ['targetAddress'],
            ['mainBlockHeight', 'mainBlockTime'],
          ]),
          afterMs: chance.whole(5_000, 60_000),
        },
      }),
      ...entry,
      main: entry.main && settled(chain, entry.main),
    }
    chain.entries.push(made)
    return made
  }

  /** A movement as its token makes it: one that keeps a part pays it to its treasury. */
  const moved = (token: Token, from: string, to: string, raw: bigint, id = ''): Move[] => {
    const kept = (raw * BigInt(Math.round(token.keeps * 10_000))) / 10_000n
    const part = (receiver: string, amount: bigint) => ({ token, from, to: receiver, raw: amount, id })
    return kept === 0n ? [part(to, raw)] : [part(to, raw - kept), part(treasury, kept)]
  }
  /** What of a movement is a token's, and what are calls with native currency. */
  const carried = (token: Token, from: string, to: string, raw: bigint, id = '') =>
    token.type === 'NATIVE'
      ? { moves: [], calls: [{ from, to, wei: raw }] }
      : { moves: moved(token, from, to, raw, id), calls: [] }

  const depositEvent = ({ token, raw, id, source, target }: Deal) => {
    const named = token.type === 'NATIVE' ? '0x' : token.address
    if (style.event === 'full')
      return {
        address: chain.bridge,
        topics: [depositTopic, topicOf(named), topicOf(source), topicOf(target)],
        data: dataOf(raw, BigInt(id || 0)),
      }
    return style.event === 'numbered'
      ? {
          address: chain.bridge,
          topics: [depositTopic, topicOf((serial += 1))],
          data: dataOf(source, target, named, raw),
        }
      : { address: chain.bridge, topics: [depositTopic, topicOf(source)], data: dataOf(target, raw) }
  }
  const payoutEvent = ({ token, raw, target }: Deal, zoneHash: string) => {
    const named = token.type === 'NATIVE' ? '0x' : token.address
    if (style.event === 'full')
      return {
        address: chain.bridge,
        topics: [payoutTopic, zoneHash, topicOf(named), topicOf(target)],
        data: dataOf(raw),
      }
    return style.event === 'numbered'
      ? {
          address: chain.bridge,
          topics: [payoutTopic, topicOf((serial += 1))],
          data: dataOf(target, named, raw),
        }
      : { address: chain.bridge, topics: [payoutTopic, topicOf(target)], data: dataOf(raw) }
  }

  const amountOf = (token: Token, raw: bigint) =>
    style.action === 'decimal' ? toUnits(raw, token.decimals) : String(raw)
  const itemOf = ({ token, raw, id, target }: Deal) => ({
    token: token.address,
    amount: amountOf(token, raw),
    destination: target,
    ...(token.type === 'ERC1155' && { tokenId: id }),
  })
  const actionOf = (deals: readonly Deal[]): Readonly<Record<string, unknown>> => {
    const items = deals.map(itemOf)
    if (style.action === 'listed' || items.length > 1) return { withdrawals: items }
    return style.action === 'nested' ? { params: items[0], signatureChainId: '0x1' } : { ...items[0] }
  }
  /** The zone's side of a withdrawal of one deal or several. */
  const leaves = (at: number, deals: readonly Deal[], more: Partial<ZoneTx> = {}) => {
    const [only] = deals
    const one = deals.length === 1 && only !== undefined
    return zone({
      at,
      from: only?.source ?? '',
      actionType: 'withdraw',
      action: actionOf(deals),
      value: one ? toUnits(only.raw, only.token.decimals) : '',
      valueRaw: one ? String(only.raw) : '',
      ...more,
    })
  }
  const arrives = (at: number, deal: Deal, more: Partial<ZoneTx> = {}) =>
    zone({
      at,
      actionType: 'deposit',
      action: itemOf(deal),
      value: toUnits(deal.raw, deal.token.decimals),
      valueRaw: String(deal.raw),
      ...more,
    })
  const feeOf = ({ token, raw }: Deal) =>
    token.type === 'ERC1155' ? 0n : (raw * BigInt(Math.round(style.fee * chance.next() * 1e6))) / 1_000_000n
  /** The main side of a withdrawal; the event names what was asked for, less goes out where a fee is kept. */
  const paidOut = ({ token, raw, id, target }: Deal, paid: bigint) => {
    const own = carried(token, chain.escrow, target, paid, id)
    if (!style.collects || paid >= raw) return own
    const kept = carried(token, chain.escrow, collector, raw - paid, id)
    return { moves: [...own.moves, ...kept.moves], calls: [...own.calls, ...kept.calls] }
  }
  const pays = (
    at: number,
    deal: Deal,
    zoneHash: string,
    paid: bigint = deal.raw - feeOf(deal),
    more: Partial<MainTx> = {},
  ) =>
    main({
      at,
      ...paidOut(deal, paid),
      events: [payoutEvent(deal, zoneHash)],
      ...more,
    })

  return {
    user,
    anybody,
    main,
    zone,
    list,
    carried,
    depositEvent,
    payoutEvent,
    actionOf,
    leaves,
    arrives,
    pays,
    feeOf,
    /** A deal drawn by lot: some amounts are round and come again and again. */
    deal(token: Token, share = chance.between(0.000_01, 0.000_5)): Deal {
      const held = token.type === 'NATIVE' ? 80_000 : 5_000_000
      const units = chance.is(0.2) ? Math.ceil(held / 50_000) : Math.max(1, held * share)
      const raw =
        token.type === 'ERC1155'
          ? BigInt(chance.whole(1, 20))
          : (BigInt(Math.round(units * 1_000)) * 10n ** BigInt(token.decimals)) / 1_000n || 1n
      const source = anybody()
      return {
        token,
        raw,
        id: token.type === 'ERC1155' ? String(chance.whole(1, 60)) : '',
        source,
        target: chance.is(0.8) ? source : anybody(),
      }
    },
    deposit(at: number, asked: Deal, latencyMs = chance.whole(2_000, 9_000)) {
      const { token } = asked
      const isNative = token.type === 'NATIVE'
      const { moves, calls } = carried(token, asked.source, chain.escrow, asked.raw, asked.id)
      const received = isNative ? asked.raw : (moves[0]?.raw ?? 0n)
      const back = !isNative && chance.is(0.03) ? received / 20n : 0n
      const deal = { ...asked, raw: received - back }
      const tx = main({
        at,
        from: asked.source,
        moves: [
          ...moves,
          ...(back > 0n ? [{ token, from: chain.escrow, to: asked.source, raw: back, id: asked.id }] : []),
        ],
        ...(isNative && { wei: asked.raw }),
        calls: calls.map((call) => ({ ...call, from: chain.bridge })),
        events: [depositEvent(deal)],
      })
      const credit = arrives(at + latencyMs, deal)
      return { tx, credit, entry: list(deal, { direction: 'MainToZone', main: tx, zone: credit }) }
    },
    /** Several deposits that one transaction makes, each credited by itself. */
    depositTogether(at: number, deals: readonly Deal[]) {
      const parts = deals.map(({ token, source, raw, id }) => carried(token, source, chain.escrow, raw, id))
      const tx = main({
        at,
        from: deals[0]?.source ?? '',
        moves: parts.flatMap(({ moves }) => moves),
        calls: parts.flatMap(({ calls }) => calls.map((call) => ({ ...call, from: chain.bridge }))),
        events: deals.map(depositEvent),
        wei: parts.flatMap(({ calls }) => calls).reduce((sum, { wei }) => sum + wei, 0n),
      })
      for (const [n, deal] of deals.entries()) {
        const credit = arrives(at + chance.whole(2_000, 9_000), deal)
        list(deal, { direction: 'MainToZone', main: tx, zone: credit, eventIndex: n })
      }
    },
    /** A wallet that is a contract deposits by way of a router; whoever sends the transaction has no part in it. */
    depositByWallet(at: number, asked: Deal) {
      const { token, raw, id } = asked
      const deal = { ...asked, source: addressOf(seed, 'wallet', asked.source) }
      const stops = [deal.source, router, token.type === 'NATIVE' ? chain.bridge : chain.escrow, chain.escrow]
      const hops = stops.slice(1).flatMap((to, n) => {
        const from = stops[n] ?? ''
        return from === to ? [] : [carried(token, from, to, raw, id)]
      })
      const tx = main({
        at,
        from: anybody(),
        to: addressOf(seed, 'entry point'),
        moves: hops.flatMap(({ moves }) => moves),
        calls: hops.flatMap(({ calls }) => calls),
        events: [depositEvent(deal)],
      })
      list(deal, { direction: 'MainToZone', main: tx, zone: arrives(at + chance.whole(2_000, 9_000), deal) })
    },
    /** Several withdrawals of one amount to one recipient, each paid by itself in one block. */
    withdrawAlike(at: number, deal: Deal, count: number) {
      for (let n = 0; n < count; n += 1) {
        const left = leaves(at + n * 150, [deal])
        list(deal, { direction: 'ZoneToMain', main: pays(at + 12_000 + n, deal, left.hash), zone: left })
      }
    },
    withdraw(at: number, deal: Deal, latencyMs = chance.whole(6_000, 24_000)) {
      const left = leaves(at, [deal])
      const tx = pays(at + latencyMs, deal, left.hash)
      return { left, tx, entry: list(deal, { direction: 'ZoneToMain', main: tx, zone: left }) }
    },
    /** Several withdrawals in one zone transaction, each paid by itself. */
    withdrawTogether(at: number, deals: readonly Deal[]) {
      const left = leaves(at, deals)
      for (const [eventIndex, deal] of deals.entries()) {
        const tx = pays(at + chance.whole(6_000, 24_000), deal, left.hash)
        list(deal, { direction: 'ZoneToMain', main: tx, zone: left, eventIndex })
      }
    },
    /** Several withdrawals that the relayer pays in one main transaction. */
    payTogether(at: number, deals: readonly Deal[]) {
      const left = deals.map((deal, n) => leaves(at + n * 300, [deal]))
      const parts = deals.map((deal) => paidOut(deal, deal.raw - feeOf(deal)))
      const tx = main({
        at: at + 20_000,
        moves: parts.flatMap(({ moves }) => moves),
        calls: parts.flatMap(({ calls }) => calls),
        events: deals.map((deal, n) => payoutEvent(deal, left[n]?.hash ?? '')),
      })
      for (const [n, deal] of deals.entries())
        list(deal, { direction: 'ZoneToMain', main: tx, zone: left[n] ?? null })
    },
    batch(at: number, items: readonly { readonly id: string; readonly raw: bigint }[], token: Token) {
      const [source, raw] = [anybody(), items.reduce((sum, item) => sum + item.raw, 0n)]
      const deal: Deal = { token, raw, id: '', source, target: source }
      const [tokenIds, amounts] = [items.map(({ id }) => id), items.map((item) => String(item.raw))]
      const left = leaves(at, [deal], {
        actionType: 'batchWithdraw',
        action: { token: token.address, tokenIds, amounts, destination: source },
        value: '',
        valueRaw: '',
      })
      const tx = main({
        at: at + chance.whole(6_000, 24_000),
        moves: items.map((item) => ({ token, from: chain.escrow, to: source, ...item })),
        events: [payoutEvent(deal, left.hash)],
      })
      const batchDetail = JSON.stringify({ tokenIds, amounts })
      const entry = list(deal, {
        direction: 'ZoneToMain',
        crossType: 'BatchWithdraw',
        main: tx,
        zone: left,
        batchDetail,
      })
      return { left, tx, entry, deal }
    },
    /** What has nothing to do with the bridge. */
    noise(at: number) {
      const [from, to] = [anybody(), anybody()]
      const token = chain.tokens[chance.whole(0, 2)] as Token
      main({ at, from, to: token.address, moves: moved(token, from, to, 10n ** BigInt(token.decimals)) })
      zone({
        at: at + 50,
        from,
        actionType: chance.pick(['order', 'cancel', 'usdSend', 'spotSend']),
        action: { asset: 3, amount: '5', destination: to },
      })
    },
  }
}
