import { describe, expect, onTestFinished, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilencer } from '../../../src/alerts/silences.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { toRouting } from '../../../src/monitor/toRouting.ts'
import { compileLabelPredicate } from '../../../src/rules/cel/compileConditions.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import type { Database } from '../../../src/store/database.ts'
import {
  ana,
  vocabulary,
  type BenchOptions,
  createBench,
  createEvent,
  createRoute,
  createRule,
  createTransfer,
  start,
} from './harness.ts'

const hour = 3_600_000
const day = 24 * hour
const mainHash = (n: number) => `0x${'3'.repeat(60)}${String(n).padStart(4, '0')}`

const failed = createRule()
const unbacked = createRule({ name: 'unbacked', kind: 'transfer.unbacked', severity: 'critical' })
const stalled = createRule({ name: 'stalled', kind: 'transfer.stalled', severity: 'warning' })

function addTransfer(db: Database, n: number, of: { main?: string | null; state?: string } = {}): void {
  const transfer = createTransfer(n)
  db.prepare(
    `INSERT INTO transfers (key, rec_id, zone_hash, main_hash, loose, direction, state, token, source_address,
      target_address, origin_at, first_seen_at, changed_at, read_at, body) VALUES (?, ?, ?, ?, 0, 'ZoneToMain', ?, '', '', '', 0, 0, 0, 0, '')`,
  ).run(n, transfer.id, transfer.zone?.hash ?? null, of.main ?? null, of.state ?? 'failed')
}

/** A transfer that was joined into another, as the ledger notes it. */
function joinInto(db: Database, n: number, heir: number): void {
  db.prepare('DELETE FROM transfers WHERE key = ?').run(n)
  db.prepare('INSERT INTO aliases (key, transfer_key) VALUES (?, ?)').run(n, heir)
}

/** A finding of another kind about transfer `n`. */
const about = (n: number, kind: string, transfer: Partial<Transfer> = {}): Finding => ({
  ...createEvent(n, transfer),
  kind,
})

function run(options: BenchOptions = {}) {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })], ...options })
  const { database, clock, engine, ops } = bench
  for (const n of [1, 2, 3]) addTransfer(database, n, { main: n === 2 ? mainHash(2) : null })
  const operations = createOperations({
    following: new Set(),
    ...bench,
    kinds,
    vocabulary,
    log: createSilentLog(),
    onChanged: () => undefined,
  })
  const dispatcher = bench.startSending()
  onTestFinished(() => dispatcher.stop())
  const advance = async (ms: number) => {
    await clock.advance(ms)
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(0)
  }
  const told = () =>
    ops.sent.flatMap(({ items }) =>
      items.map(({ status, rule, subject }) => `${status} ${rule} ${subject.slice(-1)}`),
    )
  return {
    ...bench,
    operations,
    advance,
    told,
    /** What is sent from now on. */
    forget: () => ops.sent.splice(0),
    tell: async (rule: LoadedRule, finding: Finding) => {
      engine.tellEvents([{ rule, finding }], clock.now())
      await advance(0)
    },
    judge: async (rule: LoadedRule, ...findings: Finding[]) => {
      engine.applyCondition(rule, { findings, unknown: [] }, clock.now())
      await advance(0)
    },
    silence: (matchers: readonly string[]) =>
      operations.addSilence(
        { matchers, startsAt: null, endsAt: clock.now() + hour, author: 'ana', comment: 'known' },
        ana,
      ),
    silenceTransfer: (name: string, of: { kinds?: string[]; untilOver?: boolean; endsAt?: number } = {}) => {
      const { kinds: wanted = null, untilOver = true, endsAt = null } = of
      return operations.addSilence(
        {
          matchers: [],
          startsAt: null,
          endsAt,
          author: 'ana',
          comment: 'known',
          transfer: { name, kinds: wanted, untilOver },
        },
        ana,
      )
    },
  }
}

