import { readLiveness } from '../../src/monitor/liveness.ts'
import { type BridgeWorld, createBridgeWorld, escrow, token, user } from './bridgeWorld.ts'
import { type FakeRequest, send, toWire, type WireRecord } from './fakeExplorer.ts'
import { shippedPoll } from './incidents.ts'

const second = 1_000
const minute = 60 * second

export const bridge = `0x${'b1'.repeat(20)}`
/** Nothing moves there: its lists are honestly empty. */
const vault = `0x${'5a'.repeat(20)}`
const relayer = `0x${'7e'.repeat(20)}`
const firstHead = 2_000_000

/** So many blocks before the daemon's start something happened at an address. */
const ages: Readonly<Record<string, readonly number[]>> = {
  [bridge]: [40, 90, 3_000, 90_000],
  [vault]: [70, 5_000],
  [relayer]: [40, 12_000],
}

/** What the explorer does to a question: fails, answers as if there were nothing, or knows no `isFromOrTo`. */
type Fault = (request: FakeRequest) => 'broken' | 'hidden' | 'unfiltered' | null

/**
 * A bridge whose addresses did little, so that most ranges of blocks that are asked for are empty, honestly; with the
 * shipped schedule and pace.
 */
export interface QuietBridge extends BridgeWorld {
  setFault(fault: Fault | null): void
  verdict(): ReturnType<typeof readLiveness>
  /** Pollers that did not complete a run for longer than three of their intervals, at least 15 s, and by how long. */
  late(): string[]
  /** Beyond a note. */
  alerts(): { kind: string; subject: string; severity: string; state: string; activeAt: number }[]
}

/** @param history records of the past month in the list */
export async function createQuietBridge(history: number): Promise<QuietBridge> {
  const seen: { fault: Fault | null } = { fault: null }
  const world = await createBridgeWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 4 },
    bridge: {
      contracts: [bridge, vault],
      escrows: [{ address: vault, token, baseline: null }],
      operators: [{ address: relayer, minBalance: '0' }],
    },
    config: { poll: shippedPoll, start: { from: { kind: 'genesis' } } },
    prepare({ fake, now, withdraw, zone, main }) {
      const startedAt = now()
      const head = () => firstHead + Math.floor((now() - startedAt) / second)
      fake.mainHead = head
      const before = fake.intercept
      fake.intercept = (request, response) => {
        const fault = seen.fault?.(request) ?? null
        if (fault === 'broken') {
          send(response, 502, '<html>bad gateway</html>')
          return true
        }
        if (fault === 'unfiltered') request.query.delete('isFromOrTo')
        const found = fault === 'hidden' ? [] : answer(request, startedAt)
        if (found === null) return before(request, response)
        send(response, 200, { code: '0', msg: '', data: found })
        return true
      }
      for (let n = 0; n < 3; n += 1) withdraw(n)
      for (let n = 0; n < history - 3; n += 1) {
        const record = toPast(n, startedAt)
        const { zoneTxHash = '', mainTxHash = '', mainBlockHeight, value = '', valueRaw = '' } = record
        zone(zoneTxHash, { value, valueRaw })
        main(mainTxHash, {
          height: Number(mainBlockHeight),
          moves: [{ token, from: escrow, to: user(n), amount: value }],
        })
        fake.records.push(record)
      }
    },
  })
  const { app } = world.monitor
  return {
    ...world,
    setFault: (fault) => {
      seen.fault = fault
    },
    verdict: () => readLiveness({ ...app.parts, pollers: app.parts.pollerStatus }, world.now(), 0),
    late: () =>
      app.parts.pollerStatus().flatMap(({ poller, intervalMs, lastSuccessAt, startedAt, isBackground }) => {
        const lateMs = world.now() - (lastSuccessAt ?? startedAt)
        const boundMs = Math.max(3 * intervalMs, isBackground ? 2 * minute : 15 * second)
        return lateMs > boundMs ? [`${poller}: ${lateMs} ms`] : []
      }),
    alerts: () =>
      app.parts.db
        .prepare(
          "SELECT kind, subject, severity, state, active_at FROM alerts WHERE severity <> 'info' ORDER BY id",
        )
        .all()
        .map((row) => ({
          kind: String(row['kind']),
          subject: String(row['subject']),
          severity: String(row['severity']),
          state: String(row['state']),
          activeAt: Number(row['active_at']),
        })),
  }
}

/** E1, E6, E8 and E10, of what the addresses did, newest first. */
function answer({ path, query }: FakeRequest, startedAt: number): unknown[] | null {
  const name = /\/(address|token)\/(internal-|normal-)?transaction-list(-multi)?$/.exec(path)
  if (!name) return null
  const [from, to] = [Number(query.get('startBlockHeight') ?? 0), Number(query.get('endBlockHeight') ?? 1e12)]
  const kind = query.get('protocolType') ?? 'transaction'
  const rows = (query.get('address') ?? '')
    .split(',')
    .flatMap((address) => (ages[address] ?? []).map((age) => toRow(address, age, startedAt)))
    .filter(({ height }) => Number(height) >= from && Number(height) <= to)
    .filter(() => kind === 'transaction' && name[2] !== 'internal-')
    // All that they did they sent.
    .filter(() => query.get('isFromOrTo') !== 'to')
    .toSorted((a, b) => Number(b.height) - Number(a.height))
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)]
  const array = path.endsWith('/address/transaction-list') ? 'transactionLists' : 'transactionList'
  const totalPage = String(Math.ceil(rows.length / limit))
  const paging = { page: String(page), limit: String(limit), totalPage }
  return rows.length === 0 ? [] : [{ ...paging, [array]: rows.slice((page - 1) * limit, page * limit) }]
}

function toRow(address: string, age: number, startedAt: number) {
  return {
    txId: `0x${(firstHead - age).toString(16).padStart(24, '0')}${address.slice(2)}`,
    methodId: '0x01',
    blockHash: `0x${'b0'.repeat(32)}`,
    height: String(firstHead - age),
    transactionTime: String(startedAt - age * second),
    from: address,
    to: user(1),
    isFromContract: false,
    isToContract: true,
    amount: '0',
    transactionSymbol: 'ETH',
    symbol: 'ETH',
    txFee: '0.001',
    state: 'success',
    tokenId: '',
    tokenContractAddress: '',
    challengeStatus: '',
    l1OriginHash: '',
    nonce: '1',
    gasLimit: '1',
    gasUsed: '1',
    gasPrice: '1',
    transactionType: '2',
  }
}

/** A withdrawal of the last month. */
function toPast(n: number, startedAt: number): WireRecord {
  const at = startedAt - (n + 2) * 15 * minute
  return toWire(
    {
      tokenContractAddress: token,
      zoneBlockTime: String(at),
      mainBlockTime: String(at + 30 * second),
      mainBlockHeight: String(firstHead - (n + 2) * 600),
      sourceAddress: user(n),
      targetAddress: user(n),
    },
    `past${n}`,
  )
}
