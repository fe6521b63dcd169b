import { toDecimal } from '../../../bridge/decimal.ts'
import type { FlowRow } from '../../../kernel/reads/flowReads.ts'
import type { Database } from '../../../store/database.ts'
import { readMeta, saveMeta } from '../../../store/meta.ts'
import { type FlowReader, noteCrowd } from './flowReader.ts'
import type { ForeignToken } from '../flows/foreignToken.ts'
import type { EscrowPlace, FlowStream } from '../watched/places.ts'
import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import { maxOthers } from '../../../kernel/reads/flowReads.ts'
import type { Blocks } from '../../../kernel/reads/readRange.ts'
import { type EscrowWatch, isBridgeToken, noteType } from '../watched/watch.ts'

/** How many tokens are looked up at a time. */
const maxLookUps = 10
/** One answer that holds nothing proves nothing: so often it is asked soon, and then after so long again. */
const soonTimes = 3
const soonMs = 15_000
const lookUpAgainMs = 600_000

/** Which tokens of an escrow are the bridge's: those that are named, and those that were there from the first. */
export function isWatched(watch: EscrowWatch, { tokens }: EscrowPlace, token: string): boolean {
  return tokens?.has(token) === true || isBridgeToken(watch, token)
}

const typeNames = { token_20: 'ERC20', token_721: 'ERC721', token_1155: 'ERC1155', native: '' } as const

/** Anybody can make a token and write transfers of it in another's name: what was not there from the first is not the escrow's. */
export async function lookUpTokens(
  reader: FlowReader,
  { stream: { id, place, kind }, rows }: { readonly stream: FlowStream; readonly rows: readonly FlowRow[] },
  signal: AbortSignal,
): Promise<void> {
  const { commit, isOfCrowds, lookedUp, watch } = reader
  const now = reader.clock.monotonicMs()
  const nameOf = (token: string) => `${place.address} ${token}`
  const known = (token: string) => lookedUp.get(nameOf(token)) ?? { at: -Infinity, times: 0 }
  const isOpen = (token: string) => {
    const { at, times } = known(token)
    return !isWatched(watch, place, token) && now - at >= (times < soonTimes ? soonMs : lookUpAgainMs)
  }
  const left = rows.filter((row) => hasLeft(row, place.address)).map(({ token }) => token)
  const open = [...new Set([...left, ...listFrequent(rows)])]
    .filter(isOpen)
    .toSorted((a, b) => known(a).times - known(b).times)
  if (open.length > maxLookUps && !isOfCrowds) noteCrowd(reader, id)
  for (const token of isOfCrowds ? open : open.slice(0, maxLookUps)) {
    // What left was there: of the native currency nobody can write a transfer in another's name.
    const isHeld =
      kind === 'native' || (await hasCome(reader, { address: place.address, kind, token }, signal))
    if (isHeld === null) return
    if (isHeld) commit({ apply: () => (noteType(watch, token, typeNames[kind]), []) })
    else lookedUp.set(nameOf(token), { at: now, times: known(token).times + 1 })
  }
}

/** Tokens of which more movements were read than are taken along of others. */
function listFrequent(rows: readonly FlowRow[]): string[] {
  const groups = Map.groupBy(rows, ({ token }) => token)
  return [...groups].filter(([, of]) => of.length > maxOthers).map(([token]) => token)
}

interface RowsRead {
  readonly place: EscrowPlace
  readonly rows: readonly FlowRow[]
  readonly blocks: Blocks
}

/** Those of them that were asked for and are not the bridge's. */
export function findForeign(
  { lookedUp, watch }: Pick<FlowReader, 'lookedUp' | 'watch'>,
  { place, rows, blocks }: RowsRead,
): ForeignToken[] {
  const { address } = place
  return listFrequent(rows)
    .filter((token) => token !== '' && lookedUp.has(`${address} ${token}`))
    .filter((token) => !isWatched(watch, place, token))
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
  { db, main, isOfCrowds }: FlowReader,
  of: Parameters<MainReads['hasCome']>[0],
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    const priority = isOfCrowds ? 'sweep' : 'evidence'
    return await main.hasCome(of, readFirstHeight(db), { priority, signal })
  } catch {
    signal.throwIfAborted()
    return null
  }
}

const firstHeightName = 'escrow_first_height'

/** The main head when the escrows were first read: what came before is theirs. */
function readFirstHeight(db: Database): number {
  return Number(readMeta(db, firstHeightName))
}

export function noteFirstHeight(db: Database, head: number): void {
  if (readMeta(db, firstHeightName) === null) saveMeta(db, firstHeightName, String(head))
}
