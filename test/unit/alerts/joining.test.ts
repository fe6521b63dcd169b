import { describe, expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { compareRanks } from '../../../src/alerts/joining.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { MessageItem } from '../../../src/delivery/channels/message.ts'
import { renderSlack } from '../../../src/delivery/channels/renderSlack.ts'
import type { Judgement } from '../../../src/rules/kind.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import {
  ana,
  vocabulary,
  createBench,
  createCondition,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  createTransfer,
} from './harness.ts'

// semantics.md 49: one cause, one accusation; and nothing hides by joining.

const mainHash = `0x${'3'.repeat(64)}`
const arrived: Partial<Transfer> = {
  state: 'unbacked',
  status: 'success',
  main: { chain: 'main', hash: mainHash, height: 9, time: 1 },
}
const about = (kind: Finding['kind'], overrides: Partial<Finding> = {}, transfer = arrived): Finding => ({
  ...createEvent(100, transfer),
  kind,
  ...overrides,
})
const ruleOn = (kind: Finding['kind'], overrides: Partial<LoadedRule> = {}) =>
  createRule({ name: kind.replace(/^.*\./, ''), kind, severity: 'critical', ...overrides })
const unbacked = ruleOn('transfer.unbacked')
const mismatch = ruleOn('transfer.mismatch')
const drift = ruleOn('escrow.drift')
const stalled = ruleOn('transfer.stalled')
const slow = ruleOn('transfer.stalled', { name: 'slow', severity: 'warning' })
const pending: Partial<Transfer> = { state: 'pending', status: 'unknown', confirmedStatus: 'unknown' }
const late = about('transfer.stalled', {}, pending)
const outflow = (amount: string) =>
  createCondition(`escrow:${mainHash}`, {
    kind: 'escrow.drift',
    labels: { chain: 'main', token: `0x${'c'.repeat(40)}` },
    facts: { direction: 'out', amount, mainTxHash: mainHash },
  })

function run(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const dispatcher = bench.startSending()
  const operations = createOperations({
    following: new Set(),
    store: bench.store,
    kinds,
    vocabulary,
    log: createSilentLog(),
    clock: bench.clock,
    onChanged: () => undefined,
  })
  // Movements at an escrow are set beside the transfers of their transaction.
  bench.database
    .prepare(
      `INSERT INTO transfers (key, main_hash, loose, direction, state, token, source_address, target_address, origin_at,
        first_seen_at, changed_at, read_at, body) VALUES (100, ?, 0, 'ZoneToMain', 'unbacked', '', '', '', 1, 1, 1, 1, '{}')`,
    )
    .run(mainHash)
  const send = async (ms = 0) => {
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(ms)
  }
  const tell = async (...events: [LoadedRule, Finding][]) => {
    const matches = events.map(([rule, finding]) => ({ rule, finding }))
    bench.engine.tellEvents(matches, bench.clock.now())
    await send()
  }
  const judge = async (rule: LoadedRule, ...findings: Finding[]) => {
    const judgement: Judgement = { findings, unknown: [] }
    bench.engine.applyCondition(rule, judgement, bench.clock.now())
    await send(5_000)
    await send(5_000)
  }
  const items = (channel = bench.ops): MessageItem[] => channel.sent.flatMap((message) => message.items)
  const said = (channel = bench.ops) => items(channel).map(({ status, rule }) => `${status} ${rule}`)
  return { ...bench, operations, tell, judge, send, items, said, stop: () => dispatcher.stop() }
}

