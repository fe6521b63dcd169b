import { createHash } from 'node:crypto'

/** A bridge, its two chains and its list, written from the API's documentation alone: nothing of the product is in it. */
export interface Token {
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly type: 'ERC20' | 'ERC721' | 'ERC1155' | 'NATIVE'
  /** What the token itself keeps of each payment, as a share. */
  readonly keeps: number
}

/** A movement of a token in base units. */
export interface Move {
  readonly token: Token
  readonly from: string
  readonly to: string
  readonly raw: bigint
  readonly id?: string
}

interface BareLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

export interface MainTx {
  readonly hash: string
  /** When it was made; it stands in the block that ends next. */
  readonly at: number
  readonly from: string
  readonly to: string
  readonly wei?: bigint
  readonly failed?: boolean
  readonly moves: readonly Move[]
  /** Payments of native currency by calls within it. */
  readonly calls: readonly { readonly from: string; readonly to: string; readonly wei: bigint }[]
  /** Events beside the tokens' own. */
  readonly events: readonly BareLog[]
  /** The explorer shows it, no node knows it. */
  readonly isForged?: boolean
  readonly challengeStatus?: string
  /** One event names all that it moves. */
  readonly isBatch?: boolean
  /** When a reorganisation takes it away. */
  readonly goneAt?: number
  /** Endpoints that do not show it. */
  readonly hiddenFrom?: readonly string[]
}

export interface ZoneTx {
  readonly hash: string
  readonly at: number
  readonly from: string
  readonly failed?: string
  readonly actionType: string
  readonly action: Readonly<Record<string, unknown>>
  readonly value: string
  readonly valueRaw: string
}

interface Leg {
  readonly hash: string
  readonly at: number
}

/** A main leg as its block dates it. */
export const settled = (chain: Chain, { hash, at }: Leg): Leg => ({
  hash,
  at: mainTime(chain, ceilHeight(chain, at)),
})

/** What the list says of a transfer, whatever the chains hold. */
export interface Entry {
  readonly id: string
  readonly direction: 'MainToZone' | 'ZoneToMain'
  readonly crossType: 'Deposit' | 'Withdraw' | 'BatchWithdraw'
  readonly token: Token
  readonly tokenId: string
  readonly raw: bigint
  readonly source: string
  readonly target: string
  readonly main: Leg | null
  readonly zone: Leg | null
  readonly status?: '0x0' | '0x1'
  readonly eventIndex: number
  readonly batchDetail: string
  /** How long after each leg the list shows it. */
  readonly lagMs: number
  /** Keys that its row has empty until later, and how long after its last leg that is. */
  readonly filledLate?: { readonly keys: readonly string[]; readonly afterMs: number }
  /** Until then the list does not hold it, where that is later than its legs. */
  readonly writtenAt?: number
  /** What the list says of it from a moment on in place of what it said before; its newest change dates it. */
  readonly changes?: readonly ({ readonly shownAt: number } & Partial<Entry>)[]
}

export interface Chain {
  readonly startAt: number
  readonly genesisAt: number
  readonly tokens: readonly Token[]
  /** What the escrow holds of before the start and nobody bridges. */
  readonly dormant: Token[]
  readonly bridge: string
  readonly escrow: string
  readonly relayer: string
  readonly signer: string
  /** What the escrow held at the genesis, by token and id. */
  readonly endowment: Map<string, bigint>
  readonly mainTxs: MainTx[]
  readonly zoneTxs: ZoneTx[]
  readonly entries: Entry[]
  /** Blocks of main that are replaced: until `at` they hold what comes a block later afterwards. */
  readonly reorgs: { readonly at: number; readonly depth: number }[]
}

const blockMs = 1_000

export const zoneBlockMs = 100
const firstMain = 20_000_000
const firstZone = 90_000_000

export const ceilHeight = ({ genesisAt }: Chain, at: number) =>
  firstMain + Math.ceil((at - genesisAt) / blockMs)
export const mainHeight = ({ genesisAt }: Chain, at: number) =>
  firstMain + Math.floor((at - genesisAt) / blockMs)
export const mainTime = ({ genesisAt }: Chain, height: number) => genesisAt + (height - firstMain) * blockMs
export const zoneHeight = ({ genesisAt }: Chain, at: number) =>
  firstZone + Math.floor((at - genesisAt) / zoneBlockMs)
export const zoneTime = ({ genesisAt }: Chain, height: number) =>
  genesisAt + (height - firstZone) * zoneBlockMs

/** The block that holds a main transaction, as it looks at `now`: a reorganisation moves what it replaces by one. */
export function heightOf(chain: Chain, tx: Leg, now: number): number {
  const height = ceilHeight(chain, tx.at)
  const replaced = reorgOf(chain, height)
  return replaced !== undefined && now >= replaced.at ? height + 1 : height
}

export function mainBlockHash(chain: Chain, height: number, now: number): string {
  const reorg = reorgOf(chain, height)
  return hashOf('main block', height, reorg !== undefined && now >= reorg.at ? reorg.at : 0)
}