describe('a matcher may name the transfer, which belongs to no alert', () => {
  test.each([
    ['transfer="t2"'],
    ['transfer="T2"'],
    ['transfer=~"t(2|9)"'],
    ['transfer_id="2"'],
    [`main_tx="${mainHash(2).toUpperCase().replace('0X', '0x')}"`],
    [`zone_tx="${createTransfer(2).zone?.hash ?? ''}"`],
  ])('%s silences what is about it, and nothing else', async (matcher) => {
    const { silence, tell, told, store } = run()
    silence([matcher])
    for (const n of [1, 2, 3]) await tell(failed, createEvent(n))
    expect(told().map((line) => line.split(' ')[0])).toEqual(['event', 'event'])
    const held = store.listAlerts({ limit: 9 }).filter(({ id }) => store.listHeldChannels(id).length > 0)
    expect(held.map(({ subject }) => subject)).toEqual(['t2'])
    // Neither its labels nor its identity know of it.
    expect(held[0]?.labels).toBe(store.listAlerts({ limit: 9 }).at(-1)?.labels)
  })

  test('what is not named is not silenced by what it is not', async () => {
    const { silence, tell, told } = run()
    silence(['rule="failed"', 'transfer!="t2"'])
    for (const n of [1, 2, 3]) await tell(failed, createEvent(n))
    expect(told()).toHaveLength(1)
  })

  test('a transfer that gets its hash later is silenced from then on', async () => {
    const { silence, judge, told, database, advance } = run()
    silence([`main_tx=${mainHash(1)}`])
    database.prepare('UPDATE transfers SET main_hash = ? WHERE key = 1').run(mainHash(1))
    await judge(stalled, about(1, 'transfer.stalled'))
    await advance(10_000)
    expect(told()).toEqual([])
  })

  test('a silence goes on to hold when its transfer is joined into another', async () => {
    const { silence, tell, told, database, engine, clock } = run()
    silence(['transfer=t2'])
    joinInto(database, 2, 1)
    engine.renameSubject('t2', 't1', clock.now())
    await tell(failed, createEvent(1))
    expect(told()).toEqual([])
  })

  test('one that names a transfer by all but its kind matches no alert without a transfer', async () => {
    const { silence, judge, told } = run()
    silence(['transfer=~".+"'])
    const chain = createRule({ name: 'chain', kind: 'chain.stalled' })
    await judge(chain, { ...createEvent(1), kind: 'chain.stalled', transfer: null, subject: 'zone' })
    expect(told()).toHaveLength(1)
  })

  test('matchers of transfers that match every alert are refused', () => {
    const { silence } = run()
    expect(() => silence(['transfer!=t2'])).toThrow('every alert')
  })
})