describe('semantics.md 49: of one transfer the lower finding joins the higher', () => {
  test('within the message that is not sent yet', async () => {
    const world = run()
    await world.tell([mismatch, about('transfer.mismatch')], [unbacked, about('transfer.unbacked')])
    expect(world.said()).toEqual(['event unbacked'])
    expect(world.items()[0]?.joined.map(({ rule }) => rule)).toEqual(['mismatch'])
    expect(world.ops.sent.map(({ total }) => total)).toEqual([1])
    await world.stop()
  })

  test('as an update that names the alert which was sent', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.tell([mismatch, about('transfer.mismatch')])
    expect(world.said()).toEqual(['event unbacked', 'update mismatch'])
    const [first, update] = world.items()
    expect(update?.summary).toBe('Withdrawal of 100 USDC: its record and its transactions disagree')
    expect(update?.fields).toContainEqual({
      label: 'Update of',
      value: `alert #${first?.alertId} (unbacked)`,
      href: null,
      place: 'detail',
    })
    expect(world.ops.sent[1]?.headline).toBe(`CRITICAL, update: ${update?.summary}`)
    await world.stop()
  })

  test('stalled is not followed by slow, nor by its reminders', async () => {
    const world = run({ routes: [createRoute({ repeatMs: 300_000 })] })
    await world.judge(stalled, late)
    await world.judge(slow, late)
    for (let minute = 0; minute < 20; minute += 1) await world.send(60_000)
    expect(world.said().filter((line) => line.endsWith('slow'))).toEqual([])
    await world.stop()
  })

  test('slow is told where the stalled that covered it has ended', async () => {
    const world = run()
    await world.judge(stalled, late)
    await world.judge(slow, late)
    await world.judge(stalled)
    for (let minute = 0; minute < 10; minute += 1) await world.send(60_000)
    expect(world.said()).toEqual(['firing stalled', 'firing slow', 'resolved stalled'])
    await world.stop()
  })

  test('a failure is not followed by that of a milder rule', async () => {
    const world = run()
    await world.tell([ruleOn('transfer.failed'), createEvent(1)])
    await world.tell([ruleOn('transfer.failed', { name: 'mild', severity: 'warning' }), createEvent(1)])
    expect(world.said()).toEqual(['event failed'])
    await world.stop()
  })

  test('a failure of a milder rule keeps none of a graver one back', async () => {
    const world = run()
    await world.tell([ruleOn('transfer.failed', { name: 'mild', severity: 'warning' }), createEvent(1)])
    await world.tell([ruleOn('transfer.failed'), createEvent(1)])
    expect(world.said()).toEqual(['event mild', 'event failed'])
    await world.stop()
  })

  test('an outflow of what the unbacked payout names is news about that', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(drift, outflow('100'))
    expect(world.said()).toEqual(['event unbacked', 'update drift'])
    await world.stop()
  })

  test('a shortfall of what unbacked payouts and outflows name together is news about them', async () => {
    const world = run()
    const shortfall = ruleOn('escrow.shortfall')
    const short = (missing: string) =>
      createCondition('usdc', {
        kind: 'escrow.shortfall',
        labels: { token: `0x${'c'.repeat(40)}` },
        facts: { missing },
      })
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(shortfall, short('100'))
    expect(world.said()).toEqual(['event unbacked', 'update shortfall'])
    await world.judge(shortfall, { ...short('100.000001'), subject: 'more' }, short('100'))
    await world.send(300_000)
    await world.send(1_000)
    expect(world.said().slice(2)).toEqual(['firing shortfall'])
    await world.stop()
  })
})

test('semantics.md 49: duplicate ranks above unbacked, then mismatch, failed, stalled, slow, and what accuses no transfer', () => {
  const ranked = ['duplicate', 'unbacked', 'mismatch', 'failed', 'stalled', 'stage_overdue', 'large']
  const detectors = ranked.map((name) => kinds.find(`transfer.${name}`))
  expect(detectors).not.toContain(null)
  const sorted = detectors.toReversed().toSorted(compareRanks)
  expect(sorted.map((kind) => kind?.kind)).toEqual(ranked.map((name) => `transfer.${name}`))
})

describe('semantics.md 49: what is told of a payout before its block explains nothing', () => {
  const early = ruleOn('preconf.unbacked')
  const preconfirmed: Finding = {
    ...about('preconf.unbacked'),
    subject: `${mainHash}:usdc:`,
    transfer: null,
    labels: { chain: 'main', token: `0x${'c'.repeat(40)}` },
    facts: { direction: 'out', amount: '100', mainTxHash: mainHash, sum: '' },
  }
  const short = createCondition('usdc', {
    kind: 'escrow.shortfall',
    labels: { token: `0x${'c'.repeat(40)}` },
    facts: { missing: '100' },
  })

  test('its proof is told by itself, and so is its movement', async () => {
    const proven = run()
    await proven.tell([early, preconfirmed])
    await proven.tell([unbacked, about('transfer.unbacked')])
    expect(proven.said()).toEqual(['event unbacked', 'event unbacked'])
    expect(proven.items().map(({ kind }) => kind)).toEqual(['preconf.unbacked', 'transfer.unbacked'])
    await proven.stop()
    const moved = run()
    await moved.tell([early, preconfirmed])
    await moved.judge(drift, outflow('100'))
    expect(moved.said()).toEqual(['event unbacked', 'firing drift'])
    await moved.stop()
  })

  test('a shortfall is not explained by it, nor twice by it and its movement', async () => {
    const world = run()
    const shortfall = ruleOn('escrow.shortfall')
    await world.tell([early, preconfirmed])
    await world.judge(shortfall, short)
    expect(world.said()).toEqual(['event unbacked', 'firing shortfall'])
    await world.stop()
    const both = run()
    await both.tell([early, preconfirmed])
    await both.judge(drift, outflow('100'))
    await both.judge(shortfall, { ...short, facts: { missing: '200' } })
    expect(both.said()).toEqual(['event unbacked', 'firing drift', 'firing shortfall'])
    await both.stop()
  })
})

