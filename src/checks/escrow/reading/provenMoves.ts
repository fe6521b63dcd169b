import type { LegEvidence, Transfer } from '../../../bridge/transfer.ts'
import type { Shown } from '../../../kernel/heads/endpointLags.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { FlowRow, NativeList } from '../../../kernel/reads/flowReads.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { type FlowStream, isOfKind, toStreams } from '../watched/places.ts'
import type { EscrowWatch } from '../watched/watch.ts'

type Proving = Pick<Kernel, 'endpointLags' | 'startedAt'>

/** Which lists have to show a transfer's money: those of the escrows at which its transaction moved it, whoever shows that. */
export function noteProvenMoves(
  { endpointLags, startedAt, watch }: Proving & { readonly watch: EscrowWatch },
  changed: readonly Transfer[],
): void {
  const recent = changed.filter(({ main }) => (main?.time ?? 0) >= startedAt)
  if (recent.length === 0) return
  const streams = toStreams(watch).filter(({ isRare }) => !isRare)
  for (const { main, evidence } of recent) {
    if (main === null || main.height === null || main.time === null) continue
    const { hash, height, time } = main
    for (const one of evidence) {
      if (one.chain !== 'main' || one.hash !== hash || one.status !== 'success') continue
      for (const shown of listsOf(streams, watch, one))
        endpointLags.noteHappened(shown, { hash, height, time })
    }
  }
}

function listsOf(
  streams: readonly FlowStream[],
  { types }: Pick<EscrowWatch, 'types'>,
  { moves, source, isWhole }: LegEvidence,
): Shown[] {
  // Of several answers put together nobody can say which list shows what.
  const native = isWhole === true ? undefined : nativeLists[source]
  return (moves ?? []).flatMap(({ from, to, token }) => {
    const type = types.get(token) ?? ''
    return streams.flatMap((stream) => {
      const { kind, place } = stream
      const isAt = from !== to && (from === place.address || to === place.address)
      if (!isAt || !isListed(stream, token)) return []
      if (kind !== 'native') return type !== '' && isOfKind(type, kind) ? [tokenList(stream)] : []
      return token === '' && native !== undefined ? [nativeList(stream, native)] : []
    })
  })
}

/** What a transaction itself carried, and what calls within it did. */
const nativeLists: Readonly<Record<string, NativeList>> = { E7: 'outer', E15: 'calls' }

function isListed({ kind, place, token: only }: FlowStream, token: string): boolean {
  if (place.tokens !== null && !place.tokens.has(token)) return false
  return (kind === 'native') === (token === '') && (only === undefined || only === token)
}

/** What a reading of a list showed. */
export function noteListRead(
  { endpointLags }: Pick<Proving, 'endpointLags'>,
  stream: FlowStream,
  { rows, to, at }: { readonly rows: readonly FlowRow[]; readonly to: number; readonly at: UnixMs },
): void {
  const note = (shown: Shown, own: readonly FlowRow[]) => {
    const newest = own.reduce((most, { height }) => Math.max(most, height ?? -1), -1)
    endpointLags.noteRead(shown, { newest, to, at })
  }
  if (stream.kind !== 'native') return note(tokenList(stream), rows)
  for (const list of ['outer', 'calls'] as const)
    note(
      nativeList(stream, list),
      rows.filter(({ isCall }) => (isCall === true) === (list === 'calls')),
    )
}

function tokenList({ kind, place, token }: FlowStream): Shown {
  return {
    endpoint: 'E6',
    list: `${kind} of ${place.address}${token === undefined ? '' : `, token ${token}`}`,
  }
}

function nativeList({ place }: FlowStream, list: NativeList): Shown {
  return { endpoint: list === 'calls' ? 'E8' : 'E6', list: `native currency of ${place.address}` }
}
