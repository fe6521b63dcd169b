import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushChanges } from '../../../src/replicas/changes.ts'
import { takeLease } from '../../../src/replicas/lease.ts'
import { migrations } from '../../../src/store/migrate.ts'
import { logOf, startHandOver } from '../../support/handOverWorld.ts'
import { postgresBin } from '../../support/startPostgres.ts'
import type { LedgerNode } from '../../support/twoNodes.ts'
import { ana, start } from '../../unit/alerts/harness.ts'

if (postgresBin === null) console.warn('skipped: what is handed over, PostgreSQL is missing')

const ben = { ...ana, by: 'ben' }

describe.skipIf(postgresBin === null)('what people did on a node that was cut off', () => {
  let world: Awaited<ReturnType<typeof startHandOver>>
  beforeAll(async () => {
    world = await startHandOver()
  })
  afterAll(async () => await world.stop())

  test('an acknowledgement, a note and an assignment go into the case of the same transfer, whatever its key', async () => {
    const { a, b, watch, handOver, answers } = await world.open()
    a.fail('1')
    const keyA = a.fail('2')
    const keyB = b.fail('2')
    b.fail('1')
    expect(keyA).not.toBe(keyB)
    const id = `c${a.caseOf(keyA)?.id}`
    a.operations.ackAlert(a.alertOf(keyA)?.fingerprint ?? '', ana)
    a.operations.changeCase({ id, do: 'note', text: 'asked the operator' }, ben)
    a.operations.changeCase({ id, do: 'assign', text: 'ben' }, ana)
    // The alert's, the case's that goes with it, and the two others.
    expect(await handOver()).toBe(4)
    expect(await handOver()).toBe(4)
    expect(await answers()).toHaveLength(4)
    await watch().look()
    expect(b.caseOf(keyB)).toMatchObject({ state: 'acknowledged', by: 'ana', assignee: 'ben' })
    expect(b.alertOf(keyB)?.ackedBy).toBe('ana')
    const other = b.ledger.listTransfers({ hash: '1' })[0]?.key ?? ''
    expect(b.caseOf(other)).toMatchObject({ state: 'open', assignee: null })
    expect(b.alertOf(other)?.ackedBy).toBeNull()
    const way = expect.stringContaining('by way of node a, which was cut off')
    expect(logOf(b, keyB)).toEqual(
      expect.arrayContaining([
        { what: 'acknowledged', by: 'ana', text: expect.any(String) },
        { what: 'noted', by: 'ana', text: way },
        { what: 'noted', by: 'ben', text: expect.stringMatching(/^asked the operator \(.*by way of node a/) },
      ]),
    )
    expect((await answers()).every(({ answer }) => answer?.ok)).toBe(true)
  })

  test('a handled case is handled, and one that was opened again is open', async () => {
    const { a, b, watch, handOver } = await world.open()
    for (const node of [a, b]) for (const id of ['1', '2']) node.fail(id)
    const [one, two] = ['1', '2'].map((id) => a.ledger.listTransfers({ hash: id })[0]?.key ?? '') as [
      string,
      string,
    ]
    const idOf = (key: string) => `c${a.caseOf(key)?.id}`
    a.operations.changeCase({ id: idOf(one), do: 'handle', text: 'refunded' }, ana)
    a.operations.changeCase({ id: idOf(two), do: 'ack', text: null }, ana)
    await a.clock.advance(1_000)
    a.operations.changeCase({ id: idOf(two), do: 'reopen', text: 'it was not' }, ben)
    await handOver()
    await watch().look()
    expect(b.caseOf(one)).toMatchObject({ state: 'handled', by: 'ana', reason: 'refunded' })
    expect(b.caseOf(two)).toMatchObject({ state: 'open' })
  })

  test('a case that holds more here than was seen there stays open, and says so', async () => {
    const { a, b, watch, handOver } = await world.open()
    const key = a.fail('1', 5_000_000n)
    b.fail('1', 50_000_000n)
    a.operations.changeCase({ id: `c${a.caseOf(key)?.id}`, do: 'ack', text: null }, ana)
    await handOver()
    await watch().look()
    expect(b.caseOf(key)).toMatchObject({ state: 'open' })
    expect(logOf(b, key)).toContainEqual({
      what: 'noted',
      by: 'ana',
      text: expect.stringContaining('more money is at risk here'),
    })
  })

  test('an acknowledgement of before a case opened again is written down, and takes nothing', async () => {
    const { a, b, watch, handOver } = await world.open()
    for (const node of [a, b]) node.fail('1')
    const key = a.ledger.listTransfers({ hash: '1' })[0]?.key ?? ''
    const id = `c${a.caseOf(key)?.id}`
    a.operations.changeCase({ id, do: 'ack', text: null }, ana)
    await a.clock.advance(1_000)
    a.operations.changeCase({ id, do: 'reopen', text: 'it was not' }, ben)
    await handOver()
    await watch().look()
    expect(b.caseOf(key)).toMatchObject({ state: 'open', by: null })
    expect(logOf(b, key)).toContainEqual({
      what: 'noted',
      by: 'ana',
      text: expect.stringContaining('it opened again since'),
    })
  })

  test('what is not found yet is tried again, in its order, and kept after an hour', async () => {
    const { a, b, bridge, watch, handOver, answers } = await world.open()
    const key = a.fail('1')
    const id = `c${a.caseOf(key)?.id}`
    a.operations.changeCase({ id, do: 'ack', text: null }, ana)
    a.operations.changeCase({ id, do: 'note', text: 'wait for me' }, ana)
    a.operations.changeCase({ id: `c${a.caseOf(a.fail('2'))?.id}`, do: 'note', text: 'never found' }, ana)
    await handOver()
    const { look } = watch()
    await look()
    expect((await answers()).map(({ answer }) => answer)).toEqual([null, null, null])
    const keyB = b.fail('1')
    await b.clock.advance(6_000)
    await look()
    expect(b.caseOf(keyB)?.state).toBe('acknowledged')
    expect(
      logOf(b, keyB)
        .map(({ what }) => what)
        .slice(-3),
    ).toEqual(['acknowledged', 'noted', 'noted'])
    await world.data.query("UPDATE spanwatch.requests SET at = at - interval '2 hours' WHERE bridge = $1", [
      bridge,
    ])
    await b.clock.advance(6_000)
    await look()
    expect((await answers()).at(-1)?.answer).toEqual({ ok: false, error: 'this case is not known here' })
    expect(b.store.listChanges({ limit: 1 })).toMatchObject([
      { who: 'ana', what: 'not taken over', detail: expect.stringContaining('never found') },
    ])
  })

  test('a silence is made with the transfer as it is called here, and ended', async () => {
    const { a, b, watch, handOver } = await world.open((node) => {
      const silence = { matchers: ['rule=failed'], startsAt: null, endsAt: node.clock.now() + 3_600_000 }
      node.operations.addSilence({ ...silence, author: 'ana', comment: 'shared' }, ana)
    })
    a.fail('1')
    const keyA = a.fail('2')
    const keyB = b.fail('2')
    b.fail('1')
    expect(keyA).not.toBe(keyB)
    const transfer = { name: keyA, kinds: null, untilOver: false }
    const of = { matchers: [], startsAt: null, endsAt: a.clock.now() + 7_200_000, author: 'ben' }
    a.operations.addSilence({ ...of, comment: 'known', transfer }, ben)
    a.operations.addSilence({ ...of, matchers: [`transfer=${keyA}`], comment: 'by hand' }, ben)
    a.operations.addSilence({ ...of, matchers: ['rule=failed'], comment: 'ended again' }, ben)
    await a.clock.advance(1_000)
    a.operations.expireSilence(4, ben)
    a.operations.expireSilence(1, ana)
    expect(await handOver()).toBe(5)
    await b.clock.advance(2_000)
    await watch().look()
    const live = b.store.listSilences({ since: b.clock.now(), limit: 10 })
    expect(live.map(({ matchers, comment, transfer: made }) => [matchers, comment, made?.key])).toEqual([
      [[`transfer="${keyB}"`], 'by hand', undefined],
      [[`transfer="${keyB}"`], 'known', keyB],
    ])
    expect(live[1]?.transfer?.kinds).toMatchObject([{ kind: 'transfer.failed', severity: 'critical' }])
  })

  test('entries about breaks are made, and taken back', async () => {
    const long = start - 30 * 86_400_000
    const unbacked = {
      amountRaw: 4_000_000n,
      zoneHash: null,
      zoneHeight: null,
      zoneTime: null,
      mainTime: long,
    }
    const noMain = { mainHash: null, mainHeight: null, mainTime: null }
    const pending = {
      ...noMain,
      status: 'unknown',
      amountRaw: 4_000_000n,
      zoneTime: long,
      requestedAt: long,
    } as const
    const { a, b, watch, handOver, answers } = await world.open()
    for (const [node, ids] of [
      [a, ['1', '2', '3']],
      [b, ['3', '2', '1']],
    ] as const)
      for (const id of ids) node.record(id, id === '1' ? unbacked : pending)
    const keyOf = (node: LedgerNode, id: string) => node.ledger.listTransfers({ hash: id })[0]?.key ?? ''
    for (const { clock } of [a, b]) await clock.advance(25 * 3_600_000)
    const match = { payout: keyOf(a, '1'), origin: keyOf(a, '2'), reason: 'it is that one', force: false }
    a.operations.matchBreaks(match, ana)
    a.operations.writeOffBreak({ name: keyOf(a, '3'), reason: 'lost' }, ben)
    a.operations.undoEntry({ entry: 'e2', reason: 'found' }, ben)
    expect(await handOver()).toBe(3)
    await watch().look()
    expect((await answers()).map(({ answer }) => answer?.done)).toEqual(['e1', 'e2', 'e3'])
    const shares = b.db
      .prepare('SELECT entry_id, name, part FROM break_shares ORDER BY entry_id, part DESC')
      .all()
    expect(shares.map((share) => ({ ...share }))).toEqual([
      { entry_id: 1, name: keyOf(b, '1'), part: 'payout' },
      { entry_id: 1, name: keyOf(b, '2'), part: 'origin' },
      { entry_id: 2, name: keyOf(b, '3'), part: 'all' },
    ])
  })

  test('changes that are in PostgreSQL are handed over to nobody', async () => {
    const { a, bridge, handOver, answers } = await world.open()
    const key = a.fail('1')
    const id = `c${a.caseOf(key)?.id}`
    a.operations.changeCase({ id, do: 'note', text: 'shared' }, ana)
    const lease = await takeLease(
      world.data.query,
      { bridge, node: 'a' },
      { seq: 0, ledgerVersion: migrations.length },
    )
    const after = { seq: 0, hash: new Uint8Array() }
    const changes = a.db.changes.listPending(0, Infinity)
    const of = { bridge, epoch: lease?.epoch ?? 0, ledgerVersion: migrations.length, after, changes }
    expect(await pushChanges(world.data.query, of)).toBe(true)
    a.operations.changeCase({ id, do: 'note', text: 'not shared' }, ana)
    expect(await handOver()).toBe(1)
    expect((await answers()).map(({ body }) => body)).toMatchObject([{ do: 'note', text: 'not shared' }])
  })
})
