import { type Decimal, fromBaseUnits, isEqual, isShownAs, toDecimal } from '../../../bridge/decimal.ts'
import { toCanonicalId } from '../../../bridge/movedToken.ts'
import type { TokenMove } from '../../../bridge/transfer.ts'
import type { FlowRow } from '../../../kernel/reads/flowReads.ts'
import type { FlowReader } from './flowReader.ts'
import { decimalsOf, riskOf } from '../watched/watch.ts'

/** So many transactions are asked about in one reading, those with most money first. */
const maxAsked = 10
/** What could not be asked counts once so long after its block: a movement is judged later than that. */
const patienceMs = 45_000
const maxKept = 5_000

interface ListRows {
  readonly escrow: string
  readonly rows: readonly FlowRow[]
}

/**
 * A list may give a row twice, and a transaction may move the same twice: the rows of lists have nothing that
 * distinguishes the one from the other. Of rows that are equal as many are kept as an answer about their transaction
 * alone has; all of them where none says it.
 */
export async function dropRepeats(
  reader: FlowReader,
  { escrow, rows }: ListRows,
  signal: AbortSignal,
): Promise<readonly FlowRow[]> {
  const groups = [...Map.groupBy(rows, nameOf)].map(([name, of]): Group => {
    // Nothing is grouped under a name without rows.
    const row = of[0] as FlowRow
    return { name, row, listed: of.length }
  })
  const repeated = groups.filter(({ row, listed }) => listed > 1 && [row.from, row.to].includes(escrow))
  if (repeated.length === 0) return rows
  await askOf(reader, escrow, repeated, signal)
  const left = new Map(repeated.map((group) => [group.name, countOf(reader, group)]))
  return rows.filter((row) => {
    const name = nameOf(row)
    const count = left.get(name)
    if (count === undefined) return true
    left.set(name, count - 1)
    return count > 0
  })
}

/** Rows of one movement, or of several that are equal. */
interface Group {
  readonly name: string
  readonly row: FlowRow
  readonly listed: number
}

function nameOf({ hash, height, token, tokenId, from, to, amount, isCall }: FlowRow): string {
  return [hash, height, token, toCanonicalId(tokenId), from, to, amount, isCall ?? ''].join('|')
}

function countOf({ repeats, clock }: FlowReader, { name, row, listed }: Group): number {
  const made = repeats.get(name)
  if (made !== undefined) return Math.min(made, listed)
  return row.time !== null && clock.now() < row.time + patienceMs ? 1 : listed
}

async function askOf(
  reader: FlowReader,
  escrow: string,
  repeated: readonly Group[],
  signal: AbortSignal,
): Promise<void> {
  const { main, repeats, watch } = reader
  const valueOf = ({ row }: Group) =>
    Math.abs(riskOf(watch, row.token, toUnits(row))) + (row.from === escrow ? outwardFirst : 0)
  const open = repeated
    .filter(({ name }) => !repeats.has(name))
    .toSorted((one, other) => valueOf(other) - valueOf(one))
  const byHash = [...Map.groupBy(open, ({ row }) => row.hash)].slice(0, maxAsked)
  for (const [hash, of] of byHash) {
    const what = of.some(({ row }) => row.token !== '') ? 'tokens' : 'calls'
    const moves = await main.moves(hash, what, { priority: 'evidence', signal, attempts: 2 })
    for (const { name, row } of of) {
      const made = moves?.filter((move) => isSame(reader, move, row)).length ?? 0
      if (made > 0) repeats.set(name, made)
    }
  }
  for (const name of [...repeats.keys()].slice(0, Math.max(0, repeats.size - maxKept))) repeats.delete(name)
}

/** What left is asked about before anything that came in: a share of what is held is less. */
const outwardFirst = 1_000

function isSame({ watch }: FlowReader, move: TokenMove, row: FlowRow): boolean {
  if (move.token !== row.token || move.from !== row.from || move.to !== row.to) return false
  if (toCanonicalId(move.tokenId) !== toCanonicalId(row.tokenId)) return false
  if (move.amount !== null) return isEqual(toUnits(move), toUnits(row))
  const decimals = decimalsOf(watch, row.token)
  // How much it was cannot be compared then: it may be one of them.
  if (decimals === null || move.amountRaw === null) return true
  return isShownAs(fromBaseUnits(move.amountRaw, decimals), toUnits(row))
}

function toUnits({ amount }: { readonly amount: string | null }): Decimal {
  return toDecimal(amount ?? '') ?? { digits: 0n, scale: 0 }
}
