import { findingText } from './readFinding.ts'
import { onTestFinished } from 'vitest'
import type { AppConfig } from '../../src/kernel/settings.ts'
import type { Finding } from '../../src/bridge/finding.ts'
import { createFakeExplorer, type FakeExplorer, send, toWire, type WireRecord } from './fakeExplorer.ts'
import { createFakeMainChain, type FakeMainChain, type FakeMainTransaction } from './fakeMainChain.ts'
import { createLeapingClock } from './leapingClock.ts'
import { noBridge } from './appConfig.ts'
import { type Monitor, startMonitor } from './startMonitor.ts'

export const escrow = `0x${'e5'.repeat(20)}`
/** The null address: what is minted comes from it. */
export const mint = `0x${'00'.repeat(20)}`
export const token = `0x${'cc'.repeat(20)}`
export const otherToken = `0x${'dd'.repeat(20)}`
export const user = (n: number) => `0x${(0xa000 + n).toString(16).padStart(40, '7')}`

interface Told {
  readonly kind: string
  readonly subject: string
  readonly facts: Finding['facts']
  readonly isOver: boolean
  /** How often it was corrected. */
  readonly corrections: number
}

/** A bridge whose API and chains a test writes by hand, with the whole daemon watching it in time that leaps. */
export interface BridgeWorld {
  readonly fake: FakeExplorer
  readonly chain: FakeMainChain
  readonly monitor: Monitor
  readonly now: () => number
  /** A withdrawal with everything that belongs to it: record, zone transaction, main transaction. */
  readonly withdraw: (n: number, overrides?: WireRecord) => WireRecord
  /** A zone transaction as E9 tells it. */
  readonly zone: (hash: string, overrides?: WireRecord) => void
  readonly main: (hash: string, transaction: Omit<FakeMainTransaction, 'hash'>) => void
  told(kind?: string): Told[]
  /** Waits, generously, for what has to come. */
  until(holds: () => boolean, what: string): Promise<void>
  /** Lets so much of the world's time pass. */
  pass(ms: number): Promise<void>
}

export interface BridgeWorldOptions {
  /** The shipped ones when left out. */
  readonly rules?: string
  /** 200 requests a second when left out. */
  readonly pace?: AppConfig['explorer']['pace']
  readonly config?: Partial<AppConfig>
  readonly bridge?: Partial<AppConfig['bridge']>
  /** Fills the world before the daemon starts. */
  readonly prepare?: (world: Omit<BridgeWorld, 'monitor' | 'told'>) => void
}

/** Polls that ask little, for worlds in which hours pass. */
export const calmPoll: AppConfig['poll'] = {
  transfers: '*/20 * * * * *',
  openTransfers: '*/20 * * * * *',
  evidence: '*/20 * * * * *',
  challenges: '0 * * * * *',
  heads: '*/20 * * * * *',
  contracts: '*/20 * * * * *',
  escrows: '0 * * * * *',
  audit: '0 17 * * * *',
  sweepMs: 86_400_000,
}

const patienceMs = 3_600_000
const lookEveryMs = 500

export async function createBridgeWorld(options: BridgeWorldOptions): Promise<BridgeWorld> {
  const clock = createLeapingClock()
  const startedAt = clock.now()
  const fake = await createFakeExplorer()
  const chain = createFakeMainChain()
  fake.mainHead = () => 10_000 + Math.floor((clock.now() - startedAt) / 1_000)
  fake.zoneHead = () => 100_000 + Math.floor((clock.now() - startedAt) / 100)
  fake.now = () => clock.now()
  fake.intercept = (request, response) => {
    const data = chain.answer(request)
    if (data === undefined) return false
    send(response, 200, { code: '0', msg: '', data })
    return true
  }
  const zone = (hash: string, overrides: WireRecord = {}) =>
    void fake.zoneTransactions.set(hash, {
      hash,
      blockHeight: '90000',
      blockTime: String(clock.now() - 60_000),
      status: '0x1',
      valueRaw: '',
      value: '',
      errorMessage: '',
      actionType: 'withdraw',
      actionData: '',
      ...overrides,
    })
  const main = (hash: string, transaction: Omit<FakeMainTransaction, 'hash'>) =>
    void chain.transactions.set(hash, { hash, ...transaction })
  const withdraw = (n: number, overrides: WireRecord = {}) => {
    const amount = String(100 + n)
    const record = toWire(
      {
        tokenContractAddress: token,
        sourceAddress: user(n),
        targetAddress: user(n),
        value: amount,
        valueRaw: `${amount}000000`,
        zoneBlockTime: String(clock.now() - 20_000),
        mainBlockTime: String(clock.now() - 10_000),
        ...overrides,
      },
      `w${n}`,
    )
    const { zoneTxHash = '', mainTxHash = '', value = '', valueRaw = '' } = record
    if (zoneTxHash !== '' && !fake.zoneTransactions.has(zoneTxHash)) zone(zoneTxHash, { value, valueRaw })
    if (mainTxHash !== '' && !chain.transactions.has(mainTxHash))
      main(mainTxHash, {
        moves: [
          {
            token: record['tokenContractAddress'] ?? token,
            from: escrow,
            to: record['targetAddress'] ?? '',
            amount: value,
          },
        ],
      })
    fake.records.unshift(record)
    return record
  }
  const until = async (holds: () => boolean, what: string) => {
    const endAt = clock.now() + patienceMs
    while (!holds()) {
      if (clock.now() > endAt) throw new Error(`did not come: ${what}`)
      await clock.sleep(lookEveryMs)
    }
  }
  const bare = {
    fake,
    chain,
    now: () => clock.now(),
    withdraw,
    zone,
    main,
    until,
    pass: (ms: number) => clock.sleep(ms),
  }
  options.prepare?.(bare)
  clock.start()
  const monitor = await startMonitor({
    url: fake.url,
    ...(options.rules !== undefined && { rules: options.rules }),
    ...(options.pace && { pace: options.pace }),
    clock,
    timeoutMs: 60_000,
    config: {
      bridge: {
        ...noBridge,
        tokens: [{ address: token, symbol: 'USDC', decimals: 6 }],
        ...options.bridge,
      },
      ...options.config,
    },
  })
  onTestFinished(async () => {
    await Promise.all([monitor.stop(), fake.close()])
    clock.stop()
  })
  const told = (kind?: string) =>
    monitor.app.parts.db
      .prepare(
        `SELECT kind, subject, finding, (SELECT count(*) FROM outbox o WHERE o.alert_id = a.id AND o.what = 'correction') AS corrections
         FROM alerts a WHERE nature = 'event' AND state <> 'merged' ORDER BY id`,
      )
      .all()
      .map((row): Told => {
        const finding = JSON.parse(findingText(row['finding'])) as Finding
        return {
          kind: String(row['kind']),
          subject: String(row['subject']),
          facts: finding.facts,
          isOver: finding.isOver ?? false,
          corrections: Number(row['corrections']),
        }
      })
      .filter((one) => kind === undefined || one.kind === kind)
  return { ...bare, monitor, told }
}
