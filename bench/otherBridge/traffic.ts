import type { Bridge } from './createBridge.ts'
import type { Token } from './chain.ts'

/** Honest traffic of every kind from the genesis on. @returns how often each kind occurs after the start */
export function addTraffic(bridge: Bridge, minutes: number, perMinute: number): Map<string, number> {
  const { chain, chance, actors } = bridge
  const counts = new Map<string, number>()
  const until = chain.startAt + minutes * 60_000
  const fungible = chain.tokens.filter(({ type }) => type !== 'ERC1155')
  const items = chain.tokens.find(({ type }) => type === 'ERC1155') as Token
  const any = () => (chance.is(0.1) ? items : (fungible[chance.whole(0, fungible.length - 1)] as Token))
  const pauseMs = 60_000 / perMinute
  for (let at = chain.genesisAt + 60_000; at < until; at += chance.between(0.2, 1.8) * pauseMs) {
    const time = Math.round(at)
    const kind = chance.next()
    const note = (name: string, count = 1) => {
      if (time > chain.startAt) counts.set(name, (counts.get(name) ?? 0) + count)
    }
    if (kind < 0.04) {
      const deal = actors.deal(any())
      if (deal.token.keeps > 0) continue
      note('deposit by a wallet')
      actors.depositByWallet(time, deal)
    } else if (kind < 0.48) {
      const deal = actors.deal(any())
      note(`deposit ${deal.token.symbol}`)
      actors.deposit(time, deal)
    } else if (kind < 0.52) {
      const count = chance.whole(2, 4)
      note('equal withdrawals in one block', count)
      actors.withdrawAlike(time, actors.deal(any()), count)
    } else if (kind < 0.86) {
      const deal = actors.deal(any())
      note(`withdrawal ${deal.token.symbol}`)
      actors.withdraw(time, deal)
    } else if (kind < 0.91) {
      const deals = Array.from({ length: chance.whole(2, 4) }, () => actors.deal(any()))
      note('several in one zone transaction', deals.length)
      actors.withdrawTogether(time, deals)
    } else if (kind < 0.96) {
      const deals = Array.from({ length: chance.whole(2, 4) }, () => actors.deal(any()))
      note('several in one main transaction', deals.length)
      actors.payTogether(time, deals)
    } else {
      const length = chance.whole(2, chance.is(0.2) ? 50 : 6)
      const first = chance.whole(1, 60 - length)
      note('batch')
      actors.batch(
        time,
        Array.from({ length }, (_, n) => ({ id: String(first + n), raw: BigInt(chance.whole(1, 9)) })),
        items,
      )
    }
    if (chance.is(0.5)) actors.noise(time + 400)
  }
  chain.mainTxs.sort((one, other) => one.at - other.at)
  chain.zoneTxs.sort((one, other) => one.at - other.at)
  return counts
}
