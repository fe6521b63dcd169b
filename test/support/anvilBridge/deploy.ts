import { type Address, encodeFunctionData } from 'viem'
import { compileBridge } from './compile.ts'
import { type Deployed, listCrossings } from './crossings.ts'
import { startNode } from './node.ts'

const second = 1_000
/** Older than what a first start tells of. */
export const olderMs = 26 * 3_600 * second
/** Between two blocks of it. */
const pastBlockMs = 600 * second
/** What each user has on the main chain at first, in base units. */
const endowment = 1_000_000_000_000n

interface People {
  readonly admin: Address
  /** May mint the token on the zone, beside the bridge. */
  readonly issuer: Address
  readonly relayer: Address
  readonly thief: Address
  readonly ann: Address
  readonly bob: Address
}

export interface Bridge {
  readonly deployed: Deployed
  readonly people: People
  /** Brings to the other chain whatever left one of them. */
  relay(): Promise<void>
}

/** Both chains with a bridge that was made so long ago and has carried something since. */
export async function deployBridge(now: number, pastMs: number): Promise<Bridge> {
  const compiled = compileBridge()
  let time = now - pastMs
  const next = () => (time += second)
  const main = await startNode(1_001, 20_000_000, time)
  const zone = await startNode(1_002, 90_000_000, time)
  const people = nameAccounts(main.accounts)
  const { admin, issuer, relayer, ann, bob } = people

  const token = await main.deploy(admin, compiled('Token'), ['Test dollar', 'USDX'], next())
  const first = await main.deploy(admin, compiled('Escrow'), [], next())
  const call = encodeFunctionData({
    abi: first.abi,
    functionName: 'initialize',
    args: [token.address, relayer, admin],
  })
  const proxy = await main.deploy(admin, compiled('Proxy'), [first.address, call], next())
  const later = await main.deploy(admin, compiled('EscrowV2'), [], next())
  const escrow = { ...first, address: proxy.address }

  // By another account, so that no contract has the address of one on the other chain.
  const twin = await zone.deploy(issuer, compiled('Token'), ['Test dollar of the zone', 'zUSDX'], next())
  const bridge = await zone.deploy(issuer, compiled('ZoneBridge'), [twin.address, relayer], next())
  await zone.send(issuer, twin, 'setMinter', [bridge.address])

  for (const [user, amount] of [
    [ann, 400_000_000_000n],
    [bob, 350_000_000_001n],
  ] as const) {
    await main.send(admin, token, 'mint', [user, endowment])
    await main.send(user, token, 'approve', [escrow.address, endowment])
    await main.send(user, escrow, 'deposit', [user, amount])
  }
  const deployed: Deployed = {
    main: { node: main, token, escrow, later, contracts: [token, first, later, proxy] },
    zone: { node: zone, token: twin, bridge, contracts: [twin, bridge] },
  }
  const relay = createRelay(deployed, relayer)
  for (; time < now; time += pastBlockMs) {
    await main.mine(time)
    await relay()
    await zone.mine(time + second)
  }
  return { deployed, people, relay }
}

function nameAccounts([admin, issuer, relayer, thief, ann, bob]: readonly Address[]): People {
  if (!admin || !issuer || !relayer || !thief || !ann || !bob) throw new Error('a node with too few accounts')
  return { admin, issuer, relayer, thief, ann, bob }
}

/** Credits one by one, as they come; payouts of all that waits are one transaction. */
function createRelay(deployed: Deployed, relayer: Address): () => Promise<void> {
  const { main, zone } = deployed
  const relayed = new Set<string>()
  return async () => {
    const waiting = listCrossings(deployed).filter(
      ({ origin, destination }) => destination === null && !relayed.has(origin?.hash ?? ''),
    )
    const payouts: { withdrawal: string; to: string; amount: bigint }[] = []
    for (const { direction, origin, to, amount } of waiting) {
      if (origin === null) continue
      relayed.add(origin.hash)
      if (direction === 'ZoneToMain') payouts.push({ withdrawal: origin.hash, to, amount })
      else await zone.node.send(relayer, zone.bridge, 'credit', [origin.hash, to, amount])
    }
    if (payouts.length > 0) await main.node.send(relayer, main.escrow, 'release', [payouts])
  }
}
