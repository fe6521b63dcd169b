import { toDecimal } from '../../bridge/decimal.ts'
import type { FlowRow } from '../../kernel/mainReads.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ForeignToken } from './foreignToken.ts'
import type { Crowds } from './crowds.ts'
import type { EscrowPlace, FlowStream } from './places.ts'
import { type Blocks, type MainReads, maxOthers } from '../../kernel/mainReads.ts'
import type { Commit } from '../../kernel/reads.ts'

/** Which tokens of an escrow are the bridge's: those that are named, and those that were there from the first. */
export interface TokenLookUpDeps {
  readonly clock: Clock
  readonly reads: Pick<MainReads, 'hasCome'>
  readonly commit: Commit
  readonly crowds: Crowds | null
  readonly firstHeight: number
  /** When it was last asked whether a token of an address was there from the first; it was not. */
  readonly lookedUp: Map<string, number>
  isBridgeToken(token: string): boolean
  noteHeld(token: string, type: string): void
}

/** So many are looked up at a time, and again after so long. */
const maxLookUps = 10
const lookUpAgainMs = 600_000

export function isWatched(
  deps: Pick<TokenLookUpDeps, 'isBridgeToken'>,
  { tokens }: EscrowPlace,
  token: string,
): boolean {
  return tokens?.has(token) === true || deps.isBridgeToken(token)
}

const typeNames = { token_20: 'ERC20', token_721: 'ERC721', token_1155: 'ERC1155', native: '' } as const

/** Anybody can make a token and write transfers of it in another's name: what was not there from the first is not the escrow's. */
export async function lookUpTokens(
  deps: TokenLookUpDeps,
  { id, place, kind }: FlowStream,
  rows: readonly FlowRow[],
  signal: AbortSignal,
): Promise<void> {
  const now = deps.clock.monotonicMs()
  const isOpen = (token: string) =>
    !isWatched(deps, place, token) &&
    now - (deps.lookedUp.get(`${place.address} ${token}`) ?? -Infinity) >= lookUpAgainMs
  const left = rows.filter((row) => hasLeft(row, place.address)).map(({ token }) => token)
  const open = [...new Set([...left, ...listFrequent(rows)])].filter(isOpen)
  if (open.length > maxLookUps) deps.crowds?.note(id)
  for (const token of deps.crowds === null ? open : open.slice(0, maxLookUps)) {
    const of = { address: place.address, kind, token }
    const isHeld = await hasCome(deps, of, signal)
    if (isHeld === null) return
    if (isHeld) deps.commit({ apply: () => (deps.noteHeld(token, typeNames[kind]), []) })
    else deps.lookedUp.set(`${place.address} ${token}`, now)
  }
}

/** Tokens of which more movements were read than are taken along of others. */
function listFrequent(rows: readonly FlowRow[]): string[] {
  const groups = Map.groupBy(rows, ({ token }) => token)
  return [...groups].filter(([, of]) => of.length > maxOthers).map(([token]) => token)
}

/** Those of them that were asked for and are not the bridge's. */
export function findForeign(
  deps: TokenLookUpDeps,
  place: EscrowPlace,
  rows: readonly FlowRow[],
  blocks: Blocks,
): ForeignToken[] {
  const { address } = place
  return listFrequent(rows)
    .filter((token) => token !== '' && deps.lookedUp.has(`${address} ${token}`))
    .filter((token) => !isWatched(deps, place, token))
    .map((token) => ({
      escrow: address,
      token,
      blocks,
      count: rows.filter((row) => row.token === token).length,
    }))
}

/** Anybody can write a transfer of nothing in another's name. */
function hasLeft({ from, to, amount }: FlowRow, escrow: string): boolean {
  return from === escrow && to !== escrow && (toDecimal(amount)?.digits ?? 0n) > 0n
}

/** Null where it could not be asked: what is known of other tokens must not wait for that. */
async function hasCome(
  { reads, crowds, firstHeight }: TokenLookUpDeps,
  of: Parameters<MainReads['hasCome']>[0],
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    return await reads.hasCome(of, firstHeight, { priority: crowds === null ? 'sweep' : 'evidence', signal })
  } catch {
    signal.throwIfAborted()
    return null
  }
}