test('semantics.md 49: what is missing joins what accounts for most of it, deposits that never came included', async () => {
  const world = run()
  const deposit = { ...arrived, direction: 'MainToZone' as const, main: null }
  const short = createCondition('usdc', {
    kind: 'escrow.shortfall',
    labels: { token: `0x${'c'.repeat(40)}` },
    facts: { missing: '350' },
  })
  await world.tell([unbacked, about('transfer.unbacked')])
  await world.tell([
    mismatch,
    {
      ...createEvent(250, deposit),
      kind: 'transfer.mismatch',
      facts: { what: 'amount', found: 'nothing moved' },
    },
  ])
  await world.judge(ruleOn('escrow.shortfall'), short)
  expect(world.said()).toEqual(['event unbacked', 'event mismatch', 'update shortfall'])
  expect(JSON.stringify(world.items()[2]?.fields)).toContain(`alert #${world.items()[1]?.alertId} (mismatch)`)
  await world.stop()
})

describe('semantics.md 49: nothing hides by joining', () => {
  test('a finding of higher rank than what was sent is always sent', async () => {
    const world = run()
    await world.judge(slow, late)
    await world.send(30_000)
    await world.send()
    await world.judge(stalled, late)
    await world.tell([mismatch, about('transfer.mismatch')])
    await world.tell([unbacked, about('transfer.unbacked')])
    expect(world.said()).toEqual(['firing slow', 'firing stalled', 'event mismatch', 'event unbacked'])
    await world.stop()
  })

  test('an outflow of more than the unbacked payout is told', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(drift, outflow('100.000001'))
    expect(world.said()).toEqual(['event unbacked', 'firing drift'])
    await world.stop()
  })

  test('a lack of today is told, whatever was sent more than a day ago', async () => {
    const world = run()
    const short = createCondition('usdc', {
      kind: 'escrow.shortfall',
      labels: { token: `0x${'c'.repeat(40)}` },
      facts: { missing: '100' },
    })
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.send(86_401_000)
    await world.judge(ruleOn('escrow.shortfall'), short)
    expect(world.said()).toEqual(['event unbacked', 'firing shortfall'])
    await world.stop()
  })

  test('an outflow of another token is told', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(drift, { ...outflow('100'), labels: { token: `0x${'d'.repeat(40)}` } })
    expect(world.said()).toEqual(['event unbacked', 'firing drift'])
    await world.stop()
  })

  test('an outflow that grew beyond what it joined is told by itself', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(drift, outflow('100'))
    await world.send(30_000)
    await world.judge(drift, outflow('250'))
    for (let minute = 0; minute < 6; minute += 1) await world.send(60_000)
    expect(world.said()).toEqual(['event unbacked', 'update drift', 'firing drift'])
    await world.stop()
  })

  test('a mismatch that names more money is told', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.tell([mismatch, about('transfer.mismatch', { facts: { what: 'amount', found: '100.5' } })])
    expect(world.said()).toEqual(['event unbacked', 'event mismatch'])
    await world.stop()
  })

  test('a more severe one is told', async () => {
    const world = run()
    await world.tell([{ ...unbacked, severity: 'info' }, about('transfer.unbacked')])
    await world.tell([mismatch, about('transfer.mismatch')])
    expect(world.said()).toEqual(['event unbacked', 'event mismatch'])
    await world.stop()
  })

  test('one that is routed to another channel reaches it in full', async () => {
    const other = createFakeChannel('other')
    const routes = [
      createRoute({ id: 'm', matches: ({ kind }) => kind === 'transfer.mismatch', channels: ['other'] }),
      createRoute({ id: 'd', matches: ({ kind }) => kind === 'escrow.drift', channels: ['other', 'ops'] }),
      createRoute({ id: 'u' }),
    ]
    const world = run({ routes, fakes: [createFakeChannel('ops'), other] })
    await world.tell([mismatch, about('transfer.mismatch')], [unbacked, about('transfer.unbacked')])
    await world.judge(drift, outflow('100'))
    expect(world.said()).toEqual(['event unbacked', 'update drift'])
    expect(world.said(other)).toEqual(['event mismatch', 'firing drift'])
    await world.stop()
  })

  test('a silenced, muted or acknowledged lower one does not swallow the higher', async () => {
    const world = run()
    await world.judge(slow, late)
    await world.send(30_000)
    await world.send()
    world.operations.ackAlert(world.items()[0]?.alertId ?? '', ana)
    world.operations.addSilence(
      {
        matchers: ['kind=transfer.mismatch'],
        startsAt: world.clock.now(),
        endsAt: world.clock.now() + 3_600_000,
        author: 'ops',
        comment: 'known',
      },
      ana,
    )
    await world.tell([mismatch, about('transfer.mismatch')])
    await world.judge(stalled, late)
    await world.tell([unbacked, about('transfer.unbacked')])
    expect(world.said()).toEqual(['firing slow', 'firing stalled', 'event unbacked'])
    await world.stop()
  })

  test('where the higher one is silenced the lower one is told in full', async () => {
    const world = run()
    world.operations.addSilence(
      {
        matchers: ['kind=transfer.unbacked'],
        startsAt: world.clock.now(),
        endsAt: world.clock.now() + 3_600_000,
        author: 'ops',
        comment: 'known',
      },
      ana,
    )
    await world.tell([unbacked, about('transfer.unbacked')], [mismatch, about('transfer.mismatch')])
    await world.judge(drift, outflow('100'))
    expect(world.said()).toEqual(['event mismatch', 'firing drift'])
    await world.stop()
  })

  test('what joined is told by itself once what it joined is taken back', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    await world.judge(drift, outflow('100'))
    const proven = createTransfer(100, { ...arrived, originProof: 'proven', state: 'completed' })
    world.engine.correctEvents([proven], () => null, world.clock.now())
    await world.send(5_000)
    await world.send(5_000)
    expect(world.said()).toEqual(['event unbacked', 'update drift', 'correction unbacked', 'firing drift'])
    await world.stop()
  })

  test('what joined and waits to be sent is told once, by itself, when what it joined is taken back', async () => {
    const world = run()
    await world.tell([unbacked, about('transfer.unbacked')])
    world.ops.answers = [{ result: 'throttled', retryAfterMs: 60_000, reason: '429' }, { result: 'ack' }]
    await world.judge(drift, outflow('100'))
    const before = world.said().length
    const proven = createTransfer(100, { ...arrived, originProof: 'proven', state: 'completed' })
    world.engine.correctEvents([proven], () => null, world.clock.now())
    await world.send(5_000)
    await world.send(120_000)
    expect(world.said().slice(before).toSorted()).toEqual(['correction unbacked', 'firing drift'])
    await world.stop()
  })
})