/** The reorganisation that replaced a block: it held the newest `depth` of them. */
function reorgOf(chain: Chain, height: number) {
  return chain.reorgs.find(({ at, depth }) => {
    const head = mainHeight(chain, at)
    return height > head - depth && height <= head
  })
}

/** The chain as it is at `now`: without what was taken away since. */
export const standing = (chain: Chain, now: number): Chain => ({
  ...chain,
  mainTxs: chain.mainTxs.filter(({ goneAt }) => goneAt === undefined || now < goneAt),
})

export const hashOf = (...parts: readonly unknown[]) =>
  `0x${createHash('sha256').update(parts.join('|')).digest('hex')}`
export const addressOf = (...parts: readonly unknown[]) => hashOf('address', ...parts).slice(0, 42)

/** The same amount in token units. */
export function toUnits(raw: bigint, decimals: number): string {
  const text = raw.toString().padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals)
  const fraction = text.slice(text.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export const pocketOf = (token: Token, id = '') => `${token.address}|${id}`

/** What an address holds of a token after the block at `height`. */
export function balanceOf(chain: Chain, owner: string, token: Token, id: string, height: number): bigint {
  let sum = owner === chain.escrow ? (chain.endowment.get(pocketOf(token, id)) ?? 0n) : 0n
  for (const tx of chain.mainTxs) {
    if (tx.failed || tx.isForged || ceilHeight(chain, tx.at) > height) continue
    for (const move of tx.moves) {
      if (move.token.address !== token.address || (move.id ?? '') !== id) continue
      if (move.to === owner) sum += move.raw
      if (move.from === owner) sum -= move.raw
    }
  }
  return sum
}

export function nativeOf(chain: Chain, owner: string, height: number): bigint {
  let sum = owner === chain.escrow ? (chain.endowment.get('native') ?? 0n) : 10n ** 20n
  for (const tx of chain.mainTxs) {
    if (tx.failed || tx.isForged || ceilHeight(chain, tx.at) > height) continue
    for (const { from, to, wei } of [{ from: tx.from, to: tx.to, wei: tx.wei ?? 0n }, ...tx.calls]) {
      if (to === owner) sum += wei
      if (from === owner) sum -= wei
    }
  }
  return sum
}

const word = (value: bigint | number | string) =>
  (typeof value === 'string' ? value.replace('0x', '') : value.toString(16)).padStart(64, '0')
export const topicOf = (value: bigint | number | string) => `0x${word(value)}`
export const dataOf = (...values: readonly (bigint | number | string)[]) => `0x${values.map(word).join('')}`

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const transferSingle = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const transferBatch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

/** A transaction's logs in order: the tokens' own first. */
export function logsOf(tx: MainTx): readonly BareLog[] {
  if (tx.failed) return []
  const [first] = tx.moves
  if (tx.isBatch && first) return [batchLog(tx, first), ...tx.events]
  const moves = tx.moves.map(({ token, from, to, raw, id = '' }): BareLog => {
    const parties = [topicOf(from), topicOf(to)]
    if (token.type === 'ERC1155')
      return {
        address: token.address,
        topics: [transferSingle, topicOf(tx.from), ...parties],
        data: dataOf(BigInt(id || 0), raw),
      }
    return token.type === 'ERC721'
      ? { address: token.address, topics: [transfer, ...parties, topicOf(BigInt(id || 0))], data: '0x' }
      : { address: token.address, topics: [transfer, ...parties], data: dataOf(raw) }
  })
  return [...moves, ...tx.events]
}

function batchLog({ from: operator, moves }: MainTx, { token, from, to }: Move): BareLog {
  const count = moves.length
  const ids = moves.map(({ id }) => BigInt(id ?? 0))
  const amounts = moves.map(({ raw }) => raw)
  return {
    address: token.address,
    topics: [transferBatch, topicOf(operator), topicOf(from), topicOf(to)],
    data: dataOf(64, 96 + 32 * count, count, ...ids, count, ...amounts),
  }
}

/** A repeatable source of chance. */
export function createChance(seed: number | string) {
  let state = Number.parseInt(hashOf('chance', seed).slice(2, 10), 16)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low: number, high: number) => low + next() * (high - low),
    whole: (low: number, high: number) => Math.floor(low + next() * (high - low + 1)),
    is: (share: number) => next() < share,
    pick: <T>(values: readonly [T, ...T[]]): T => values[Math.floor(next() * values.length)] ?? values[0],
  }
}

export type Chance = ReturnType<typeof createChance>
export interface Style {
  /** What a withdrawal's and a deposit's action look like on the zone. */
  readonly action: 'flat' | 'nested' | 'listed' | 'decimal'
  /** What the bridge's events name beside the amount. */
  readonly event: 'full' | 'numbered' | 'bare'
  /** Base units kept of a payout at most, as a share of 1; 0: none. */
  readonly fee: number
  /** What is kept of a payout is paid to a collector beside it; else it stays where it is. */
  readonly collects: boolean
}
