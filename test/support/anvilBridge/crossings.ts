import { parseEventLogs } from 'viem'
import type { Contract, TestNode } from './node.ts'

/** A bridge as it stands on two nodes. */
export interface Deployed {
  readonly main: {
    readonly node: TestNode
    readonly token: Contract
    /** The proxy's address, with the ABI of what is behind it. */
    readonly escrow: Contract
    /** What it may be upgraded to. */
    readonly later: Contract
    /** All that has a source, by its own name. */
    readonly contracts: readonly Contract[]
  }
  readonly zone: {
    readonly node: TestNode
    readonly token: Contract
    readonly bridge: Contract
    readonly contracts: readonly Contract[]
  }
}

interface Leg {
  readonly hash: string
  readonly height: string
  readonly time: string
  readonly blockHash: string
  readonly logIndex: string
  readonly signer: string
}

/** What an indexer makes of the bridge's events on both chains. */
export interface Crossing {
  readonly direction: 'MainToZone' | 'ZoneToMain'
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly origin: Leg | null
  readonly destination: Leg | null
}

interface Event {
  readonly leg: Leg
  readonly args: Args
}

/** Of the events of bridge.sol; each has some. */
interface Args {
  readonly from?: string
  readonly to?: string
  readonly amount?: bigint
  readonly deposit?: string
  readonly withdrawal?: string
  readonly implementation?: string
}

/** Newest first. What names an origin that does not exist stands by itself. */
export function listCrossings({ main, zone }: Deployed): Crossing[] {
  const crossings = [
    ...join(
      'MainToZone',
      readEvents(main.node, main.escrow, 'Deposited'),
      readEvents(zone.node, zone.bridge, 'Credited'),
    ),
    ...join(
      'ZoneToMain',
      readEvents(zone.node, zone.bridge, 'Withdrawn'),
      readEvents(main.node, main.escrow, 'Released'),
    ),
  ]
  const timeOf = ({ origin, destination }: Crossing) => Number((origin ?? destination)?.time)
  return crossings.toSorted((a, b) => timeOf(b) - timeOf(a))
}

function join(
  direction: Crossing['direction'],
  origins: readonly Event[],
  destinations: readonly Event[],
): Crossing[] {
  const named = ({ args }: Event) => args.deposit ?? args.withdrawal
  const toCrossing = ({ args: { from = '', to = '', amount = 0n } }: Event) => ({
    direction,
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    amount,
  })
  const known = new Set(origins.map(({ leg }) => leg.hash))
  return [
    ...origins.map((event) => ({
      ...toCrossing(event),
      origin: event.leg,
      destination: destinations.find((arrival) => named(arrival) === event.leg.hash)?.leg ?? null,
    })),
    ...destinations
      .filter((arrival) => !known.has(named(arrival) ?? ''))
      .map((arrival) => ({ ...toCrossing(arrival), origin: null, destination: arrival.leg })),
  ]
}

export function readEvents(
  node: TestNode,
  { address, abi }: Pick<Contract, 'address' | 'abi'>,
  eventName: string,
): Event[] {
  return node.blocks.flatMap(({ block, timeMs, transactions }) =>
    transactions.flatMap(({ sent, receipt }) => {
      const logs = receipt.logs.filter((log) => log.address.toLowerCase() === address.toLowerCase())
      return parseEventLogs({ abi, eventName, logs }).map((log) => ({
        leg: {
          hash: sent.hash,
          height: String(block.number),
          time: String(timeMs),
          blockHash: block.hash,
          logIndex: String(log.logIndex),
          signer: sent.from.toLowerCase(),
        },
        // An ABI that is known only when it runs has no types.
        args: (log as unknown as Event).args,
      }))
    }),
  )
}