test('what is judged anew by each reading happened no later than it was first told', async () => {
  const world = run()
  const judgedAt = (since: number) =>
    createCondition('usdc', { kind: 'escrow.shortfall', facts: { missing: '1' }, since })
  const rule = ruleOn('escrow.shortfall')
  await world.judge(rule, judgedAt(world.clock.now()))
  const began = world.items()[0]?.since ?? 0
  for (let minute = 0; minute < 250; minute += 10) {
    await world.send(600_000)
    await world.judge(rule, judgedAt(world.clock.now()))
  }
  expect(world.said()).toEqual(['firing shortfall', 'repeat shortfall'])
  expect(world.items()[1]?.since).toBe(began)
  await world.stop()
})

describe('the end of a loss is not good news', () => {
  const ends = async (after: Partial<Transfer>) => {
    const transfer = createTransfer(100, after)
    const bench = createBench({ routes: [createRoute({ groupIntervalMs: 0 })] })
    const sending = bench.startSending(() => transfer)
    for (const findings of [[late], []]) {
      bench.engine.applyCondition(stalled, { findings, unknown: [] }, bench.clock.now())
      bench.engine.flush(bench.clock.now())
      sending.wake()
      await bench.clock.advance(1_000)
    }
    await sending.stop()
    const message = bench.ops.sent[1]
    if (!message) throw new Error('no end was told')
    const { blocks = [] } = renderSlack(message)
    return { status: message.items[0]?.status, header: JSON.stringify(blocks[0]) }
  }

  test('a stalled transfer that failed has ended, and is not called resolved', async () => {
    const { status, header } = await ends({ state: 'failed' })
    expect(status).toBe('ended')
    expect(header).toMatch(
      /⚪ CRITICAL, ended at \d\d:\d\d:\d\d UTC after 1 min 1 s: Withdrawal of 100 USDC failed/,
    )
    expect(header).not.toMatch(/resolved|🟢/i)
  })

  test('one that arrived is resolved', async () => {
    const { status, header } = await ends({ state: 'completed' })
    expect(status).toBe('resolved')
    expect(header).toMatch(
      /🟢 CRITICAL, resolved at \d\d:\d\d:\d\d UTC after 1 min 1 s: Withdrawal of 100 USDC has arrived/,
    )
  })
})
