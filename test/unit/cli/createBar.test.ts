import { expect, test } from 'vitest'
import { createBar, createProgress, formatAdvance } from '../../../src/cli/createBar.ts'
import { createOutput } from '../../../src/cli/io.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const screen = { isTerminal: true, hasColor: false, width: () => 80 }
const first = { share: 0, count: 0 }

test.each([
  [
    'share, rate and time left',
    { share: 0.5, count: 200 },
    '████████████░░░░░░░░░░░░  50%  200 records, 20/s, 10s left',
  ],
  ['the end', { share: 1, count: 12_345 }, '████████████████████████ 100%  12,345 records, 1,235/s'],
  ['nobody knows how much', { share: null, count: 50 }, '50 records, 5.0/s'],
  [
    'more than there was thought to be',
    { share: 1.2, count: 1 },
    '████████████████████████ 100%  1 records, 0.1/s',
  ],
])('%s', (_, advance, line) => {
  expect(formatAdvance(advance, { first, unit: 'records', tookMs: 10_000 })).toBe(line)
})

test('what an earlier run did is no part of the rate', () => {
  const of = { first: { share: 0.4, count: 1_000 }, unit: 'records', tookMs: 10_000 }
  expect(formatAdvance({ share: 0.5, count: 1_100 }, of)).toContain('1,100 records, 10/s, 50s left')
})

test('in a pipe there is no bar, and a line every ten seconds', async () => {
  const lines: string[] = []
  const clock = createSteppedClock()
  const io = { clock, errScreen: null, status: () => expect.fail(), err: (text: string) => lines.push(text) }
  expect(createBar(io, 'records')).toBeNull()
  const progress = createProgress(io, 'records')
  for (let second = 0; second <= 20; second += 1) {
    progress.show({ share: second / 40, count: second })
    await clock.advance(1_000)
  }
  expect(lines).toEqual(['25%  10 records, 1.0/s, 30s left\n', '50%  20 records, 1.0/s, 20s left\n'])
})

test('a bar is cut to the width of the terminal, and drawn ten times a second at most', async () => {
  const lines: string[] = []
  const clock = createSteppedClock()
  const bar = createBar(
    { clock, errScreen: { ...screen, width: () => 20 }, status: (line) => lines.push(line) },
    'records',
  )
  for (let step = 0; step <= 10; step += 1) {
    bar?.show({ share: step / 10, count: step })
    await clock.advance(50)
  }
  bar?.end()
  expect(lines).toHaveLength(7)
  expect(lines.every((line) => line.length < 20)).toBe(true)
  expect(lines.at(-1)).toBe('')
})

/** What a terminal shows in the end of what was written to it. */
function show(written: string): string[] {
  return written.split('\n').map((line) => {
    let shown = ''
    for (const part of line.split('\r')) shown = part + shown.slice(part.length)
    return shown.trimEnd()
  })
}

test('lines that are written meanwhile stand whole, and the bar below them', () => {
  let written = ''
  const sink = (text: string) => (written += text)
  const output = createOutput({ out: sink, err: sink })
  output.status('50% of a long line')
  output.err('a warning\n')
  output.out('a row\n')
  output.status('60%')
  expect(show(written)).toEqual(['a warning', 'a row', '60%'])
  output.status('')
  output.out('done\n')
  expect(show(written)).toEqual(['a warning', 'a row', 'done', ''])
})
