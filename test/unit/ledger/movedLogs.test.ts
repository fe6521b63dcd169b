import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../src/bridge/bridgeLog.ts'
import { listLogs, saveLogs } from '../../../src/checks/contracts/logStore.ts'
import { openDatabase } from '../../../src/store/database.ts'

const hash = `0x${'aa'.repeat(32)}`
const log = (content: string, place: number, height = 100): BridgeLog => ({
  contract: `0x${'c0'.repeat(20)}`,
  hash,
  height,
  time: height * 1_000,
  place: String(place),
  topics: [`0x${'01'.repeat(32)}`],
  data: content,
})

/** How many logs of each reading were new, and what is stored in the end. */
function read(...readings: BridgeLog[][]) {
  const db = openDatabase(':memory:')
  const fresh = readings.map((logs) => saveLogs(db, logs, 1).length)
  const stored = listLogs(db, hash).map((one) => `${one.log.data}@${one.log.height}/${one.log.place}`)
  return { fresh, stored: stored.sort() }
}

test.each<{ title: string; readings: BridgeLog[][]; fresh: number[]; stored: string[] }>([
  {
    title: 'read again',
    readings: [[log('a', 5)], [log('a', 5)]],
    fresh: [1, 0],
    stored: ['a@100/5'],
  },
  {
    title: 'in another block and at another place',
    readings: [[log('a', 5)], [log('a', 7, 102)]],
    fresh: [1, 0],
    stored: ['a@102/7'],
  },
  {
    title: 'in another block at the same place',
    readings: [[log('a', 5)], [log('a', 5, 102)]],
    fresh: [1, 0],
    stored: ['a@102/5'],
  },
  {
    title: 'moved on by one each',
    readings: [
      [log('a', 5), log('b', 6)],
      [log('a', 6, 101), log('b', 7, 101)],
    ],
    fresh: [2, 0],
    stored: ['a@101/5', 'b@101/7'],
  },
  {
    title: 'of equal content twice, moved',
    readings: [
      [log('a', 5), log('a', 6)],
      [log('a', 6, 101), log('a', 7, 101)],
    ],
    fresh: [2, 0],
    stored: ['a@101/6', 'a@101/7'],
  },
  {
    title: 'of which a further equal one turns up',
    readings: [[log('a', 5)], [log('a', 5), log('a', 6)]],
    fresh: [1, 1],
    stored: ['a@100/5', 'a@100/6'],
  },
  {
    title: 'that one answer shows in their old block and in their new one',
    readings: [
      [log('a', 5), log('b', 6)],
      [log('a', 5), log('b', 6), log('a', 1, 102), log('b', 2, 102)],
    ],
    fresh: [2, 0],
    stored: ['a@102/1', 'b@102/2'],
  },
  {
    title: 'that say something else after all',
    readings: [[log('a', 5)], [log('b', 5, 101)]],
    fresh: [1, 1],
    stored: ['a@100/5', "b@101/5'"],
  },
])('F46: logs $title', ({ readings, fresh, stored }) => {
  expect(read(...readings)).toEqual({ fresh, stored })
})