describe('a silence of one transfer', () => {
  test('holds for what its alerts say, and for no other transfer', async () => {
    const { silenceTransfer, judge, told, forget, advance } = run()
    const late = [about(1, 'transfer.stalled'), about(3, 'transfer.stalled')]
    await judge(stalled, ...late)
    forget()
    const silence = silenceTransfer('t1')
    expect(silence).toMatchObject({
      matchers: ['transfer="t1"'],
      endsAt: start + 7 * day,
      transfer: {
        key: 't1',
        untilOver: true,
        kinds: [{ kind: 'transfer.stalled', severity: 'warning', amount: '1', symbol: 'USDC' }],
      },
    })
    for (let step = 0; step < 10; step += 1) {
      await advance(hour)
      await judge(stalled, ...late)
    }
    expect([...new Set(told())]).toEqual([expect.stringMatching(/^repeat stalled/)])
    expect(told().every((line) => line.endsWith('3'))).toBe(true)
  })

  test.each([['1'], [createTransfer(1).zone?.hash.toUpperCase().replace('0X', '0x') ?? ''], ['t1']])(
    'is made by the name %s',
    async (name) => {
      const { silenceTransfer, judge } = run()
      await judge(stalled, about(1, 'transfer.stalled'))
      expect(silenceTransfer(name).transfer?.key).toBe('t1')
    },
  )

  test('another kind breaks through and says so', async () => {
    const { silenceTransfer, judge, tell, told, forget, ops } = run()
    await judge(stalled, about(1, 'transfer.stalled'))
    forget()
    const { id } = silenceTransfer('t1')
    await tell(unbacked, about(1, 'transfer.unbacked'))
    expect(told()).toHaveLength(1)
    const [item] = ops.sent[0]?.items ?? []
    expect(item?.summary).toContain(`(beyond silence #${id})`)
    expect(item?.fields[0]).toEqual({
      label: 'Beyond a silence',
      value: `#${id} of ana (known) does not hold for it: transfer.unbacked is another kind than transfer.stalled`,
      href: null,
      place: 'fact',
    })
  })

  test('a higher severity breaks through, a lower one does not', async () => {
    const { silenceTransfer, judge, told, forget, advance } = run()
    await judge(stalled, about(1, 'transfer.stalled'))
    silenceTransfer('t1')
    forget()
    const info = createRule({ name: 'watch', kind: 'transfer.stalled', severity: 'info' })
    await judge(info, about(1, 'transfer.stalled'))
    await advance(10_000)
    expect(told()).toEqual([])
    const urgent = createRule({ name: 'urgent', kind: 'transfer.stalled', severity: 'critical' })
    await judge(urgent, about(1, 'transfer.stalled'))
    expect(told()).toEqual([expect.stringMatching(/^firing urgent/)])
  })

  test('a condition that it held breaks through once more money is named', async () => {
    const { silenceTransfer, judge, told, forget, advance, ops } = run()
    await judge(stalled, about(1, 'transfer.stalled'))
    silenceTransfer('t1')
    forget()
    const again = createRule({ name: 'again', kind: 'transfer.stalled' })
    await judge(again, about(1, 'transfer.stalled'))
    await advance(300_000)
    expect(told()).toEqual([])
    await judge(again, about(1, 'transfer.stalled', { amount: '9.5', amountRaw: 9_500_000n }))
    await advance(5_000)
    expect(told()).toEqual([expect.stringMatching(/^firing again/)])
    expect(ops.sent[0]?.items[0]?.summary).toContain('(beyond silence #1)')
  })

  test.each([
    ['the same amount', '1', 0],
    ['less', '0.999', 0],
    ['more', '1.000001', 1],
  ])('an event that is found again with %s: %s', async (_, amount, messages) => {
    const { silenceTransfer, tell, told, forget, ops } = run()
    await tell(failed, createEvent(1))
    forget()
    silenceTransfer('t1')
    const amountRaw = BigInt(Math.round(Number(amount) * 1e6))
    await tell(failed, createEvent(1, { amount, amountRaw }))
    expect(told()).toHaveLength(messages)
    if (messages > 0)
      expect(ops.sent[0]?.items[0]?.fields[0]?.value).toContain('1.000001 USDC is more than 1 USDC')
  })

  test('another token breaks through, whatever its amount', async () => {
    const { silenceTransfer, tell, told, forget } = run()
    await tell(failed, createEvent(1))
    forget()
    silenceTransfer('t1')
    const token = { ...createTransfer(1).token, address: `0x${'d'.repeat(40)}`, symbol: 'WBTC' }
    await tell(failed, createEvent(1, { token }))
    expect(told()).toHaveLength(1)
  })

  test('holds for the kinds that are named alone', async () => {
    const { silenceTransfer, judge, tell, told, forget } = run()
    await judge(stalled, about(1, 'transfer.stalled'))
    await tell(failed, createEvent(1))
    forget()
    silenceTransfer('t1', { kinds: ['transfer.stalled'] })
    await tell(failed, createEvent(1, { amount: '2', amountRaw: 2_000_000n }))
    expect(told()).toEqual([expect.stringMatching(/^correction failed/)])
  })

  test('of a transfer that is joined into another holds for what it was made for, and no more', async () => {
    const { silenceTransfer, judge, tell, told, forget, database, engine, clock } = run()
    await judge(stalled, about(2, 'transfer.stalled'))
    silenceTransfer('t2')
    forget()
    joinInto(database, 2, 1)
    engine.renameSubject('t2', 't1', clock.now())
    await judge(stalled, about(1, 'transfer.stalled'))
    expect(told()).toEqual([])
    await tell(unbacked, about(1, 'transfer.unbacked'))
    expect(told()).toHaveLength(1)
  })

  test('ends when the transfer is completed and all its alerts have ended, not before', async () => {
    const { silenceTransfer, judge, told, forget, database, store, advance, clock } = run()
    await judge(stalled, about(1, 'transfer.stalled'))
    const { id } = silenceTransfer('t1')
    forget()
    const holds = () => store.listSilencesAt(clock.now()).some((one) => one.id === id)
    await advance(6_000)
    expect(holds()).toBe(true)
    database.prepare("UPDATE transfers SET state = 'completed' WHERE key = 1").run()
    await advance(6_000)
    expect(holds()).toBe(true)
    await judge(stalled)
    await advance(6_000)
    expect(holds()).toBe(false)
    expect(store.getSilence(id)).toMatchObject({ expiredAt: expect.any(Number) })
    // Its end is told: the channel knows that it was firing.
    await advance(300_000)
    expect(told()).toEqual([expect.stringMatching(/^(resolved|ended) stalled/)])
  })

  test('goes on while what accuses the transfer stands, though it is completed', async () => {
    const { silenceTransfer, tell, database, store, advance, clock } = run()
    const proven = { originProof: 'unverified' } as const
    await tell(unbacked, about(1, 'transfer.unbacked', proven))
    const { id } = silenceTransfer('t1')
    database.prepare("UPDATE transfers SET state = 'completed' WHERE key = 1").run()
    await advance(20_000)
    expect(store.getSilence(id)?.expiredAt).toBeNull()
    await advance(7 * day)
    expect(store.listSilencesAt(clock.now())).toEqual([])
  })

  test('lists what it held once it ends', async () => {
    const { silenceTransfer, tell, told, forget, advance, clock } = run()
    await tell(failed, createEvent(1))
    forget()
    silenceTransfer('t1', { untilOver: false, endsAt: clock.now() + hour })
    const again = createRule({ name: 'again' })
    await tell(again, createEvent(1))
    await advance(hour - 1)
    expect(told()).toEqual([])
    await advance(1)
    expect(told()).toEqual([expect.stringMatching(/^event again/)])
  })

  test.each([
    ['a transfer that is not there', 't9', {}, 'holds no transfer t9'],
    ['a transfer without an alert', 't3', {}, 'nothing to silence'],
    [
      'a kind that no alert of it has',
      't1',
      { kinds: ['transfer.unbacked'] },
      'no alert of transfer.unbacked now: there is transfer.failed',
    ],
    ['no end', 't1', { untilOver: false }, 'a start and an end'],
    ['a hash of several', mainHash(2), {}, 'is of several transfers: t1, t2'],
  ])('of %s is refused', async (_, name, of, problem) => {
    const { silenceTransfer, tell, database, store } = run()
    database.prepare('UPDATE transfers SET main_hash = ? WHERE key = 1').run(mainHash(2))
    await tell(failed, createEvent(1))
    expect(() => silenceTransfer(name, of)).toThrow(problem)
    expect(store.listSilencesAt(start)).toEqual([])
  })

  test('one that cannot be read any more silences nothing', async () => {
    const { silenceTransfer, tell, told, forget, database } = run()
    await tell(failed, createEvent(1))
    silenceTransfer('t1')
    forget()
    database.prepare(`UPDATE silences SET transfer = '{"key":"t1"}'`).run()
    await tell(createRule({ name: 'again' }), createEvent(1))
    expect(told()).toHaveLength(1)
  })
})

