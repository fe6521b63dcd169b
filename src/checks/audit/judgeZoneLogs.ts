import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { meansWithdrawal, type SeenActions } from '../../ledger/lessons/withdrawActions.ts'
import { countAction, readActions } from '../../ledger/lessons/zoneActions.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { saveMeta } from '../../store/meta.ts'
import { addLack, type Lack, toLack } from './store.ts'
import { toZoneAction } from './zoneAction.ts'
import { noteZoneBlocks } from './zoneStore.ts'

export interface ZoneLogs
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'db' | 'ledger' | 'list' | 'numbers' | 'settleMs' | 'tellSince' | 'trigger'
  > {
  readonly rpc: Pick<Rpc, 'call' | 'callMany' | 'session'>
  /** Of the zone: those that write a log about each withdrawal. */
  readonly contracts: readonly string[]
}

export type Log = RpcResult<'eth_getLogs'>[number]

/** A transaction of one block with what the contracts wrote about it. */
interface Written {
  readonly hash: string
  readonly height: number
  readonly logs: readonly Log[]
}

export const cursorName = 'zone_logs_height'

export interface LogsRead {
  readonly logs: readonly Log[]
  /** Block times of both ends; null where the node does not say them. */
  readonly from: UnixMs | null
  readonly until: UnixMs | null
}

export const knownName = 'zone_logs_known'

export const writtenName = 'zone_logs_written'

/** Withdrawals that were known in what was read, and how many of them had logs. */
export interface Known {
  readonly known: number
  readonly written: number
}

/** Block times are whole seconds. */
export const slackMs = 2_000

export const mostKnown = 2_000

export async function judge(
  zone: ZoneLogs,
  { logs, known }: Pick<LogsRead, 'logs'> & { readonly known: Known },
  span: { readonly first: number; readonly last: number; readonly at: UnixMs },
  signal: AbortSignal,
): Promise<void> {
  const { clock, commit, db, tellSince } = zone
  const requestedAt = zone.numbers.next()
  const judged = groupLogs(logs).map((written) => ({ written, kind: kindOf(zone, written) }))
  const seen = tally(db, judged)
  const hidden = judged.filter(
    ({ written, kind }) => kind === null && clock.now() >= tellSince && meansLeaving(seen, written),
  )
  const lacks: Lack[] = []
  for (const { written } of hidden)
    lacks.push(toLack(await toAction(zone, written, requestedAt, signal), 'action', clock.now()))
  commit({
    apply: () => {
      for (const { written, kind } of judged)
        for (const word of wordsOf(written)) countAction(db, word, toSeen(kind))
      for (const lack of lacks) addLack(db, lack)
      noteZoneBlocks(db, span.at, { read: span.last - span.first + 1, ...span })
      saveMeta(db, cursorName, String(span.last))
      saveMeta(db, knownName, String(known.known))
      saveMeta(db, writtenName, String(known.written))
      return []
    },
  })
}

function groupLogs(logs: readonly Log[]): Written[] {
  const groups = Map.groupBy(logs, ({ transactionHash }) => transactionHash)
  return [...groups].map(([hash, own]) => ({ hash, height: own[0]?.blockNumber ?? 0, logs: own }))
}

/** Which way the ledger knows a transaction to cross; null for what it does not know. */
type Kind = 'withdrawal' | 'deposit' | null

function kindOf({ ledger }: ZoneLogs, { hash }: Written): Kind {
  const known = ledger.listTransfers({ hash, limit: 20 })
  if (known.some(({ direction }) => direction === 'ZoneToMain')) return 'withdrawal'
  return known.length > 0 ? 'deposit' : null
}

/** What was seen of each word before, and is now. */
function tally(
  db: Kernel['db'],
  judged: readonly { readonly written: Written; readonly kind: Kind }[],
): ReadonlyMap<string, SeenActions> {
  const seen = new Map<string, SeenActions>()
  for (const { written, kind } of judged)
    for (const word of wordsOf(written)) {
      const before = seen.get(word) ?? readActions(db, word)
      const { matched, unmatched } = toSeen(kind)
      seen.set(word, { matched: before.matched + matched, unmatched: before.unmatched + unmatched })
    }
  return seen
}

function toSeen(kind: Kind): SeenActions {
  return kind === 'withdrawal' ? { matched: 1, unmatched: 0 } : { matched: 0, unmatched: 1 }
}

function meansLeaving(seen: ReadonlyMap<string, SeenActions>, written: Written): boolean {
  return wordsOf(written).some((word) => {
    const counts = seen.get(word) ?? { matched: 0, unmatched: 0 }
    return meansWithdrawal({ ...counts, withdrawals: counts.matched, deposits: 0 })
  })
}

const nobody = `0x${'0'.repeat(64)}`

/** What its logs are called: a token's Transfer to nobody is another word than one between people. */
function wordsOf({ logs }: Written): string[] {
  const words = logs.flatMap(({ address, topics: [topic, , to] }) =>
    topic === undefined ? [] : [`log ${address} ${topic}${to === nobody ? ' to nobody' : ''}`],
  )
  return [...new Set(words)]
}

/** Its block says when it happened: few have to be asked for. */
async function toAction(
  { clock, rpc }: ZoneLogs,
  { hash, height }: Written,
  requestedAt: UnixMs,
  signal: AbortSignal,
) {
  const block = await rpc.call('eth_getBlockByNumber', [height, false], { signal })
  const seconds = block?.timestamp ?? null
  return toZoneAction({
    requestedAt,
    zoneHash: hash,
    zoneHeight: height,
    zoneTime: seconds === null ? clock.now() : seconds * 1_000,
    zoneBlockHash: block?.hash ?? null,
    sourceAddress: '',
    value: '',
    amountRaw: null,
  })
}
