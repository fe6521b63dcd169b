import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import type { FlowOptions } from '../../../kernel/reads/flowReads.ts'
import type { Blocks } from '../../../kernel/reads/readRange.ts'
import type { MainStream } from '../../../kernel/reads/mainStreams.ts'
import { errorText, isSetAside } from '../../../lib/errors.ts'
import { type FlowReader, noteCrowd } from './flowReader.ts'
import type { FlowStream } from '../watched/places.ts'
import { isWatched, lookUpTokens } from './tokens.ts'
import { listTokens } from '../watched/watch.ts'

export type FlowsRead = Awaited<ReturnType<MainReads['flows']>>

interface Reach {
  readonly blocks: Blocks
  readonly known: MainStream['known']
  readonly nativeFrom?: FlowOptions['nativeFrom'] | undefined
}

/** A list that others crowd is left, and each of the bridge's tokens asked for alone: anybody can fill a list. */
export async function readStreamRows(
  reader: FlowReader,
  stream: FlowStream,
  reach: Reach,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const { place, kind, token } = stream
  const of = { address: place.address, kind, token }
  if (token !== undefined) return readList(reader, of, reach, signal)
  // What nobody named yet may be the bridge's, and is read one by one from then on.
  const onPage = (rows: FlowsRead['rows']) => lookUpTokens(reader, { stream, rows }, signal)
  if (reader.isOfCrowds) return readList(reader, of, { ...reach, onPage }, signal)
  const counts = (other: string) => isWatched(reader.watch, place, other)
  const read = await readList(reader, of, { ...reach, counts }, signal)
  if (!read.isCrowded) return read
  noteCrowd(reader, stream.id)
  const each = await readEach(reader, stream, reach, signal)
  return { ...each, rows: [...each.rows, ...read.rows.filter((row) => !counts(row.token))] }
}

async function readEach(
  reader: FlowReader,
  { place, kind }: FlowStream,
  { blocks }: Reach,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const requestedAt = reader.clock.now()
  const reads: FlowsRead[] = []
  for (const token of listTokens(reader.watch, kind))
    reads.push(
      await readList(reader, { address: place.address, kind, token }, { blocks, known: null }, signal),
    )
  return {
    requestedAt,
    rows: reads.flatMap(({ rows }) => rows),
    isWhole: reads.every(({ isWhole }) => isWhole),
    problem: reads.find(({ isWhole }) => !isWhole)?.problem ?? '',
    bad: reads.flatMap(({ bad }) => bad),
    unread: reads.flatMap(({ unread }) => unread),
    isCrowded: true,
  }
}

/** Where a known row stays hidden, what lies above it is looked at all the same: it proves nothing, and may be a theft. */
async function readList(
  { main, isOfCrowds }: FlowReader,
  of: Parameters<MainReads['flows']>[0],
  { blocks, known, nativeFrom: lists, counts, onPage }: Reach & Pick<FlowOptions, 'counts' | 'onPage'>,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const priority = isOfCrowds ? 'sweep' : 'evidence'
  const options = {
    priority,
    signal,
    isKnown: known !== null,
    ...(lists && { nativeFrom: lists }),
    ...(counts && { counts }),
    ...(onPage && { onPage }),
  } as const
  try {
    return await main.flows(of, blocks, options)
  } catch (error) {
    if (known === null || !isSetAside(error)) throw error
    const above = { from: Math.min(known.height + 1, blocks.to), to: blocks.to }
    const read = await main.flows(of, above, { ...options, isKnown: false })
    return { ...read, isWhole: false, problem: errorText(error) }
  }
}