describe('a route may name the transfer, too', () => {
  const toRoutes = (...matches: (string | null)[]) =>
    toRouting({
      channels: [
        { name: 'ops', type: 'console' },
        { name: 'rest', type: 'console' },
      ],
      routes: matches.map((match, index) => ({
        ...createRoute({ groupWaitMs: 0 }),
        channels: [index === matches.length - 1 ? 'rest' : 'ops'],
        match,
      })),
      inhibit: [],
      muteTimes: {},
    } as unknown as Parameters<typeof toRouting>[0]).routes

  test.each([
    ['transfer == "t2"'],
    ['transfer_id in ["2", "9"]'],
    [`main_tx == "${mainHash(2)}"`],
    [`zone_tx == "${createTransfer(2).zone?.hash.toUpperCase().replace('0X', '0x') ?? ''}"`],
  ])('%s', async (match) => {
    const { tell, told } = run({ routes: toRoutes(match, null) })
    for (const n of [1, 2, 3]) await tell(failed, createEvent(n))
    expect(told()).toEqual([expect.stringMatching(/2$/)])
  })

  test('and takes it by each key that it had', async () => {
    const { tell, told, database } = run({ routes: toRoutes('transfer == "t2"', null) })
    joinInto(database, 2, 1)
    await tell(failed, createEvent(1))
    expect(told()).toHaveLength(1)
  })

  test('but an inhibition may not: one alert explains others by what they carry', () => {
    expect(compileLabelPredicate(kinds.names, 'transfer == "t2"')).toMatchObject({
      problem: { message: expect.stringContaining('unknown name `transfer`') },
    })
  })
})

test('the ledger is asked for names only by silences that name transfers, once for each transfer', () => {
  const labels = '{"rule":"failed"}'
  const alerts = Array.from({ length: 5_000 }, (_, n) => ({
    id: n,
    kind: 'transfer.failed',
    severity: 'warning' as const,
    labels,
    transferKey: `t${n % 50}`,
  }))
  const asked: string[] = []
  const store = {
    getAlert: () => null,
    readTransferNames: (key: string) => {
      asked.push(key)
      return { transfer: [key], transfer_id: [], main_tx: [], zone_tx: [] }
    },
  }
  const silenceOf = (matchers: string[]) => ({
    id: 1,
    matchers,
    startsAt: 0,
    endsAt: 1,
    author: 'ana',
    comment: '',
    createdAt: 0,
    expiredAt: null,
    transfer: null,
  })
  const count = (...matchers: string[][]) => {
    asked.length = 0
    const silencer = createSilencer(matchers.map(silenceOf), { store, kinds })
    return [alerts.filter((alert) => silencer(alert).silence !== null).length, asked.length]
  }
  expect(count(['rule=failed'])).toEqual([5_000, 0])
  expect(count(['rule=other', 'transfer=t1'])).toEqual([0, 0])
  expect(count(['rule=failed', 'transfer=t1'])).toEqual([100, 50])
})
