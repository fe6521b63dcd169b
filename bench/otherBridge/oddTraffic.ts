import { type Chain, type Entry, hashOf, settled, type Token } from './chain.ts'
import type { Bridge } from './createBridge.ts'

const second = 1_000

interface OddTraffic {
  /** How often each shape occurs. */
  readonly counts: Map<string, number>
  /** What is true of it, and may be told: by hash, the kinds that may name it. */
  readonly truths: Map<string, RegExp>
}

interface Scene {
  readonly bridge: Bridge
  readonly at: number
  readonly token: Token
  readonly tell: (hash: string, kinds: RegExp) => void
}

const toMain = 'ZoneToMain' as const
const changed = (entry: Entry, changes: Entry['changes']) => void Object.assign(entry, { changes })

/** Honest, and unlike what happens every minute. */
const shapes: Readonly<Record<string, (scene: Scene) => void>> = {
  'payout that failed and was made again'({ bridge: { actors, chain, chance }, at, token, tell }) {
    const deal = actors.deal(token)
    const left = actors.leaves(at, [deal])
    const carried = actors.carried(token, chain.escrow, deal.target, deal.raw, deal.id)
    const failed = actors.main({ at: at + 8 * second, failed: true, ...carried })
    const paid = actors.pays(at + chance.whole(20, 50) * second, deal, left.hash)
    const isShown = chance.is(0.5)
    const entry = actors.list(deal, { direction: toMain, main: isShown ? failed : paid, zone: left })
    if (isShown) changed(entry, [{ shownAt: paid.at + 2 * second, main: settled(chain, paid) }])
    // The record says of what failed that it is fine.
    tell(left.hash, /transfer\.(failed|rewritten|mismatch)/)
  },
  'payout that a reorganisation replaced'({ bridge: { actors, chain }, at, token, tell }) {
    const deal = actors.deal(token)
    const left = actors.leaves(at, [deal])
    const goneAt = at + 16 * second
    chain.reorgs.push({ at: goneAt, depth: 8 })
    const paid = deal.raw - actors.feeOf(deal)
    const first = actors.pays(at + 10 * second, deal, left.hash, paid, { goneAt })
    const again = actors.pays(goneAt + 3 * second, deal, left.hash, paid)
    const entry = actors.list(deal, { direction: toMain, main: first, zone: left })
    changed(entry, [{ shownAt: goneAt + 5 * second, main: settled(chain, again) }])
    tell(left.hash, /transfer\.rewritten/)
    tell(first.hash, /preconf\./)
  },
  reorganisation({ bridge: { actors, chain, chance }, at, token }) {
    actors.withdraw(at - 12 * second, actors.deal(token), 10 * second)
    actors.deposit(at - 2 * second, actors.deal(token))
    chain.reorgs.push({ at, depth: chance.whole(2, 6) })
  },
  'deposit that failed and is given back'({ bridge: { actors, chain, chance }, at, token, tell }) {
    const { tx, credit, entry } = actors.deposit(at, actors.deal(token))
    Object.assign(credit, { failed: 'account frozen' })
    Object.assign(entry, { status: '0x0' })
    tell(tx.hash, /transfer\.failed/)
    const back = actors.carried(token, chain.escrow, entry.source, entry.raw, entry.tokenId)
    actors.main({ at: at + chance.whole(30, 200) * second, ...back })
  },
  'deposit that failed and is credited after all'({ bridge: { actors }, at, token, tell }) {
    const deal = actors.deal(token)
    const { tx, credit, entry } = actors.deposit(at, deal)
    Object.assign(credit, { failed: 'busy' })
    const { hash, at: creditedAt } = actors.arrives(at + 65 * second, { ...deal, raw: entry.raw })
    Object.assign(entry, { status: '0x0' })
    changed(entry, [{ shownAt: at + 68 * second, zone: { hash, at: creditedAt }, status: '0x1' }])
    tell(tx.hash, /transfer\.(failed|rewritten)/)
  },
  'batch that is listed before its detail'({ bridge: { actors, chain, chance }, at }) {
    const ids = new Set([1, 2, 3, 4].map((n) => String(n * 3 + chance.whole(0, 40))))
    const { entry, tx } = actors.batch(
      at,
      [...ids].map((id) => ({ id, raw: BigInt(chance.whole(1, 9)) })),
      itemsOf(chain),
    )
    const { batchDetail } = entry
    Object.assign(entry, { batchDetail: '' })
    changed(entry, [{ shownAt: tx.at + chance.whole(2, 40) * second, batchDetail }])
  },
  'record that is corrected four times'({ bridge: { actors }, at, token }) {
    const { entry, tx } = actors.withdraw(at, actors.deal(token))
    const { source, target } = entry
    Object.assign(entry, { source: '', target: '' })
    const steps = [{ after: 15, source }, { after: 30, target }, { after: 70 }, { after: 130 }]
    changed(
      entry,
      steps.map(({ after, ...step }) => ({ shownAt: tx.at + after * second, ...step })),
    )
  },
  'slow payout'({ bridge: { actors, chance }, at, token }) {
    actors.withdraw(at, actors.deal(token), chance.whole(60, 240) * second)
  },
  'record that is listed late'({ bridge: { actors, chance }, at, token }) {
    const { entry } = actors.withdraw(at, actors.deal(token))
    Object.assign(entry, { writtenAt: at + chance.whole(15, 45) * second })
  },
  'several deposits in one transaction'({ bridge: { actors, chance }, at, token }) {
    const deal = actors.deal(token)
    const isEqual = chance.is(0.5)
    actors.depositTogether(at, [deal, isEqual ? deal : { ...actors.deal(token), source: deal.source }])
  },
  'deposit that reverted'({ bridge: { actors, chain }, at, token }) {
    const { source, raw, id } = actors.deal(token)
    const carried = actors.carried(token, source, chain.escrow, raw, id)
    actors.main({ at, from: source, failed: true, ...(token.type === 'NATIVE' && { wei: raw }), ...carried })
  },
  'withdrawal that the zone refused'({ bridge: { actors }, at, token }) {
    actors.leaves(at, [actors.deal(token)], { failed: 'insufficient balance' })
  },
  // Anybody may move nothing out of any address, so that the victim takes his address for a known one.
  'transfers of nothing that name the escrow'({ bridge: { actors, chain }, at, token }) {
    const [thief, victim] = [actors.anybody(), actors.anybody()]
    const nothing = (from: string, to: string) => actors.carried(token, from, to, 0n).moves
    const moves =
      token.type === 'ERC20' ? [...nothing(chain.escrow, thief), ...nothing(victim, chain.escrow)] : []
    actors.main({ at, from: thief, to: token.address, moves, calls: [] })
  },
  'batch that is paid by one event'({ bridge: { actors, chain, chance }, at }) {
    const id = chance.whole(1, 57)
    const ids = [id, id + 1, chance.is(0.5) ? id : id + 2]
    const { tx } = actors.batch(
      at,
      ids.map((each) => ({ id: String(each), raw: BigInt(chance.whole(1, 9)) })),
      itemsOf(chain),
    )
    Object.assign(tx, { isBatch: true })
  },
  'batch that is listed as a row for each item'({ bridge: { actors, chain, chance }, at }) {
    const id = chance.whole(1, 57)
    const items = [0, 1, 2].map((n) => ({ id: String(id + n), raw: BigInt(chance.whole(1, 9)) }))
    const { entry } = actors.batch(at, items, itemsOf(chain))
    const isNumbered = chance.is(0.5)
    chain.entries.splice(chain.entries.indexOf(entry), 1)
    for (const [n, { id: tokenId, raw }] of items.entries())
      chain.entries.push({ ...entry, id: hashOf(entry.id, n), tokenId, raw, eventIndex: isNumbered ? n : 0 })
  },
  'payout and deposit in one transaction'({ bridge: { actors, chain }, at, token }) {
    const [out, back] = [actors.deal(token), actors.deal(token)]
    const left = actors.leaves(at, [out])
    const parts = [
      actors.carried(token, chain.escrow, out.target, out.raw, out.id),
      actors.carried(token, out.target, chain.escrow, back.raw, back.id),
    ]
    const tx = actors.main({
      at: at + 10 * second,
      from: out.target,
      moves: parts.flatMap(({ moves }) => moves),
      calls: parts.flatMap(({ calls }) => calls),
      events: [actors.payoutEvent(out, left.hash), actors.depositEvent({ ...back, source: out.target })],
    })
    const deposit = { ...back, source: out.target }
    actors.list(out, { direction: toMain, main: tx, zone: left })
    actors.list(deposit, {
      direction: 'MainToZone',
      main: tx,
      zone: actors.arrives(at + 15 * second, deposit),
    })
  },
  'deposit and withdrawal of the least amount'({ bridge: { actors }, at, token }) {
    actors.deposit(at, { ...actors.deal(token), raw: 1n })
    actors.withdraw(at + 5 * second, { ...actors.deal(token), raw: 1n })
  },
}

const itemsOf = ({ tokens }: Chain) => tokens.find(({ type }) => type === 'ERC1155') as Token

/** So many a minute among other traffic. */
export function addOddTraffic(
  bridge: Bridge,
  { from, until, perMinute }: { readonly from: number; readonly until: number; readonly perMinute: number },
): OddTraffic {
  const { chain, chance } = bridge
  const counts = new Map<string, number>()
  const truths = new Map<string, RegExp>()
  const tell = (hash: string, kinds: RegExp) => void truths.set(hash, kinds)
  const tokens = chain.tokens.filter(({ keeps }) => keeps === 0)
  const names = Object.keys(shapes)
  for (let at = from; at < until; at += chance.between(0.3, 1.7) * (60_000 / perMinute)) {
    const name = names[chance.whole(0, names.length - 1)] ?? ''
    const token = tokens[chance.whole(0, tokens.length - 1)] as Token
    counts.set(name, (counts.get(name) ?? 0) + 1)
    shapes[name]?.({ bridge, at: Math.round(at), token, tell })
  }
  chain.mainTxs.sort((one, other) => one.at - other.at)
  chain.zoneTxs.sort((one, other) => one.at - other.at)
  return { counts, truths }
}
