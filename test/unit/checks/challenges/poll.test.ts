import { expect, test } from 'vitest'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { createChallengesPolls } from '../../../../src/checks/challenges/poll.ts'
import type { Blocks } from '../../../../src/kernel/reads/readRange.ts'
import {
  listDueRanges,
  noteRange,
  noteRangeRead,
  saveChallenge,
} from '../../../../src/checks/challenges/store.ts'
import { createTestKernel, setMainHead } from '../support.ts'

const contract = '0xc0'
const signal = new AbortController().signal
const minute = 60_000

/** A contract with a transaction at each of these heights, `spacing` blocks apart below the head. */
function setUp(
  spacing: number,
  options: { widest?: number; tooWide?: MonitorError; contracts?: string[] } = {},
) {
  const kernel = createTestKernel({ start: 100_000_000 })
  const { clock, db } = kernel
  const world = { head: 1_000_000, statuses: new Map<number, string>() }
  const asked: Blocks[] = []
  const told = () => kernel.told.map(({ title }) => title)
  const polls = createChallengesPolls({
    ...kernel,
    contracts: options.contracts ?? [contract],
    values: { known: [], terminal: [] },
    reads: {
      async challenges(_, blocks) {
        asked.push(blocks)
        if (blocks.to - blocks.from >= (options.widest ?? Infinity))
          throw options.tooWide ?? new MonitorError('source.refused', 'too wide')
        const rows = []
        const first = Math.ceil(blocks.from / spacing) * spacing
        for (let height = first; height <= blocks.to; height += spacing)
          rows.push({
            hash: `0x${height.toString(16)}`,
            height,
            status: world.statuses.get(height) ?? 'open',
            l1: '',
          })
        return { requestedAt: clock.now(), rows, isWhole: true, problem: '', bad: [] }
      },
    },
  })
  const tick = async () => {
    asked.length = 0
    setMainHead(db, world.head, clock.now())
    await polls.newest(signal)
    await polls.older(signal)
    await clock.advance(minute)
    world.head += 60
  }
  return { tick, world, asked, told, db, clock }
}

test.each([
  { title: 'in every block', spacing: 1 },
  { title: 'in every tenth', spacing: 10 },
  { title: 'in every fifty-third', spacing: 53 },
])('a change of any of the newest 500, $title, is told by the next reading', async ({ spacing }) => {
  const { tick, world, told } = setUp(spacing)
  for (let n = 0; n < 5; n++) await tick()
  const newest = Math.floor(world.head / spacing)
  for (const nth of [100, 250, 499]) world.statuses.set((newest - nth) * spacing, `changed ${nth}`)
  await tick()
  expect(
    told()
      .map((title) => title.replace(/.* to /, ''))
      .sort(),
  ).toEqual(['"changed 100"', '"changed 250"', '"changed 499"'])
})

test('what is asked follows from how many transactions there are, not from how long they took', async () => {
  const { tick, asked } = setUp(40)
  await tick()
  expect(asked.length).toBeLessThan(14)
  for (let n = 0; n < 40; n++) await tick()
  // One for the newest, and the stretches beyond them that are due.
  expect(asked.length).toBeLessThanOrEqual(7)
})

test('ten minutes unread begin with the newest blocks again, and lead as far back', async () => {
  const { tick, world, asked, told } = setUp(10)
  await tick()
  world.head += 100_000
  world.statuses.set(world.head - 4_900, 'changed')
  await tick()
  expect(asked[0]).toEqual({ from: world.head - 60 - 120, to: world.head - 60 })
  world.statuses.set(world.head - 4_900 + 60 - 60, 'again')
  await tick()
  expect(told().at(-1)).toContain('"again"')
})

const timeout = { retryable: true, details: { timeoutMs: 10_000 } }

test.each([
  { how: 'refuses', tooWide: new MonitorError('source.refused', 'HTTP 400, code 50036') },
  {
    how: 'gives an error of its own to',
    tooWide: new MonitorError('source.invalid', 'the range is too large'),
  },
  { how: 'takes too long over', tooWide: new MonitorError('source.unreachable', 'no whole answer', timeout) },
])('a service that $how wide ranges is asked for what it takes', async ({ tooWide }) => {
  const { tick, world, asked, told } = setUp(100, { widest: 10_000, tooWide })
  for (let n = 0; n < 4; n++) await tick()
  expect(asked.filter(({ from, to }) => to - from >= 10_000)).toEqual([])
  const old = Math.floor((world.head - 5_000) / 100) * 100
  world.statuses.set(old, 'changed')
  await tick()
  expect(told()).toHaveLength(1)
})

test('stretches with values that may change come first, the newest of them first; the others are not left out', () => {
  const { db } = setUp(1)
  const now = 1_000_000
  const add = (start: number, checkAt: number, status: string, isSettled = false) => {
    noteRange(db, { contract, start, checkAt }, now)
    noteRangeRead(db, { contract, start }, { rows: 1, valued: status === '' ? 0 : 1, checkAt })
    if (status === '') return
    const challenge = { hash: `0x${start}`, contract, height: start + 599, status, l1: '', since: 0 }
    saveChallenge(db, { ...challenge, readAt: 0, changes: 0, past: [], candidate: null }, isSettled)
  }
  add(0, 1, '')
  add(600, 2, 'final', true)
  add(1_200, 3, '')
  for (let n = 0; n < 6; n++) add(6_000 + n * 600, 10 + n, 'open')
  add(60_000, now + 1, 'open')
  const starts = listDueRanges(db, now, { open: 4, any: 2 }).map(({ start }) => start)
  expect(starts).toEqual([9_000, 8_400, 7_800, 7_200, 0, 600])
})
