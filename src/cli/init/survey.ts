import type { Observation } from '../../bridge/observation.ts'
import { createExplorer, type CallOptions, type Explorer } from '../../clients/explorer/createExplorer.ts'
import { maxPerRequest } from '../../clients/explorer/endpoint.ts'
import { crossTransactions } from '../../clients/explorer/endpoints/crossRecords.ts'
import { manyTransactionsInternals } from '../../clients/explorer/endpoints/internalTransactions.ts'
import { logsByTransaction } from '../../clients/explorer/endpoints/logs.ts'
import { manyTransactionsTransfers } from '../../clients/explorer/endpoints/mainTransfers.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { errorText } from '../../lib/errors.ts'
import { createSilentLog } from '../../lib/log.ts'
import { createBar } from '../createBar.ts'
import type { Io } from '../io.ts'
import { type Met, toSettings } from './knock.ts'

/** Something that moved in a main transaction. */
export interface Move {
  readonly hash: string
  /** '' for the native currency. */
  readonly token: string
  readonly symbol: string
  readonly from: string
  readonly to: string
  readonly amount: string | null
}

/** Recent transfers, and what second sources say of them. */
export interface Survey {
  /** Completed on the main chain. */
  readonly transfers: readonly Observation[]
  /** How many the list gave, those that prove nothing too. */
  readonly listed: number
  readonly moves: readonly Move[]
  /** Of some main transactions, who wrote events in them. */
  readonly logs: ReadonlyMap<string, readonly string[]>
  /** What could not be asked. */
  readonly problems: readonly string[]
}

const pages = 2
const pageSize = 100
/** Transactions of each direction whose events are read: each is a request of its own. */
const logsEach = 8

/** Looks at the newest transfers and the evidence of their main transactions. What cannot be asked is noted. */
export async function survey(
  io: Pick<Io, 'clock' | 'env' | 'stop' | 'status' | 'errScreen'>,
  met: Met,
): Promise<Survey> {
  const settings = toSettings(io, met)
  const explorer = createExplorer({ ...settings, clock: io.clock, log: createSilentLog() })
  const problems: string[] = []
  const bar = createBar(io, 'requests')
  const asking: Asking = {
    explorer,
    problems,
    bar,
    how: { priority: 'urgent', attempts: 2, signal: io.stop },
  }
  try {
    const listed = await listTransfers(asking)
    const transfers = listed.filter(({ status, mainHash }) => status === 'success' && mainHash !== null)
    const questions = [...listMoveQuestions(asking, transfers), ...listLogQuestions(asking, transfers)]
    const found: Found[] = []
    for (const [index, ask] of questions.entries()) {
      asking.bar?.show({ share: index / questions.length, count: index })
      found.push(await orNothing(asking, ask))
    }
    return {
      transfers,
      listed: listed.length,
      moves: found.flatMap(({ moves = [] }) => moves),
      logs: new Map(found.flatMap(({ logs = [] }) => logs)),
      problems: [...new Set(problems)],
    }
  } finally {
    bar?.end()
    await explorer.close()
  }
}

interface Asking {
  readonly explorer: Explorer
  readonly problems: string[]
  readonly bar: ReturnType<typeof createBar>
  readonly how: CallOptions
}

interface Found {
  readonly moves?: readonly Move[]
  readonly logs?: readonly (readonly [string, readonly string[]])[]
}

type Question = () => Promise<Found>

async function orNothing({ problems, how }: Asking, ask: Question): Promise<Found> {
  try {
    return await ask()
  } catch (error) {
    how.signal?.throwIfAborted()
    problems.push(errorText(error))
    return {}
  }
}

/** Newest first, each once. A second page that cannot be had is no reason to stop. */
async function listTransfers({ explorer, how, problems }: Asking): Promise<Observation[]> {
  const found = new Map<string, Observation>()
  for (let page = 1; page <= pages; page += 1) {
    try {
      const answer = await explorer.callNonEmpty(crossTransactions, { page, limit: pageSize }, how)
      for (const record of answer.records) found.set(nameOf(record), record)
      if (answer.quarantined[0])
        problems.push(`E3: a record cannot be read: ${answer.quarantined[0].problem}`)
      if (answer.records.length === 0 || page >= (answer.totalPage ?? 1)) break
    } catch (error) {
      how.signal?.throwIfAborted()
      problems.push(errorText(error))
      break
    }
  }
  return [...found.values()]
}

const nameOf = ({ id, mainHash, zoneHash, amountRaw, token, tokenId }: Observation) =>
  [id, mainHash, zoneHash, amountRaw, token, tokenId].join()

function listMoveQuestions({ explorer, how }: Asking, transfers: readonly Observation[]): Question[] {
  const hashesOf = (isNative: boolean) =>
    inGroups([
      ...new Set(
        transfers
          .filter(({ token }) => (canonicalToken(token) === '') === isNative)
          .flatMap(({ mainHash }) => mainHash ?? []),
      ),
    ])
  const tokens = hashesOf(false).map(
    (txId): Question =>
      async () => {
        const { records } = await explorer.callNonEmpty(
          manyTransactionsTransfers,
          { txId, limit: 100 },
          known(how),
        )
        return { moves: records }
      },
  )
  const native = hashesOf(true).map(
    (txId): Question =>
      async () => {
        const { records } = await explorer.callNonEmpty(
          manyTransactionsInternals,
          { txId, limit: 100 },
          known(how),
        )
        return { moves: records.map((row) => ({ ...row, token: '' })) }
      },
  )
  return [...tokens, ...native]
}

/** Something moved, or was written, in the transactions of transfers: no answer is none. */
const known = (how: CallOptions) => ({ ...how, isKnown: true, rereads: 2 })

function inGroups(hashes: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(hashes.length / maxPerRequest) }, (_, index) =>
    hashes.slice(index * maxPerRequest, (index + 1) * maxPerRequest),
  )
}

/** Of each direction some, each of another party: who comes first teaches no more by coming often. */
function listLogQuestions({ explorer, how }: Asking, transfers: readonly Observation[]): Question[] {
  const chosen = [...Map.groupBy(transfers, ({ direction }) => direction).values()].flatMap((of) => {
    const byParty = new Map(of.map((transfer) => [partyOf(transfer), transfer.mainHash ?? '']))
    return [...new Set(byParty.values())].slice(0, logsEach)
  })
  return [...new Set(chosen)].map(
    (txId): Question =>
      async () => {
        const { records } = await explorer.callNonEmpty(logsByTransaction, { txId }, known(how))
        return { logs: [[txId, [...new Set(records.map(({ address }) => address))]]] }
      },
  )
}

/** Who stands behind a transfer on the main chain. */
export function partyOf({ direction, sourceAddress, targetAddress, from, to }: Observation): string {
  return direction === 'MainToZone' ? sourceAddress || from : targetAddress || to
}
