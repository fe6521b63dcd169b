import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHandOver } from '../../support/handOverWorld.ts'
import { postgresBin } from '../../support/startPostgres.ts'
import type { LedgerNode } from '../../support/twoNodes.ts'
import { ana } from '../../unit/alerts/harness.ts'

if (postgresBin === null) console.warn('skipped: what is asked of a holder, PostgreSQL is missing')

describe.skipIf(postgresBin === null)(
  'what was told on another node, and what is asked of the holder',
  () => {
    let world: Awaited<ReturnType<typeof startHandOver>>
    beforeAll(async () => {
      world = await startHandOver()
    })
    afterAll(async () => await world.stop())

    test('what was sent there is not sent here, once it is queued here too', async () => {
      const { a, b, watch, handOver, answers } = await world.open()
      a.fail('1')
      const [queued, later] = ['2', '3'].map((id) => a.fail(id)) as [string, string]
      await a.send()
      expect(a.ops.sent.length).toBeGreaterThan(0)
      // Queued here before it is handed over; another transfer under the key that it has there.
      const keyB = b.fail('2')
      expect(keyB).not.toBe(queued)
      expect(await handOver()).toBe(3)
      const { look } = watch()
      await look()
      const stateOf = (key: string) =>
        b.store.listItemsOf(b.alertOf(key)?.id ?? 0).map(({ state, what }) => [what, state])
      expect(stateOf(keyB)).toEqual([['event', 'sent']])
      // The others were not found yet: they are marked as soon as they are queued, and before anything can leave.
      const third = b.fail('3')
      const fourth = b.fail('4')
      expect([third, fourth]).toContain(later)
      expect(stateOf(third)).toEqual([['event', 'sent']])
      expect(stateOf(fourth)).toEqual([['event', 'queued']])
      await b.send()
      expect(b.ops.sent.flatMap(({ items }) => items)).toHaveLength(1)
      await look()
      const done = (await answers()).map(({ answer }) => answer?.done ?? 'waits')
      expect(done.toSorted((x, y) => x.localeCompare(y))).toEqual(['marked', 'marked', 'waits'])
    })

    test('what says something else here, or more, is sent all the same', async () => {
      const { a, b, watch, handOver } = await world.open()
      a.fail('1', 5_000_000n)
      await a.send()
      const key = b.fail('1', 6_000_000n)
      await handOver()
      await watch().look()
      expect(b.store.listItemsOf(b.alertOf(key)?.id ?? 0)).toMatchObject([{ what: 'event', state: 'queued' }])
    })

    test('a step of an escalation that rang there does not ring here, and rings in a later turn', async () => {
      const { a, b, watch, handOver } = await world.open()
      for (const id of ['1', '2']) a.fail(id)
      const escalate = async (node: LedgerNode) => {
        await node.clock.advance(601_000)
        node.db.transaction(() => node.engine.flush(node.clock.now()))
        for (const run of node.parts.after) run()
      }
      await escalate(a)
      await a.send()
      expect(a.fakes[1]?.sent.flatMap(({ items }) => items)).toHaveLength(2)
      const [one, two] = ['1', '2'].map((id) => b.fail(id)) as [string, string]
      await handOver()
      await watch().look()
      await b.clock.advance(60_000)
      const again = { id: `c${b.caseOf(two)?.id}`, text: null }
      b.operations.changeCase({ ...again, do: 'ack' }, ana)
      b.operations.changeCase({ ...again, do: 'reopen' }, ana)
      await escalate(b)
      const toPager = (key: string) =>
        b.store.listItemsOf(b.alertOf(key)?.id ?? 0).filter(({ channel }) => channel === 'pager')
      expect(toPager(one)).toMatchObject([{ state: 'sent' }])
      expect(toPager(two)).toMatchObject([{ state: 'queued' }])
    })

    test('what was queued there and not acknowledged by its channel suppresses nothing', async () => {
      const { a, b, watch, handOver } = await world.open()
      a.ops.answers = [{ result: 'transient', reason: 'no answer' }]
      a.fail('1')
      await a.send()
      const key = b.fail('1')
      expect(await handOver()).toBe(0)
      await watch().look()
      expect(b.store.listItemsOf(b.alertOf(key)?.id ?? 0)).toMatchObject([{ state: 'queued' }])
    })

    test('a person acknowledges and silences by way of PostgreSQL, once and under the same rules', async () => {
      const { b, watch, ask, answers, setShared } = await world.open()
      const key = b.fail('1')
      const id = `c${b.caseOf(key)?.id}`
      await ask('ack', { id })
      await ask('ack', { id: `#${b.alertOf(key)?.fingerprint.slice(0, 8)}` }, { nonsense: true })
      await ask('silence', {
        matchers: ['rule=failed'],
        endsAt: b.clock.now() + 60_000,
        author: 'ana',
        comment: 'why',
      })
      await ask('silence', {
        matchers: ['rule=nobody'],
        endsAt: b.clock.now() + 60_000,
        author: 'ana',
        comment: 'why',
      })
      await ask('dance', {})
      await watch().look()
      expect(await answers()).toMatchObject([
        { answer: { ok: true, case: { id, state: 'acknowledged' } } },
        { answer: { ok: false, error: 'expected who acknowledges it: --by NAME' } },
        { answer: { ok: true, silence: { id: 1 } } },
        { answer: { ok: false, error: expect.stringContaining('This silence is refused') } },
        { answer: { ok: false, error: expect.stringContaining('knows no request') } },
      ])
      // Nothing is done while another node may hold the lease.
      setShared(false)
      await ask('ack', { id })
      await watch().look()
      expect((await answers()).at(-1)?.answer).toBeNull()
    })

    test('what fails here for an hour is answered with why, and asked no more', async () => {
      const { b, watch, ask, answers, bridge } = await world.open()
      await ask('ack', { id: 'c1' })
      b.parts.operations.changeCase = () => {
        throw new TypeError('no such thing')
      }
      const { look } = watch()
      await look()
      expect((await answers())[0]?.answer).toBeNull()
      await world.data.query("UPDATE spanwatch.requests SET at = at - interval '2 hours' WHERE bridge = $1", [
        bridge,
      ])
      await b.clock.advance(5_000)
      await look()
      expect((await answers())[0]?.answer).toEqual({
        ok: false,
        code: 'internal',
        error: expect.stringContaining('no such thing'),
      })
    })

    test('what was done and could not be answered is answered by whoever opens the ledger next, and not done again', async () => {
      const { b, watch, ask, answers, setShared } = await world.open()
      await ask('silence', {
        matchers: ['rule=failed'],
        endsAt: b.clock.now() + 60_000,
        author: 'ana',
        comment: 'why',
      })
      const { look } = watch()
      // PostgreSQL goes away between the commit and its acknowledgement.
      b.parts.after.add(() => setShared(false))
      await look()
      expect(b.store.listSilences({ since: 0, limit: 10 })).toHaveLength(1)
      expect((await answers())[0]?.answer).toBeNull()
      setShared(true)
      await watch().look()
      expect(b.store.listSilences({ since: 0, limit: 10 })).toHaveLength(1)
      expect((await answers())[0]?.answer).toMatchObject({ ok: true, silence: { id: 1 } })
    })
  },
)
