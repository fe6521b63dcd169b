import { decodeEventLog, encodeEventTopics, parseAbi } from 'viem/utils'
import type { TokenMove } from '../bridge/transfer.ts'

const events = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])
const singleToken = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
])

/** What a log of any of them begins with. */
const selectors: ReadonlySet<string | undefined> = new Set(
  events.flatMap(({ name }) => encodeEventTopics({ abi: events, eventName: name })).map(String),
)

interface RawLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/**
 * The tokens' own words on what moved: ERC-20, ERC-721 and ERC-1155. Of one that cannot be read only its token is known.
 * Logs of any other form are not about moves.
 */
export function decodeMoves(logs: readonly RawLog[]): TokenMove[] {
  return logs.flatMap(decodeMove)
}

function decodeMove(log: RawLog): TokenMove[] {
  // To have one that is of something else refused costs ten times as much.
  if (!selectors.has(log.topics[0])) return []
  const at = (from: string, to: string, amountRaw: bigint | null, tokenId = ''): TokenMove => ({
    token: log.address.toLowerCase(),
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    amountRaw,
    amount: null,
    tokenId,
  })
  try {
    const { topics, data } = log
    // Decoding checks both; what does not fit throws.
    const raw = { topics: topics as [`0x${string}`, ...`0x${string}`[]], data: data as `0x${string}` }
    if (topics.length === 4 && (data === '0x' || data === '')) {
      const { args } = decodeEventLog({ abi: singleToken, ...raw, data: '0x' })
      return [at(args.from, args.to, 1n, args.tokenId.toString())]
    }
    const { eventName, args } = decodeEventLog({ abi: events, ...raw })
    if (eventName === 'Transfer') return [at(args.from, args.to, args.value)]
    if (eventName === 'TransferSingle') return [at(args.from, args.to, args.value, args.id.toString())]
    const { from, to, ids, values } = args
    if (ids.length !== values.length) return [at('', '', null)]
    return ids.map((id, index) => at(from, to, values[index] ?? null, id.toString()))
  } catch {
    return [at('', '', null)]
  }
}
